// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package wire contains only tests. They compare Dovetail's CBOR reader with apimachinery, its
// reader of files with kubectl, and the command's KYAML output with kubectl.
package wire
