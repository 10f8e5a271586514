// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// findLostMatch must find a text that only the old pattern matches, if there is one.
func TestFindLostMatch(t *testing.T) {
	for _, c := range []struct {
		old, now, text string
		found, known   bool
	}{
		{"^a+$", "^a*$", "", false, true},
		{"^a*$", "^a+$", "", true, true},
		{"^[a-z]+$", "^[a-z-]+$", "", false, true},
		{"^[a-z-]+$", "^[a-z]+$", "-", true, true},
		{"a", "a|b", "", false, true},
		{"a|b", "a", "b", true, true},
		{"^a", "a", "", false, true},
		{"a", "^a", "\x00a", true, true},
		{"^(?i)ab$", "^[aA][bB]$", "", false, true},
		{"^(?i)k$", "^[kK]$", "\u212a", true, true},
		{"^.$", "^[^x]$", "x", true, true},
		{"^[a-z]{1,63}$", "^[a-z]{1,62}$", "", true, true},
		{`^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$`, `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, "0.0", true, true},
		{`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`, `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\.?$`, "", false, true},
		{`\ba`, "a", "", false, false},
		{"(?m)^a", "a", "", false, false},
		{"(", "a", "", false, false},
		{`^(\pL{0,300}\pN{0,300}){1,3}x$`, `^(\pL{0,300}\pN{0,300}){1,3}[xy]$`, "", false, false}, // comparing these patterns takes too many steps
	} {
		text, found, known := findLostMatch(c.old, c.now)
		if found != c.found || known != c.known {
			t.Errorf("%s and %s: got %q, %t, %t", c.old, c.now, text, found, known)
		}
		if c.found && c.text != "" && text != c.text {
			t.Errorf("%s and %s: got %q, want %q", c.old, c.now, text, c.text)
		}
	}
}

// A text that findLostMatch returns must match only the old pattern. If findLostMatch
// returns no text, none of the random texts may match only the old pattern.
func TestFindLostMatchAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var pattern func(depth int) string
	pattern = func(depth int) string {
		if depth == 0 {
			return []string{"a", "b", "[ab]", "[^a]", ".", "^", "$", "(?i:a)"}[r.IntN(8)]
		}
		one := pattern(depth - 1)
		switch r.IntN(5) {
		case 0:
			return "(?:" + one + ")*"
		case 1:
			return "(?:" + one + ")?"
		case 2:
			return "(?:" + one + "|" + pattern(depth-1) + ")"
		}
		return one + pattern(depth-1)
	}
	some, none := 0, 0
	for range 3000 {
		a, b := pattern(3), pattern(3)
		old, now := regexp.MustCompile(a), regexp.MustCompile(b)
		text, found, known := findLostMatch(a, b)
		switch {
		case !known:
			t.Fatalf("%s and %s cannot be compared", a, b)
		case found:
			some++
			if !old.MatchString(text) || now.MatchString(text) {
				t.Fatalf("%s and %s: got %q", a, b, text)
			}
		default:
			none++
			for range 50 {
				text := make([]rune, r.IntN(6))
				for i := range text {
					text[i] = []rune("abAc\n")[r.IntN(5)]
				}
				if s := string(text); old.MatchString(s) && !now.MatchString(s) {
					t.Fatalf("%s and %s: %q was not found", a, b, s)
				}
			}
		}
	}
	if some == 0 || none == 0 {
		t.Errorf("too few cases: %d with a text, %d without", some, none)
	}
}
