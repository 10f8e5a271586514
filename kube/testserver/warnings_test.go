// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestWarnings adds warnings to a response. The expected number and the total length of the headers
// are those of k8s.io/apiserver v0.37.2 (WithWarningRecorder in pkg/endpoints/filters).
func TestWarnings(t *testing.T) {
	numbered := func(n, length int) (texts []string) {
		for i := range n {
			texts = append(texts, string(rune('a'+i%26))+string(rune('a'+i/26))+strings.Repeat("ü", length-2))
		}
		return texts
	}
	for _, c := range []struct {
		name           string
		texts          []string
		headers, runes int
		last           string
	}{
		{"none", nil, 0, 0, ""},
		{"repeated and empty", []string{"one", "", "two", "one"}, 2, 22, `299 - "two"`},
		{"quotes", []string{`say "no" \ é`}, 1, 23, `299 - "say \"no\" \\ é"`},
		{"control character", []string{"a\nb", "c"}, 1, 9, `299 - "c"`},
		{"limit", numbered(8, 512), 8, 4160, ""},
		{"over the limit", append(numbered(8, 512), "x"), 9, 2121, `299 - "x"`},
		{"many long", numbered(100, 1000), 16, 4224, ""},
		{"many short", numbered(300, 40), 103, 4944, ""},
		{"one long", numbered(1, 5000), 1, 264, ""},
		{"invalid, long", append(numbered(3, 2000), "a\tb", "\xff", "last"), 4, 804, `299 - "last"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for split := range min(3, len(c.texts)+1) {
				w := httptest.NewRecorder()
				addWarnings(w, c.texts[:split]...)
				addWarnings(w, c.texts[split:]...)
				got := w.Header()["Warning"]
				if runes := len([]rune(strings.Join(got, ""))); len(got) != c.headers || runes != c.runes {
					t.Errorf("split at %d: %d headers of %d characters, want %d of %d", split, len(got), runes, c.headers, c.runes)
				} else if c.last != "" && got[len(got)-1] != c.last {
					t.Errorf("split at %d: the last header is %q, want %q", split, got[len(got)-1], c.last)
				}
			}
		})
	}
}
