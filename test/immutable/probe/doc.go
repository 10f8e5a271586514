// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package probe changes, sets and unsets every field of every built-in kind once, and records
// the API server's reaction.
//
// Start from [Objects], which reads the objects to change, and [Places], which returns the
// fields of a kind.
package probe
