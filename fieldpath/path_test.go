// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"cmp"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/value"
)

func TestMakePath(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []any
		want  string
		err   string
	}{
		{name: "nothing", want: ""},
		{name: "all kinds", parts: []any{"a", 1, k("x", "y"), v("z"), FieldNameElement("b")}, want: `.a[1][x="y"][="z"].b`},
		{name: "empty key", parts: []any{&value.FieldList{}}, err: "must have at least one key (got zero)"},
		{name: "no key", parts: []any{(*value.FieldList)(nil)}, err: "must have at least one key (got zero)"},
		{name: "other type", parts: []any{"a", 1.5}, err: "unable to make 1.5 into a path element"},
		{name: "nil", parts: []any{nil}, err: "unable to make <nil> into a path element"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := MakePath(c.parts...)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("got error %v, want %s", err, c.err)
				}
				return
			}
			if err != nil || got.String() != c.want {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestPathOrder(t *testing.T) {
	ordered := []Path{nil, p("a"), p("a.a"), p("a", 0), p("b"), p(k("a", 1)), p(k("a", 1), "a"), p(0)}
	for i, x := range ordered {
		for j, y := range ordered {
			if got, want := x.Compare(y), cmp.Compare(i, j); got != want || x.Equals(y) != (want == 0) {
				t.Errorf("%v against %v: %d, equal %v", x, y, got, x.Equals(y))
			}
		}
	}
}

func TestPathCopy(t *testing.T) {
	x := p("a.b")
	y := x.Copy()
	y[1] = IndexElement(1)
	if x.String() != ".a.b" {
		t.Errorf("the original is now %s", x)
	}
}
