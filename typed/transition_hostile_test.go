// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const hostileMarks = `types:
- name: root
  map:
    fields:
    - {name: any, type: {namedType: any, transition: immutable}}
    - {name: once, type: {namedType: any, transition: setOnce}}
    - {name: text, type: {scalar: string, transition: immutable}}
    - {name: keys, type: {namedType: any, transition: immutableKeys}}
    - {name: self, type: {namedType: self}}
    - {name: list, type: {namedType: list, transition: immutableKeys}}
    - {name: items, type: {namedType: list}}
    - {name: set, type: {namedType: set, transition: immutable}}
    - {name: adds, type: {namedType: set, transition: additionOnly}}
    - {name: gone, type: {namedType: gone, transition: immutable}}
    - {name: rows, type: {list: {elementType: {scalar: untyped, transition: immutable}}}}
- name: any
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: any}}
  map: {elementType: {namedType: any}}
- name: self
  list: {elementRelationship: atomic, elementType: {namedType: self}}
  map: {fields: [{name: self, type: {namedType: self}}, {name: a, type: {scalar: string, transition: immutable}}]}
- name: list
  list: {elementRelationship: associative, keys: [k], elementType: {map: {fields: [{name: k, type: {scalar: untyped}}, {name: v, type: {scalar: untyped, transition: immutable}}]}}}
- name: set
  scalar: untyped
  map: {elementType: {namedType: set}}
  list: {elementRelationship: associative, elementType: {namedType: set}}
`

func marksType(t testing.TB, text string) typed.ParseableType {
	t.Helper()
	p, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		t.Fatal(err)
	}
	return p.Type("root")
}

// update calls CheckTransition for an update of a single field.
func update(pt typed.ParseableType, field string, old, next any, o typed.TransitionOptions) error {
	of := func(v any) *typed.TypedValue {
		return typed.AsTypedUnvalidated(value.NewValueInterface(map[string]any{field: v}), pt.Schema, pt.TypeRef)
	}
	return of(old).CheckTransition(of(next), o)
}

// TestCheckTransitionOfWrongKinds checks that a value of the wrong kind, or a value that is
// not data, does not cause a panic. The value may or may not count as a change.
func TestCheckTransitionOfWrongKinds(t *testing.T) {
	pt := marksType(t, hostileMarks)
	odd := []any{
		nil, "s", "", int64(1), 1.0, true, uint64(1), uint(math.MaxUint), float32(1), int8(1), math.NaN(), math.Inf(1), math.Copysign(0, -1),
		[]any{}, []any(nil), map[string]any{}, map[string]any(nil), map[any]any{}, []string{"a"}, map[string]string{"a": "b"}, struct{}{}, func() {}, make(chan int),
		[]any{nil, "a", []any{}, map[string]any{}, func() {}, math.NaN()},
		[]any{map[string]any{"k": nil}, map[string]any{"k": []any{}}, map[string]any{"k": func() {}, "v": 1}, map[any]any{"k": "x", 1: 2}},
		map[string]any{"a": "x", "b": nil, "self": []any{map[string]any{"self": "no"}}}, map[any]any{"a": map[any]any{1: 2, "x": 3}, true: nil},
	}
	for _, field := range []string{"any", "once", "text", "keys", "self", "list", "items", "set", "adds", "gone", "rows", "odd"} {
		for i, a := range odd {
			for j, b := range odd {
				err := update(pt, field, a, b, typed.TransitionOptions{})
				var all typed.TransitionErrors
				if err != nil && (!errors.As(err, &all) || err.Error() == "") {
					t.Errorf("%s: %v to %v: %v", field, a, b, err)
				}
				if _, never := a.(func()); field == "gone" && !never && (err == nil) != (i == j || alike(a, b)) {
					t.Errorf("%v to %v: %v", a, b, err)
				}
			}
		}
	}
}

// alike reports whether two odd values are equal when they are stored.
func alike(a, b any) bool {
	ones := func(v any) bool {
		return slices.ContainsFunc([]any{int64(1), 1.0, float32(1), int8(1)}, func(o any) bool { return o == v })
	}
	empty := func(v any) string {
		switch x := v.(type) {
		case []any:
			if len(x) == 0 {
				return "list"
			}
		case map[string]any:
			if len(x) == 0 {
				return "map"
			}
		case map[any]any:
			if len(x) == 0 {
				return "map"
			}
		}
		return ""
	}
	switch a.(type) {
	case int64, float64, float32, int8:
		return ones(a) && ones(b)
	}
	return empty(a) != "" && empty(a) == empty(b)
}

// TestCheckTransitionIsStrict checks that values count as unchanged if and only if their
// stored JSON is equal.
func TestCheckTransitionIsStrict(t *testing.T) {
	pt := marksType(t, hostileMarks)
	for _, c := range []struct {
		field     string
		old, next any
		changed   bool
	}{
		{"any", int64(1<<53 + 1), float64(1 << 53), true},
		{"any", int64(1 << 53), float64(1 << 53), false},
		{"any", int64(math.MaxInt64), float64(math.MaxInt64), true},
		{"any", int64(math.MinInt64), float64(math.MinInt64), false},
		{"any", 0.0, math.Copysign(0, -1), false},
		{"any", math.NaN(), math.NaN(), false},
		{"any", math.NaN(), 1.0, true},
		{"any", math.Inf(1), math.Inf(1), false},
		{"any", math.Inf(1), math.Inf(-1), true},
		{"any", "1", int64(1), true},
		{"any", "", nil, true},
		{"any", []any{}, nil, true},
		{"any", []any{}, map[string]any{}, true},
		{"any", map[string]any{"a": nil}, map[string]any{"b": nil}, true},
		{"any", map[string]any{"a": int64(1)}, map[any]any{"a": int64(1)}, false},
		{"any", map[any]any{1: "a"}, map[any]any{1: "b"}, true},
		{"any", map[any]any{1: "a"}, map[string]any{}, true},
		{"any", []any{"a", "a", "b"}, []any{"a", "b", "a"}, true},
		{"set", []any{"a", "a", "b"}, []any{"a", "b", "a"}, false},
		{"set", []any{"a", "a", "b"}, []any{"a", "b", "b"}, true},
		{"set", []any{"a", "a"}, []any{"a"}, true},
		{"set", []any{int64(1), "1"}, []any{"1", 1.0}, false},
		{"set", []any{math.NaN(), int64(1)}, []any{int64(1), math.NaN()}, false},
		{"set", []any{[]any{"a", "b"}, []any{}}, []any{[]any{}, []any{"b", "a"}}, false},
		{"set", []any{map[string]any{"x": []any{"a", "b"}}, nil}, []any{nil, map[string]any{"x": []any{"b", "a"}}}, false},
		{"set", []any{int64(1<<53 + 1), "x"}, []any{"x", float64(1 << 53)}, true},
		{"adds", []any{"a", "a"}, []any{"a"}, false},
		{"adds", []any{"a"}, []any{"b", "a", "a"}, false},
		{"adds", []any{[]any{"a", "b"}}, []any{[]any{"b", "a"}, nil}, false},
		{"list", []any{map[string]any{"k": "a"}, map[string]any{"k": "a"}}, []any{map[string]any{"k": "a"}}, false},
		{"list", []any{map[string]any{"k": "a", "v": "1"}, map[string]any{"k": "a", "v": "2"}}, []any{map[string]any{"k": "a", "v": "2"}}, true},
		{"list", []any{map[string]any{}, nil, "x"}, []any{}, false}, // none of these items has an identity
		{"once", nil, "a", false},
		{"once", []any{}, nil, true},
		{"keys", "a", map[string]any{"a": nil}, true},
	} {
		if err := update(pt, c.field, c.old, c.next, typed.TransitionOptions{}); (err != nil) != c.changed {
			t.Errorf("%s: %v to %v: %v", c.field, c.old, c.next, err)
		}
		if c.field == "any" || c.field == "set" { // the result must be the same if old and new are exchanged
			if err := update(pt, c.field, c.next, c.old, typed.TransitionOptions{}); (err != nil) != c.changed {
				t.Errorf("%s: %v to %v: %v", c.field, c.next, c.old, err)
			}
		}
	}
}

// TestCheckTransitionAfterCompare compares the values before the check, as an update does.
// The comparison may make the check faster, but must not change its result. Two values
// that Compare treats as equal can differ in their stored form.
func TestCheckTransitionAfterCompare(t *testing.T) {
	const text = `declarativeDefaults: true
types:
- name: root
  map:
    fields:
    - {name: free, type: {scalar: untyped}}
    - name: spec
      type:
        transition: immutable
        map:
          fields:
          - {name: text, type: {scalar: string}, default: d}
          - {name: number, type: {scalar: numeric}}
          - {name: numbers, type: {list: {elementRelationship: atomic, elementType: {scalar: numeric}}}}
          - {name: set, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
          - {name: items, type: {list: {elementRelationship: associative, keys: [k], elementType: {map: {fields: [{name: k, type: {scalar: string}, default: d}, {name: v, type: {scalar: string}}]}}}}}
          - {name: open, type: {map: {elementType: {scalar: string}}}}
          - {name: atomic, type: {map: {elementRelationship: atomic, fields: [{name: text, type: {scalar: string}, default: d}]}}}
`
	for _, gate := range []bool{true, false} {
		pt := marksType(t, strings.Replace(text, "true", fmt.Sprint(gate), 1))
		item := func(k any, v ...any) any {
			m := map[string]any{"k": k}
			if len(v) > 0 {
				m["v"] = v[0]
			}
			return m
		}
		for name, c := range map[string]struct {
			old, next map[string]any
			changed   bool
		}{
			"nothing":          {map[string]any{"text": "a", "number": int64(1)}, map[string]any{"number": int64(1), "text": "a"}, false},
			"a float":          {map[string]any{"number": int64(1)}, map[string]any{"number": 1.0}, false},
			"nearly":           {map[string]any{"number": int64(1<<53 + 1)}, map[string]any{"number": float64(1 << 53)}, true},
			"nearly, listed":   {map[string]any{"numbers": []any{int64(1<<53 + 1)}}, map[string]any{"numbers": []any{float64(1 << 53)}}, true},
			"null to nothing":  {map[string]any{"text": nil}, map[string]any{}, true},
			"nothing to null":  {map[string]any{}, map[string]any{"text": nil}, true},
			"null to default":  {map[string]any{"text": nil}, map[string]any{"text": "d"}, true},
			"default":          {map[string]any{"text": "d"}, map[string]any{}, true},
			"nulls":            {map[string]any{"text": nil}, map[string]any{"text": nil}, false},
			"order of items":   {map[string]any{"items": []any{item("a"), item("b")}}, map[string]any{"items": []any{item("b"), item("a")}}, true},
			"order of a set":   {map[string]any{"set": []any{"a", "b"}}, map[string]any{"set": []any{"b", "a"}}, false},
			"items twice":      {map[string]any{"items": []any{item("a", "1"), item("b"), item("a", "1")}}, map[string]any{"items": []any{item("a", "1"), item("a", "1"), item("b")}}, true},
			"default of keys":  {map[string]any{"items": []any{item("d")}}, map[string]any{"items": []any{map[string]any{}}}, true},
			"odd keys":         {map[string]any{"open": map[any]any{"a": "x", 1: "y"}}, map[string]any{"open": map[any]any{"a": "x", 1: "z"}}, true},
			"within an atomic": {map[string]any{"atomic": map[string]any{"text": "d"}}, map[string]any{"atomic": map[string]any{}}, true},
			"empty":            {map[string]any{"set": []any{}}, map[string]any{}, true},
		} {
			for _, valid := range []bool{true, false} {
				of := func(spec map[string]any, free string) *typed.TypedValue {
					return typed.AsTypedUnvalidated(value.NewValueInterface(map[string]any{"spec": spec, "free": free}), pt.Schema, pt.TypeRef)
				}
				old, next := of(c.old, "x"), of(c.next, "y")
				compare(old, next, valid)
				if err := old.CheckTransition(next, typed.TransitionOptions{}); (err != nil) != c.changed {
					t.Errorf("%s, gate %v, valid %v: %v", name, gate, valid, err)
				}
				// An earlier comparison with a third value must have no effect.
				if err := of(map[string]any{"text": "other"}, "x").CheckTransition(next, typed.TransitionOptions{}); err == nil {
					t.Errorf("%s, gate %v, valid %v: the check took one value for another", name, gate, valid)
				}
			}
		}
	}
}

// nested returns a value of the given depth with the given innermost value.
func nested(depth int, inner any) any {
	v := inner
	for i := range depth {
		if i%2 == 0 {
			v = []any{v}
		} else {
			v = map[string]any{"self": v}
		}
	}
	return v
}

func TestCheckTransitionOfDeepData(t *testing.T) {
	pt := marksType(t, hostileMarks)
	for _, field := range []string{"any", "self", "set"} {
		a, b := map[string]any{"a": "x"}, map[string]any{"a": "y"}
		if err := update(pt, field, nested(9000, a), nested(9000, deepCopy(a)), typed.TransitionOptions{}); err != nil {
			t.Errorf("%s: %v", field, err)
		}
		var found typed.TransitionErrors
		if err := update(pt, field, nested(9000, a), nested(9000, b), typed.TransitionOptions{}); !errors.As(err, &found) || len(found) != 1 || len(found[0].Error()) > 100_000 {
			t.Errorf("%s: no finding for deep data", field)
		}
		for _, inner := range []any{a, b} {
			var invalid typed.ValidationErrors
			if err := update(pt, field, nested(50_000, a), nested(50_000, inner), typed.TransitionOptions{}); !errors.As(err, &invalid) || !strings.Contains(err.Error(), "levels deep") {
				t.Errorf("%s: too deep: %v", field, err)
			}
		}
	}
}

// TestCheckTransitionIsLinear checks that the time is linear in the size, even for hostile
// input. Quadratic code would need minutes.
func TestCheckTransitionIsLinear(t *testing.T) {
	pt := marksType(t, hostileMarks)
	const n = 30_000
	prefix := strings.Repeat("k", 200)
	build := func(item func(i int) any) (up, down []any) {
		for i := range n {
			up = append(up, item(i))
			down = append(down, item(n-1-i))
		}
		return up, down
	}
	keyed := func(i int) any { return map[string]any{"k": fmt.Sprint(prefix, i), "v": int64(i)} }
	changed := func(i int) any { return map[string]any{"k": fmt.Sprint(prefix, i), "v": int64(i + 1)} }
	pairs := func(i int) any { return []any{fmt.Sprint(prefix, i), []any{int64(i), prefix}} }
	objects := func(i int) any { return map[string]any{"a": prefix, "b": []any{"x", int64(i)}} }
	whole := func(i int) any { return int64(1<<53) + int64(i) } // half of these integers are equal as floats
	for name, c := range map[string]struct {
		field     string
		old, next func(i int) any
		found     int
	}{
		"keys":             {"list", keyed, keyed, 0},
		"all items differ": {"items", keyed, changed, n},
		"all keys differ":  {"list", keyed, func(i int) any { return keyed(i + n) }, 2 * n},
		"set of lists":     {"set", pairs, pairs, 0},
		"set of objects":   {"set", objects, objects, 0},
		"set of numbers":   {"set", whole, whole, 0},
		"set, all gone":    {"adds", pairs, objects, n},
	} {
		old, _ := build(c.old)
		_, next := build(c.next)
		err := update(pt, c.field, old, next, typed.TransitionOptions{IgnoreItemOrder: true})
		var found typed.TransitionErrors
		errors.As(err, &found)
		if len(found) != c.found {
			t.Errorf("%s: %d findings, want %d", name, len(found), c.found)
		}
	}

	// The input has sets inside sets. Each set has two halves that are nearly equal.
	var tower func(depth int, leaf string, turned bool) any
	tower = func(depth int, leaf string, turned bool) any {
		if depth == 0 {
			return leaf
		}
		a, b := tower(depth-1, leaf+"a", turned), tower(depth-1, leaf+"b", turned)
		if turned {
			a, b = b, a
		}
		return []any{a, b}
	}
	if err := update(pt, "set", tower(13, "", false), tower(13, "", true), typed.TransitionOptions{}); err != nil {
		t.Error(err)
	}
}

// FuzzCheckTransition reads schemas and objects from hostile text. CheckTransition must
// return the same errors as the slow reference. For an object and a copy of the object,
// it must return no errors.
func FuzzCheckTransition(f *testing.F) {
	f.Add(hostileMarks, "{any: [1], set: [a, b], list: [{k: 1, v: 2}]}", "{any: [1.0], set: [b, a], list: [{k: 2}, {k: 1, v: 3}]}", false)
	f.Add(strings.Replace(marked, "name: app", "name: root", 1), "{class: a, ports: [{port: 1}], rows: [[1]]}", "{ports: [{port: 1, protocol: UDP}], rows: [[2]]}", true)
	f.Add("types: [{name: root, transition: immutable, scalar: string}]", "a", "b", false)
	f.Add("types: [{name: root, map: {elementType: {namedType: root, transition: setOnce}}}]", "{a: {b: null}}", "{a: {b: {}}}", false)
	f.Fuzz(func(t *testing.T, text, old, next string, anyOrder bool) {
		if len(text)+len(old)+len(next) > 1<<13 || strings.ContainsAny(text+old+next, "*&") {
			return
		}
		p, err := typed.NewParser(typed.YAMLObject(text))
		if err != nil {
			return
		}
		pt := p.Type("root")
		var a, b any
		if yaml.Unmarshal([]byte(old), &a) != nil || yaml.Unmarshal([]byte(next), &b) != nil {
			return
		}
		a, b = stringKeys(a), stringKeys(b)
		of := func(v any) *typed.TypedValue {
			return typed.AsTypedUnvalidated(value.NewValueInterface(v), pt.Schema, pt.TypeRef)
		}
		if err := of(a).CheckTransition(of(deepCopy(a)), typed.TransitionOptions{}); err != nil {
			t.Errorf("a copy: %v", err)
		}
		var o typed.TransitionOptions
		if anyOrder {
			o.IgnoreItemOrder = true
		}
		got := texts(breaches(t, of(a).CheckTransition(of(b), o)))
		slow := reference{schema: pt.Schema, anyOrder: anyOrder}
		if _, known := pt.Schema.FindNamedType("root"); known && a != nil && b != nil {
			slow.place(pt.TypeRef, spot{}, a, b, true, true)
		}
		if want := texts(slow.found); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// stringKeys returns v with maps as JSON decoders return them, map[string]any.
func stringKeys(v any) any {
	switch x := v.(type) {
	case map[any]any:
		out := map[string]any{}
		for k, c := range x {
			out[fmt.Sprint(k)] = stringKeys(c)
		}
		return out
	case []any:
		for i, c := range x {
			x[i] = stringKeys(c)
		}
	case int:
		return int64(x)
	case uint64:
		return float64(x)
	case string, bool, nil, float64, int64:
	default:
		return fmt.Sprint(x)
	}
	return v
}
