// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package wire compares our CBOR reader with apimachinery's, our reader of files with kubectl's,
// and the command's KYAML with kubectl's. It contains only tests.
package wire
