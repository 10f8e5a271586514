// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

func TestCopyField(t *testing.T) {
	type m = map[string]any
	path := fieldpath.MakePathOrDie("a", "b")
	for name, c := range map[string]struct {
		object, live, want m
		path               fieldpath.Path
	}{
		"no path":                          {m{"a": 1}, m{"a": 2}, m{"a": 1}, nil},
		"another value":                    {m{"a": 1, "c": 3}, m{"a": 2}, m{"a": 2, "c": 3}, path[:1]},
		"the same value":                   {m{"a": 1}, m{"a": 1}, m{"a": 1}, path[:1]},
		"new":                              {m{"a": 1}, m{}, m{}, path[:1]},
		"gone":                             {m{}, m{"a": 1}, m{"a": 1}, path[:1]},
		"null is a value":                  {m{"a": nil}, m{}, m{}, path[:1]},
		"null in live":                     {m{}, m{"a": nil}, m{"a": nil}, path[:1]},
		"below":                            {m{"a": m{"b": 1, "c": 3}}, m{"a": m{"b": 2}}, m{"a": m{"b": 2, "c": 3}}, path},
		"below, new":                       {m{"a": m{"b": 1, "c": 3}}, m{"a": m{"c": 4}}, m{"a": m{"c": 3}}, path},
		"below, new, nothing in live":      {m{"a": m{"b": 1}}, m{}, m{"a": m{}}, path},
		"below, gone":                      {m{"a": m{}}, m{"a": m{"b": 1}}, m{"a": m{"b": 1}}, path},
		"below, gone with what it was in":  {m{}, m{"a": m{"b": 1, "c": 2}}, m{"a": m{"b": 1}}, path},
		"below null":                       {m{"a": nil}, m{"a": m{"b": 1}}, m{"a": m{"b": 1}}, path},
		"below null, nothing in live":      {m{"a": nil}, m{}, m{"a": nil}, path},
		"below what is no object":          {m{"a": "x"}, m{"a": m{"b": 1}}, m{"a": "x"}, path},
		"below what is no object in live":  {m{"a": m{"b": 1}}, m{"a": "x"}, m{"a": m{}}, path},
		"neither has it":                   {m{"c": 1}, m{"d": 1}, m{"c": 1}, path},
		"neither has it, live no object":   {m{"c": 1}, m{"a": "x"}, m{"c": 1}, path},
		"object lacks it, live an empty a": {m{"c": 1}, m{"a": m{}}, m{"c": 1}, path},
	} {
		got, changed := copyField(c.object, c.live, c.path)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
		if changed == reflect.DeepEqual(c.object, c.want) {
			t.Errorf("%s: changed: %v", name, changed)
		}
	}
}
