// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package upgrade compares a CustomResourceDefinition with the one that is to take its place:
// what is stored and would be refused, dropped or changed, and what clients send and could not
// any more. Start from Compare, which looks at the definitions alone, so that it finds what
// could break; crd.Version.Validate and Default with the definition that is new tell of an
// object whether it does.
//
// What is found has a rule of package internal/rules. What makes no such difference, wider bounds
// or a field that is new and optional for one, is not found, nor a rule of CEL or a pattern
// that takes all that was taken, if that can be told. What managed fields are about,
// list types and keys, is for typed.Rekeyer, and what an API server refuses of a
// definition for crd.Definition.ValidateUpdate.
//
// API servers since Kubernetes 1.30 forgive an update what is not valid where it changes
// nothing (KEP-4008): what refuses stored objects here refuses them once that part is written.
package upgrade
