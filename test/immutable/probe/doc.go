// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package probe changes, sets and unsets every field of every built-in kind once, and
// notes what an API server says to it.
//
// Start from [Objects], which reads the objects that are changed, and [Places], which
// are the fields of a kind.
package probe
