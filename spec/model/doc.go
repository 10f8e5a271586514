// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package model implements the rules of server-side apply as a small program. People can read
// it beside spec/README.md, and tests compare engines with it. It is written to be simple, not
// fast: each question walks the values from the root, a set is a map of paths, and nothing is
// shared or cached. It expects valid values; only Refuse reports invalid ones.
//
// A comment "rule S3" names the rule of the text that the code below implements.
package model
