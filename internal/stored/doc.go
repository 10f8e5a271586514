// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package stored reads and writes the stored form of field sets, which is fieldsV1 decoded from
// JSON. A [Set] supports most operations of a request without decoding the set. It can report
// whether the set contains any of the changed paths, and whether the set must be converted to
// the current schema. It can also add and remove paths.
package stored
