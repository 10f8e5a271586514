// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package stored reads and writes the stored form of field sets: fieldsV1, decoded from JSON.
// A [Set] answers most questions of a request without building the set: whether it is disjoint
// from a change, whether it needs reconciliation, and what remains of it after a change.
package stored
