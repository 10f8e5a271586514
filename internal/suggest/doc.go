// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package suggest finds corrections for mistakes in objects. A correction is a name with a
// similar spelling, a field at a different level, or a value of the right type.
package suggest
