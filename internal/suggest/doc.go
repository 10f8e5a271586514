// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package suggest finds out what may have been meant by a name that is not there: one
// that is spelled alike, or a field at another level of a type.
package suggest
