package suggest

import (
	"slices"
	"strings"
)

// Nearest returns the candidate that name is probably a misspelling of, empty
// if there is none.
func Nearest(name string, candidates []string) string {
	if len(name) > 100 {
		return "" // nobody types that
	}
	best, least := "", min(1+max(1, len(name)/3), len(name))
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if strings.EqualFold(c, name) {
			return c
		}
		if d := distance(strings.ToLower(name), strings.ToLower(c), least); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance returns how many letters must be put in, left out, changed or
// swapped with their neighbour to make b of a, or limit if it is not less.
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
