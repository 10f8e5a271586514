// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package probe changes, sets and unsets every field of every built-in kind once. It records
// how the API server decides about each change.
//
// Begin with [Objects], which reads the objects, and [Places], which returns the fields of a
// kind.
package probe
