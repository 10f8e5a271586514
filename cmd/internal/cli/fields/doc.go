// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fields answers questions about paths of objects: their values ([Finder]), their owners
// ([NewOwnership]), which of them have defaults ([DefaultSearch]), and where two states of an object
// differ ([Changes] and [Differences]).
package fields
