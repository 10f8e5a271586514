// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

// The members and the children of a set are sorted by their elements, strictly ascending. This file
// has each search function twice, once for members and once for children. Generic functions would
// be slower: a union or an extract of a Pod would take a third more instructions, and an apply that
// removes a field would take a tenth more.

// searchElements returns the position of pe in sorted, and whether it was found. If pe was not
// found, the position is the one where pe would be inserted. The search starts with the last
// element, so filling a set in ascending order takes linear time.
func searchElements(sorted []PathElement, pe *PathElement) (at int, found bool) {
	low, high := 0, len(sorted)
	for at = high - 1; low < high; at = int(uint(low+high) >> 1) {
		c := compareElements(&sorted[at], pe)
		if c == 0 {
			return at, true
		}
		if c < 0 {
			low = at + 1
		} else {
			high = at
		}
	}
	return low, false
}

// searchNodes is like searchElements, for the children of a set.
func searchNodes(sorted []SetNode, pe *PathElement) (at int, found bool) {
	low, high := 0, len(sorted)
	for at = high - 1; low < high; at = int(uint(low+high) >> 1) {
		c := compareElements(&sorted[at].PathElement, pe)
		if c == 0 {
			return at, true
		}
		if c < 0 {
			low = at + 1
		} else {
			high = at
		}
	}
	return low, false
}

// seekElements is like searchElements, but searches forward from a given position, in steps that
// double. This makes operations fast if one set is small and the other is large.
func seekElements(sorted []PathElement, at int, pe *PathElement) (int, bool) {
	low, high := at, len(sorted)
	for step := 1; at < high; step *= 2 {
		c := compareElements(&sorted[at], pe)
		if c == 0 {
			return at, true
		}
		if c > 0 {
			high = at
			break
		}
		low = at + 1
		at += step
	}
	at, found := searchElements(sorted[low:high], pe)
	return low + at, found
}

// seekNodes is like seekElements, for the children of a set.
func seekNodes(sorted []SetNode, at int, pe *PathElement) (int, bool) {
	low, high := at, len(sorted)
	for step := 1; at < high; step *= 2 {
		c := compareElements(&sorted[at].PathElement, pe)
		if c == 0 {
			return at, true
		}
		if c > 0 {
			high = at
			break
		}
		low = at + 1
		at += step
	}
	at, found := searchNodes(sorted[low:high], pe)
	return low + at, found
}
