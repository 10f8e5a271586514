// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build go1.27

package schema

// Version7 is v7, which reads and writes JSON and FieldsV1 with encoding/json/v2. Only
// necessary escapes are written, invalid UTF-8 becomes U+FFFD, and exponents have no leading
// zero. Error messages are those of encoding/json/v2, and a field set is unchanged if it
// cannot be decoded. Version7 needs Go 1.27.
const Version7 Version = 2
