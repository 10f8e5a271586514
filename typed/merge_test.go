// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/typed"
)

const mergeSchema = `types:
- name: object
  map:
    fields:
    - {name: text, type: {scalar: string}}
    - {name: number, type: {scalar: numeric}}
    - {name: map, type: {map: {elementType: {namedType: object}}}}
    - {name: atomic, type: {map: {elementRelationship: atomic, elementType: {namedType: object}}}}
    - {name: items, type: {list: {elementRelationship: associative, keys: [text], elementType: {namedType: object}}}}
    - {name: set, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
    - {name: list, type: {list: {elementRelationship: atomic, elementType: {namedType: object}}}}
`

// TestMergeOfUnvalidated checks that Merge validates the parts that exist in only one
// operand, unless that operand is already validated. If only one operand has an invalid
// scalar at a path, and the other operand has a valid scalar there, this is no error.
func TestMergeOfUnvalidated(t *testing.T) {
	p, err := typed.NewParser(mergeSchema)
	if err != nil {
		t.Fatal(err)
	}
	of := p.Type("object")
	type m = map[string]any
	type l = []any
	for name, c := range map[string]struct {
		left, right any
		want        []string // parts of the error; none if the merge must succeed
	}{
		"nothing wrong":                 {m{"text": "a"}, m{"text": "b"}, nil},
		"scalar, left":                  {m{"text": int64(1)}, m{"text": "b"}, nil},
		"scalar, right":                 {m{"text": "a"}, m{"text": int64(1)}, nil},
		"scalar, both":                  {m{"text": int64(1)}, m{"text": true}, []string{"lhs: ", "rhs: "}},
		"scalar, left alone":            {m{"text": int64(1)}, m{"number": int64(1)}, nil},
		"scalar, right alone":           {m{"number": int64(1)}, m{"text": int64(1)}, nil},
		"map, left alone":               {m{"map": m{"a": m{"none": "x"}}}, m{"text": "a"}, []string{".map.a.none"}},
		"map, right alone":              {m{"text": "a"}, m{"map": m{"a": m{"none": "x"}}}, []string{".map.a.none"}},
		"entry, left alone":             {m{"map": m{"a": m{"none": "x"}}}, m{"map": m{"b": m{}}}, []string{".map.a.none"}},
		"entry, right alone":            {m{"map": m{"b": m{}}}, m{"map": m{"a": m{"none": "x"}}}, []string{".map.a.none"}},
		"item, left alone":              {m{"items": l{m{"text": "a", "none": "x"}}}, m{"items": l{m{"text": "b"}}}, []string{`.items[text="a"].none`}},
		"item, right alone":             {m{"items": l{m{"text": "b"}}}, m{"items": l{m{"text": "a", "none": "x"}}}, []string{`.items[text="a"].none`}},
		"item without its key":          {m{"items": l{m{"number": int64(1)}}}, m{"items": l{m{"text": "b"}}}, []string{".items"}},
		"list of maps for a set, right": {m{"set": l{"a"}}, m{"set": l{m{}}}, []string{".set"}},
		"in an atomic map":              {m{"atomic": m{"a": m{"text": int64(1)}}}, m{"atomic": m{"a": m{"text": "a"}}}, nil},
		"undeclared, left":              {m{"none": int64(1)}, m{"text": "a"}, []string{".none"}},
		"undeclared, right":             {m{"text": "a"}, m{"none": int64(1)}, []string{".none"}},
		"two places":                    {m{"map": m{"a": m{"none": "x"}, "b": m{"none": "x"}}}, m{"text": "a"}, []string{".map.a.none", ".map.b.none"}},
	} {
		left := typed.AsTypedUnvalidated(parseValue(c.left), of.Schema, of.TypeRef)
		right := typed.AsTypedUnvalidated(parseValue(c.right), of.Schema, of.TypeRef)
		_, err := left.Merge(right)
		if (err != nil) != (c.want != nil) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		_, compared := left.Compare(right)
		if (compared != nil) != (c.want != nil) {
			t.Errorf("%s, compared: got %v, want %q", name, compared, c.want)
		}
		for _, w := range c.want {
			if compared != nil && !strings.Contains(compared.Error(), w) {
				t.Errorf("%s, compared: got %v, want %q", name, compared, c.want)
			}
			if err != nil && !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got %v, want %q", name, err, c.want)
			}
		}
	}
}

// TestMergeIsACopy checks that callers may modify maps and lists of a merge result. Only
// atomic maps and lists are shared with the operands, as in structured-merge-diff.
func TestMergeIsACopy(t *testing.T) {
	type m = map[string]any
	type l = []any
	part := func(text string) m {
		return m{"text": text, "number": int64(1), "map": m{"a": m{"text": "x"}, text: m{"list": l{m{"text": "y"}}}},
			"atomic": m{"a": m{"text": "x"}}, "set": l{"x", text}, "list": l{m{"text": text}}}
	}
	object := func(text string) m {
		o := part(text)
		o["items"] = l{part("a"), part(text), m{"text": "only " + text, "map": m{"b": m{"set": l{text}}}}}
		o["map"].(m)["only "+text] = part(text)
		return o
	}
	empty := func() m { return m{"map": m{"z": m{}}} }
	for _, header := range []string{"", "declarativeDefaults: true\n"} {
		p, err := typed.NewParser(typed.YAMLObject(header + mergeSchema))
		if err != nil {
			t.Fatal(err)
		}
		of := p.Type("object")
		for _, unvalidated := range []bool{false, true} {
			for _, pair := range [][2]any{{object("l"), object("r")}, {object("l"), m{}}, {m{}, object("r")}, {object("l"), empty()}, {empty(), object("r")}, {empty(), empty()}, {m{}, m{}}} {
				var tv [2]*typed.TypedValue
				var before [2]any
				for i := range tv {
					before[i] = clone(pair[i])
					if unvalidated {
						tv[i] = typed.AsTypedUnvalidated(parseValue(pair[i]), of.Schema, of.TypeRef)
					} else if tv[i], err = of.FromUnstructured(pair[i]); err != nil {
						t.Fatal(err)
					}
				}
				out, err := tv[0].Merge(tv[1])
				if err != nil {
					t.Fatal(err)
				}
				spoil(out.AsValue().Unstructured())
				for i, side := range []string{"left", "right"} {
					if !reflect.DeepEqual(pair[i], before[i]) {
						t.Errorf("%sunvalidated %v: modifying the result changed the %s:\n%v\nwas\n%v", header, unvalidated, side, pair[i], before[i])
					}
				}
			}
		}
	}
}

// TestMergeWithoutValue merges with an operand that has no value at all, not even null. The
// result must be the other operand.
func TestMergeWithoutValue(t *testing.T) {
	p, err := typed.NewParser(mergeSchema + `- name: text
  scalar: string
- name: list
  list: {elementRelationship: atomic, elementType: {scalar: string}}
- name: set
  list: {elementRelationship: associative, elementType: {scalar: string}}
- name: map
  map: {elementRelationship: atomic, elementType: {scalar: string}}
`)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{
		"text": "a", "list": []any{"a"}, "set": []any{"a"}, "map": map[string]any{"a": "b"}, "object": map[string]any{"text": "a"},
	} {
		of := p.Type(name)
		nothing := typed.AsTypedUnvalidated(nil, of.Schema, of.TypeRef)
		something := typed.AsTypedUnvalidated(parseValue(v), of.Schema, of.TypeRef)
		for _, pair := range [][2]*typed.TypedValue{{nothing, something}, {something, nothing}} {
			out, err := pair[0].Merge(pair[1])
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if got := out.AsValue().Unstructured(); !reflect.DeepEqual(got, v) {
				t.Errorf("%s: got %v", name, got)
			}
		}
		if out, err := nothing.Merge(nothing); err == nil || err.Error() != "at least one of lhs and rhs must be provided" {
			t.Errorf("%s: got %v, %v", name, out, err)
		}
	}
}

type object struct {
	Text  string   `json:"text,omitempty"`
	Set   []string `json:"set"`
	Items []object `json:"items,omitempty"`
}

// TestFactsOfMerges checks the cached facts about a merge result. A fact that is known about
// both operands must be known about the result, and must be true. Comparing the result must
// give the same differences as comparing an equal value without cached facts.
func TestFactsOfMerges(t *testing.T) {
	p, err := typed.NewParser(mergeSchema)
	if err != nil {
		t.Fatal(err)
	}
	of := p.Type("object")
	type m = map[string]any
	type l = []any
	value := func(v any, validated bool) *typed.TypedValue {
		in := parseValue(v)
		if o, ok := v.(*object); ok {
			in = newReflect(t, o)
		}
		tv := typed.AsTypedUnvalidated(in, of.Schema, of.TypeRef)
		if validated {
			if err := tv.Validate(typed.AllowDuplicates); err != nil {
				t.Fatal(err)
			}
		}
		return tv
	}
	valid := func(v any) bool { return value(v, false).Validate(typed.AllowDuplicates) == nil }
	facts := map[string]engine.Facts{"valid": engine.Valid, "unique": engine.Unique, "full": engine.NoEmptyLists, "string keyed": engine.StringKeyed}
	known := 0
	check := func(left, right any, leftValid, rightValid, overlay bool) {
		a, b := value(left, leftValid), value(right, rightValid)
		merge := func() *typed.TypedValue {
			var out *typed.TypedValue
			var err error
			if overlay {
				out, _, err = overlaid((*typed.TypedValue)(operandOf(a).ForOneUse()), b)
			} else {
				out, err = a.Merge(b)
			}
			if err != nil {
				t.Fatalf("%v and %v: %v", left, right, err)
			}
			return out
		}
		out := merge()
		tree := out.AsValue().Unstructured()
		fresh := value(clone(tree), false)
		what := fmt.Sprintf("%v (validated %v) and %v (validated %v), overlay %v", left, leftValid, right, rightValid, overlay)
		got, err := out.Compare(merge())
		want, wrong := fresh.Compare(copyOf(fresh))
		if fmt.Sprint(got, err) != fmt.Sprint(want, wrong) {
			t.Errorf("%s: got %v, %v, want %v, %v", what, got, err, want, wrong)
		}
		_ = fresh.Validate(typed.AllowDuplicates)
		for name, f := range facts {
			if operandOf(out).Knows(f) && !operandOf(fresh).Knows(f) && !(f == engine.StringKeyed && data.HasStringKeys(tree)) {
				t.Errorf("%s: reported as %s", what, name)
			}
			if operandOf(a).Knows(f) && operandOf(b).Knows(f) {
				if known++; !operandOf(out).Knows(f) {
					t.Errorf("%s: not reported as %s", what, name)
				}
			}
		}
	}
	for _, left := range []any{
		m{"text": "a", "set": l{"x"}},
		m{"text": "a", "set": l{"x", "x"}},
		m{"text": "a", "set": l{}},
		m{"text": "a", "map": map[any]any{"k": m{}}},
		m{"text": 1, "set": l{"x"}},
		&object{Text: "a", Set: []string{"x"}},
		&object{Text: "a", Set: []string{"x", "x"}},
		&object{Text: "a", Set: []string{}},
		&object{Text: "a", Items: []object{{Text: "x"}, {Text: "x"}}},
	} {
		for _, right := range []any{
			m{"text": "b"},
			m{"text": "b", "set": l{}},
			m{"text": "b", "map": map[any]any{"l": m{}}},
			m{"text": "b", "number": "b"},
			m{"text": "b", "items": l{m{"text": "y", "number": "b"}}},
		} {
			for _, leftValid := range []bool{true, false} {
				for _, rightValid := range []bool{true, false} {
					if leftValid && !valid(left) || rightValid && !valid(right) {
						continue
					}
					check(left, right, leftValid, rightValid, false)
					check(left, right, leftValid, rightValid, true)
				}
			}
		}
	}
	if known < 100 {
		t.Errorf("%d facts are too few to test anything", known)
	}
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, c := range v {
			out[k] = clone(c)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, c := range v {
			out[i] = clone(c)
		}
		return out
	}
	return v
}

// spoil modifies every map and list of v, except atomic maps and lists and everything
// in them.
func spoil(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, c := range v {
			if name != "atomic" && name != "list" {
				spoil(c)
			}
		}
		v["spoilt"] = true
	case []any:
		for i, c := range v {
			spoil(c)
			v[i] = "spoilt"
		}
	}
}

// TestMergeOverDuplicates checks that an applied item replaces all live items with the same
// name.
func TestMergeOverDuplicates(t *testing.T) {
	p, err := typed.NewParser(boxSchema)
	if err != nil {
		t.Fatal(err)
	}
	typ := p.Type("box")
	for _, text := range []string{`{items: [{name: a, tag: x}, {name: b}, {name: a, tag: w}]}`, `{items: [{name: a}, {name: a}, {name: b}]}`} {
		live, config := parsed(t, typ, text), parsed(t, typ, `{items: [{name: a, tag: z}]}`)
		got, err := live.Merge(config)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, it := range got.AsValue().Unstructured().(map[string]any)["items"].([]any) {
			if it.(map[string]any)["name"] == "a" {
				count++
			}
		}
		if count != 1 {
			t.Errorf("%s: got %v", text, got.AsValue().Unstructured())
		}
	}
}
