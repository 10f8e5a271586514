// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package stored reads and writes the stored form of field sets, which is fieldsV1 decoded
// from JSON. A [Set] can do most operations of a request without decoding the set. It reports
// whether the set has any of the changed paths, and whether it must be converted to the
// current schema. It also removes paths.
package stored
