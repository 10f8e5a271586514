// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

// The members and the children of a set are strictly ascending by their elements.
// What looks for one stands here twice, for both kinds: made generic, with what
// tells the kinds apart at each step, it took a third more instructions for a
// union or an extract of a Pod, and a tenth more for an apply that drops a field.

// searchElements returns where pe is, or where it belongs, in sorted elements.
// Looking at the last one first makes filling a set in order linear.
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

// searchNodes is searchElements over the children of a set.
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

// seekElements is searchElements from position at on. Steps double, so that a small
// set costs little against a large one.
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

// seekNodes is seekElements over the children of a set.
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
