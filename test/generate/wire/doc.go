// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package wire holds the CBOR that is read to apimachinery's, and the KYAML of the command
// to kubectl's. It has tests only.
package wire
