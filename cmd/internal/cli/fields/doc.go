// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fields works with the paths of objects. [Finder] finds the value at a path.
// [NewOwnership] finds the owners of a path. [DefaultSearch] finds fields that have default
// values. [Changes] and [Differences] return the paths at which two states of an object
// differ.
package fields
