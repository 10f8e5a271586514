// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownedset

// What is not for others, but for tests that make sets with package engine.
var (
	UnkeyedAmong = unkeyedAmong
	ItemsNamed   = itemsNamed
)
