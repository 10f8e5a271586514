// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"math"
	"testing"

	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestOneLineYAML checks that a value in a message has only one line, and that YAML reads it as
// the same value.
func TestOneLineYAML(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{"web", "web"}, {"80", `"80"`}, {"a\nb\n", `"a\nb\n"`}, {int64(1), "1"}, {[]any{"a"}, `["a"]`}, {nil, "null"},
		{"a=1b=2", "a=1b=2"}, {map[string]any{"b": "x", "a": int64(1)}, `{"a":1,"b":"x"}`}, {map[string]any{}, "{}"},
		{"a: 1\nb: \"x\"\n", `"a: 1\nb: \"x\"\n"`}, {"\a\n<\u2028", `"\a\n<\L"`}, {"a\n<b", `"a\n\u003cb"`},
		{[]any{map[string]any{"a": "b\nc"}}, `[{"a":"b\nc"}]`}, {1e6, "1000000"}, {1.5, "1.5"},
	} {
		got := oneLineYAML(value.NewValueInterface(c.v))
		if got != c.want {
			t.Errorf("%q: got %s, want %s", c.v, got, c.want)
		}
		if tv, err := typed.DeducedParseableType.FromYAML(typed.YAMLObject(got)); err != nil || !value.Equals(tv.AsValue(), value.NewValueInterface(c.v)) {
			t.Errorf("%q: YAML reads %s as another value (%v)", c.v, got, err)
		}
	}
	if got := oneLineYAML(value.NewValueInterface(map[string]any{"a": math.NaN()})); got != "a=NaN" {
		t.Errorf("NaN: got %s", got)
	}
}
