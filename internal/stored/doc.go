// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package stored reads and writes the stored form of field sets: fieldsV1, decoded from JSON. A
// [Set] can do most operations of a request without decoding the set. It reports whether the
// set contains changed paths, and whether it needs reconciliation. It also removes paths.
package stored
