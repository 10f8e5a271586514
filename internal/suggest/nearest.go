// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suggest

import (
	"slices"
	"strings"
)

// Nearest returns the candidate with the most similar spelling, or "" if no candidate is similar
// enough. It allows one spelling error for every three letters after the common prefix of the
// two names, and at least one error.
func Nearest(name string, candidates []string) string {
	if len(name) > 100 {
		return "" // too long for a mistyped name, and slow to compare
	}
	best, least := "", len(name)
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if strings.EqualFold(c, name) {
			return c
		}
		a, b := withoutCommonPrefix(strings.ToLower(name), strings.ToLower(c))
		limit := min(least, 1+max(1, len(a)/3))
		if d := distance(a, b, limit); d < limit {
			best, least = c, d
		}
	}
	return best
}

// withoutCommonPrefix removes the common prefix of two names, and returns the rest of both.
func withoutCommonPrefix(a, b string) (string, string) {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[n:], b[n:]
}

// Within reports whether a can be turned into b by at most limit edits. An edit inserts,
// removes or changes a letter, or swaps two neighbouring letters.
func Within(a, b string, limit int) bool { return distance(a, b, limit+1) <= limit }

// distance returns the number of edits from a to b (see Within). It returns limit if the
// number is not smaller.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
