// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fields works with paths of objects. [Finder] finds the values of paths.
// [NewOwnership] finds their owners. [DefaultSearch] finds paths with default values. [Changes]
// and [Differences] return the paths at which two states of an object differ.
package fields
