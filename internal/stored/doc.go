// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package stored reads and writes what a manager owns in its stored form, fieldsV1 as
// decoded JSON has it. A [Set] answers most of what a request asks of it without being
// read: whether it is disjoint from a change, whether it has to be reconciled, what is
// left of it.
package stored
