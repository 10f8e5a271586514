// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build go1.27

package schema

// Version7 makes JSON and FieldsV1 what v7 reads and writes, which is what
// encoding/json/v2 does: nothing is escaped that need not be, bytes that are no UTF-8
// become U+FFFD, exponents have no leading zero, errors are worded by it, and a field
// set stays as it was if it cannot be decoded. It needs Go 1.27.
const Version7 Version = 2
