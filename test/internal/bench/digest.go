// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"maps"
	"regexp"
	"slices"
)

var digest = regexp.MustCompile(`(?m)^.*\bresult (\S+) (\S+)$`)

// Digests reads the lines "result <name> <digest>" in the output of a test, and returns the
// digests by name.
func Digests(text []byte) map[string]string {
	found := map[string]string{}
	for _, m := range digest.FindAllSubmatch(text, -1) {
		found[string(m[1])] = string(m[2])
	}
	return found
}

// Disagree compares two sets of digests. It returns the names whose digests differ, and the names
// that are in only one of the sets.
func Disagree(a, b map[string]string) []string {
	names := map[string]bool{}
	for _, m := range []map[string]string{a, b} {
		for name := range m {
			if a[name] != b[name] {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
