// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownedset

// These functions are exported for tests that build sets with package engine.
var (
	HasUnkeyedItemsSlow = hasUnkeyedItems
	CountNamedItems     = countNamedItems
)
