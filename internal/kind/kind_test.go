// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"encoding/json"
	"testing"
)

func TestAllowed(t *testing.T) {
	scalar := func(name string) *string { return &name }
	types := map[string]struct {
		scalar       *string
		list, mapped bool
	}{
		"string":  {scalar: scalar("string")},
		"numeric": {scalar: scalar("numeric")},
		"boolean": {scalar: scalar("boolean")},
		"untyped": {scalar: scalar("untyped")},
		"list":    {list: true},
		"map":     {mapped: true},
		"any":     {scalar: scalar("untyped"), list: true, mapped: true},
		"empty":   {},
	}
	for _, c := range []struct {
		value   any
		kind    Kind
		allowed []string
	}{
		{nil, None, []string{"string", "numeric", "boolean", "untyped", "list", "map", "any"}},
		{"a", String, []string{"string", "untyped", "any"}},
		{true, Boolean, []string{"boolean", "untyped", "any"}},
		{1, Number, []string{"numeric", "untyped", "any"}},
		{uint8(1), Number, []string{"numeric", "untyped", "any"}},
		{1.5, Number, []string{"numeric", "untyped", "any"}},
		{json.Number("1"), Number, []string{"numeric", "untyped", "any"}},
		{[]any{}, List, []string{"list", "any"}},
		{[]byte("a"), None, []string{"string", "numeric", "boolean", "untyped", "list", "map", "any"}},
		{map[string]any{}, Map, []string{"map", "any"}},
		{map[any]any{}, Map, []string{"map", "any"}},
	} {
		if got := Of(c.value); got != c.kind {
			t.Errorf("%T %v: got kind %q, want %q", c.value, c.value, got, c.kind)
		}
		want := map[string]bool{}
		for _, name := range c.allowed {
			want[name] = true
		}
		for name, typ := range types {
			if got := Allowed(c.value, typ.scalar, typ.list, typ.mapped); got != want[name] {
				t.Errorf("%T %v for type %s: got %v, want %v", c.value, c.value, name, got, want[name])
			}
		}
	}
}
