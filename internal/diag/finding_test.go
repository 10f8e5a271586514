// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWithoutItems(t *testing.T) {
	for path, want := range map[string]string{
		"":                                    "",
		".spec.a":                             ".spec.a",
		`.spec.ports[port=80].name`:           ".spec.ports.name",
		`.a[k="x]\"[.b"].c[0][1].d`:           ".a.c.d",
		`.a[=[1,"]"]].b`:                      ".a.b",
		`.a"b[k=1].c"`:                        `.a"b.c"`,
		`.a]b[k=1].c`:                         ".a]b.c",
		`.a[k="unended`:                       ".a",
		`.a[={"x":["\\\"]"]}].b[k=1,l="2"].c`: ".a.b.c",
	} {
		if got := WithoutItems(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// TestPrefixOfDeepData checks that the path of an error about deep data is short, and that its
// parts are whole runes. Paths of other errors stay complete.
func TestPrefixOfDeepData(t *testing.T) {
	var deep Findings
	for _, name := range []string{".a", ".äöü", ".日本語", ".😀", ".a😀", ".ab😀", ".abc😀", "[123]"} {
		deep = Newf(TooDeep, "deep")
		for range 10_000 {
			deep = deep.Prefix(name)
		}
		if got := deep[0].Path; len(got) > 250 || !utf8.ValidString(got) || !strings.HasPrefix(got, name+name) || !strings.HasSuffix(got, name+name) || strings.Count(got, "…") != 1 {
			t.Errorf("got %d bytes: %.300s", len(got), got)
		}
	}
	if n := len(Newf(WrongType, "wrong").Prefix(strings.Repeat(".a", 10_000))[0].Path); n != 20_000 {
		t.Errorf("another error: got a path of %d bytes", n)
	}
	long := strings.Repeat("x", 1000)
	if got := deep.Prefix("." + long)[0].Path; len(got) > 250 || !strings.HasPrefix(got, ".xxx") || strings.Count(got, "…") != 1 {
		t.Errorf("with a long name: got %d bytes: %.300s", len(got), got)
	}
	if got := Newf(TooDeep, "deep").Prefix(".b").Prefix(".a")[0].Path; got != ".a.b" {
		t.Errorf("a short path: got %s", got)
	}
}
