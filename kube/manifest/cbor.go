// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import "bytes"

// cborTag is the start of self-described CBOR (tag 55799). Kubernetes writes it before
// each object.
const cborTag = "\xd9\xd9\xf7"

// isCBOR reports whether a file is CBOR.
func isCBOR(data []byte) bool { return bytes.HasPrefix(data, []byte(cborTag)) }
