// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"strings"
	"testing"
)

func TestJoin(t *testing.T) {
	got, err := Join([]string{
		"release v1.35.4\nkind v1 A\n.a immutable\n.b immutable\n\nkind v1 Gone\n.x immutable\n",
		"release v1.36.4\nkind v1 A\n.b immutable\n\nkind v1 Came\n.y immutable\n\ntype T\n\ta kept\n",
		"release v1.37.2\nkind v1 A\n.a immutable\n.b setOnce\n\nkind v1 Came\n.y immutable\n\ntype T\n\ta kept filled\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ = strings.Cut(got, "do not edit.\n")
	_, got, _ = strings.Cut(got, "\nrelease ")
	const want = `v1.35.4
release v1.36.4
release v1.37.2

kind v1 A
.b immutable until 1.36
.a immutable until 1.35
.a immutable since 1.37
.b setOnce since 1.37

kind v1 Gone until 1.35
.x immutable

kind v1 Came since 1.36
.y immutable

type T since 1.36
	a kept until 1.36
	a kept filled since 1.37
`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if _, err := Join([]string{"release v1.35.4\nkind v1 A\n", "release v1.36.4\n", "release v1.37.2\nkind v1 A\n"}); err == nil {
		t.Error("a kind that went and came again")
	}
}
