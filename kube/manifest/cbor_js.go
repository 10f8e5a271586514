// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

// decodeCBOR returns an error. Programs in JavaScript pass files as text, and text cannot be CBOR.
// Therefore these programs do not include the CBOR library.
func (d *document) decodeCBOR() ([]root, Errors) {
	return nil, Errors{{File: d.file, Message: "CBOR cannot be read in JavaScript; convert the file to YAML or JSON"}}
}
