// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import "testing"

// TestOfRelease checks which releases a line applies to.
func TestOfRelease(t *testing.T) {
	for _, c := range []struct{ line, rest, of string }{
		{"v1 Pod .spec", "v1 Pod .spec", " 1.35 1.36 1.37"},
		{"v1 Pod .spec since 1.36", "v1 Pod .spec", " 1.36 1.37"},
		{"v1 Pod .spec until 1.36", "v1 Pod .spec", " 1.35 1.36"},
		{"v1 Pod .spec since 1.36 until 1.36", "v1 Pod .spec", " 1.36"},
		{"until 1.35", "", " 1.35"},
	} {
		of := ""
		for _, minor := range []string{"1.35", "1.36", "1.37"} {
			rest, holds := OfRelease(c.line, minor)
			if rest != c.rest {
				t.Errorf("%q: the line without the release is %q", c.line, rest)
			}
			if holds {
				of += " " + minor
			}
		}
		if of != c.of {
			t.Errorf("%q applies to%s, want%s", c.line, of, c.of)
		}
	}
}
