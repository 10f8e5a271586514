// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import (
	"slices"
	"testing"
)

func TestInShell(t *testing.T) {
	for arg, want := range map[string]string{
		"--yield=.spec.a-b/c": "--yield=.spec.a-b/c", `--yield=.p[k="a b"]`: `'--yield=.p[k="a b"]'`, "it's": `'it'\''s'`, "": "''",
	} {
		if got := InShell(arg); got != want {
			t.Errorf("%s: got %s", arg, got)
		}
	}
}

func TestWrap(t *testing.T) {
	if got := Wrap("a bb  ccc averyverylongword d", 6); !slices.Equal(got, []string{"a bb", "ccc", "averyverylongword", "d"}) {
		t.Errorf("got %q", got)
	}
}
