// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diag

import "testing"

func TestPlace(t *testing.T) {
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
		if got := Place(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
