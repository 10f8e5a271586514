// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package wire contains only tests. They compare Dovetail's CBOR reader with apimachinery's,
// and its file reader and KYAML output with kubectl's.
package wire
