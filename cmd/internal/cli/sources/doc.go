// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package sources finds the types of objects: the built-in ones, and those of the files
// that --crd, --openapi, --schema, --defaults and --markers name ([Flags], [Read]). [Types]
// answers for one kind at a time, and converts objects where that can be told offline.
//
// With the build tag slim it does without package kube/crd: see slim.go.
package sources
