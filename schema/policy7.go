// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build go1.27

package schema

// Version7 is v7, which reads and writes JSON and FieldsV1 with encoding/json/v2. The writer
// escapes only characters that must be escaped, replaces invalid UTF-8 with U+FFFD, and writes
// exponents without leading zeros. Error messages are those of encoding/json/v2. If decoding
// fails, a field set keeps its previous content. Version7 needs Go 1.27.
const Version7 Version = 2
