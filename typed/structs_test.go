// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const boxSchema = `types:
- name: box
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: tag, type: {scalar: string}}
    - {name: items, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: box}}}}
    - {name: inner, type: {namedType: box}}
    - {name: notes, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: size, type: {map: {fields: [{name: height, type: {scalar: numeric}}, {name: width, type: {scalar: numeric}}]}}}
`

type box struct {
	Name   string            `json:"name,omitempty"`
	Tag    tag               `json:"tag,omitzero"`
	Items  []box             `json:"items,omitempty"`
	Inner  *box              `json:"inner,omitempty"`
	Notes  []string          `json:"notes,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Size   size              `json:"size,omitzero"`
}

type size struct {
	Height int `json:"height,omitempty"`
	Width  int `json:"width,omitempty"`
}

// tag is a string type. Marshaling fails for one of its values.
type tag string

func (t tag) MarshalJSON() ([]byte, error) {
	if t == "broken" {
		return nil, errors.New("a broken tag")
	}
	return json.Marshal(string(t))
}

func boxType(t *testing.T) typed.ParseableType {
	t.Helper()
	p, err := typed.NewParser(boxSchema)
	if err != nil {
		t.Fatal(err)
	}
	return p.Type("box")
}

func newBox() *box {
	return &box{
		Name:   "a",
		Tag:    "x",
		Items:  []box{{Name: "i", Notes: []string{"n"}}, {Name: "j"}},
		Inner:  &box{Name: "b", Labels: map[string]string{"k": "v"}},
		Notes:  []string{"n"},
		Labels: map[string]string{"k": "v"},
	}
}

// TestResultsOfStructsAreWritable checks that callers may modify the result of an apply, even
// if it was made from a struct.
func TestResultsOfStructsAreWritable(t *testing.T) {
	of := boxType(t)
	live, err := of.FromStructured(newBox())
	if err != nil {
		t.Fatal(err)
	}
	applied := func() map[string]any {
		return map[string]any{
			"name":   "c",
			"items":  []any{map[string]any{"name": "k", "inner": map[string]any{"name": "d"}}},
			"inner":  map[string]any{"labels": map[string]any{"l": "w"}},
			"labels": map[string]any{},
		}
	}
	content := applied()
	config, err := of.FromUnstructured(content)
	if err != nil {
		t.Fatal(err)
	}
	var first any
	for i := range 3 {
		consumed := (*typed.TypedValue)(operandOf(live).ForOneUse())
		out, changed, err := overlaid(consumed, config)
		if err != nil || !changed {
			t.Fatal(changed, err)
		}
		result := operandOf(out).Writable().AsValue().Unstructured()
		if i == 0 {
			if first, err = value.FromJSON([]byte(text(t, result))); err != nil {
				t.Fatal(err)
			}
		} else if text(t, result) != text(t, first.(value.Value).Unstructured()) {
			t.Errorf("the result is then %s", text(t, result))
		}
		scribble(result)
		if got := text(t, content); got != text(t, applied()) {
			t.Errorf("the configuration is now %s", got)
		}
		if got, want := text(t, live.AsValue().Unstructured()), text(t, plainOf(t, newBox())); got != want {
			t.Errorf("the live object is now %s", got)
		}
		if i == 1 {
			operandOf(live).Plain()
		}
	}
}

// TestOverlayOfUnvalidatedOnStructs merges an unvalidated configuration into a struct. The
// merge must validate the parts of the configuration that the struct does not have.
func TestOverlayOfUnvalidatedOnStructs(t *testing.T) {
	of := boxType(t)
	live, err := of.FromStructured(&box{Name: "a", Notes: []string{"n"}})
	if err != nil {
		t.Fatal(err)
	}
	config := typed.AsTypedUnvalidated(parseValue(map[string]any{"name": "b", "inner": map[string]any{"none": "x"}}), of.Schema, of.TypeRef)
	if _, _, err := overlaid((*typed.TypedValue)(operandOf(live).ForOneUse()), config); err == nil || !strings.Contains(err.Error(), ".inner.none") {
		t.Errorf("got %v", err)
	}
}

// scribble modifies every map, and every list of maps, in v.
func scribble(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, c := range v {
			scribble(c)
		}
		if len(v) > 0 {
			v["scribbled"] = true
		}
	case []any:
		for i, c := range v {
			if scribble(c); c != nil && reflect.TypeOf(c).Kind() == reflect.Map {
				v[i] = "scribbled"
			}
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := value.ToJSON(value.NewValueInterface(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func plainOf(t *testing.T, in any) any {
	t.Helper()
	v, err := value.NewValueReflect(in)
	if err != nil {
		t.Fatal(err)
	}
	return v.Unstructured()
}

func TestComparisonsOfStructs(t *testing.T) {
	of := boxType(t)
	for i, change := range []func(*box){
		func(*box) {},
		func(b *box) { b.Name = "z" },
		func(b *box) { b.Name = "" },
		func(b *box) { b.Items[0].Inner = &box{Name: "new"} },
		func(b *box) { b.Items = b.Items[1:] },
		func(b *box) { b.Items[0], b.Items[1] = b.Items[1], b.Items[0] },
		func(b *box) { b.Items = nil },
		func(b *box) { b.Notes = nil },
		func(b *box) { b.Notes = append(b.Notes, "m") },
		func(b *box) { b.Inner = nil },
		func(b *box) { b.Inner = &box{} },
		func(b *box) { b.Inner.Labels = nil },
		func(b *box) { b.Inner.Name = "" },
		func(b *box) { b.Inner.Items = []box{{Name: "i"}} },
		func(b *box) { b.Inner.Items, b.Inner.Labels = []box{{Name: "i"}}, nil },
		func(b *box) { b.Labels = map[string]string{} },
		func(b *box) { b.Tag = "" },
		func(b *box) { b.Size = size{Width: 1} },
		func(b *box) { b.Inner.Size = size{Width: 1} },
		func(b *box) { *b = box{} },
	} {
		a, b := newBox(), newBox()
		change(b)
		for _, pair := range [][2]*box{{a, b}, {b, a}} {
			compare := func(of func(any) (*typed.TypedValue, error), x, y any) string {
				l, err := of(x)
				if err != nil {
					t.Fatal(err)
				}
				r, err := of(y)
				if err != nil {
					t.Fatal(err)
				}
				c, err := l.Compare(r)
				return fmt.Sprint(c, err)
			}
			got := compare(func(in any) (*typed.TypedValue, error) { return of.FromStructured(in) }, pair[0], pair[1])
			want := compare(func(in any) (*typed.TypedValue, error) { return of.FromUnstructured(in) }, plainOf(t, pair[0]), plainOf(t, pair[1]))
			if got != want {
				t.Errorf("change %d: got\n%s\nwant\n%s", i, got, want)
			}
		}
	}
}

// TestComparisonsOfThreeStructs checks that a struct that was found equal to another struct
// is still compared with a third struct.
func TestComparisonsOfThreeStructs(t *testing.T) {
	of := boxType(t)
	noted := func(note string) *typed.TypedValue {
		tv, err := of.FromStructured(&box{Notes: []string{note}})
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	first, second, third := noted("a"), noted("a"), noted("b")
	for range 3 {
		for other, want := range map[*typed.TypedValue]string{second: "", third: ".notes"} {
			c, err := first.Compare(other)
			if err != nil || c.Modified.String() != want {
				t.Errorf("got %v, %v, want %q", c, err, want)
			}
		}
	}
}

// TestComparisonsOfInvalidStructs checks that the errors of unvalidated structs are reported
// even if both structs have the same errors.
func TestComparisonsOfInvalidStructs(t *testing.T) {
	of := boxType(t)
	wrong := func(name int) *typed.TypedValue {
		return typed.AsTypedUnvalidated(newReflect(t, &struct {
			Name int `json:"name"`
		}{name}), of.Schema, of.TypeRef)
	}
	one := wrong(1)
	for name, other := range map[string]*typed.TypedValue{"itself": one, "another like it": wrong(1), "another": wrong(2)} {
		if c, err := one.Compare(other); err == nil {
			t.Errorf("a number for a name, and %s: got %v", name, c)
		}
	}
}

// TestComparisonsOfOtherGoValues checks that Go values that are not structs are compared like
// plain data. The same must be true for structs in maps, which have no address.
func TestComparisonsOfOtherGoValues(t *testing.T) {
	of := boxType(t)
	inMap := func(b box) value.Value {
		v, ok := newReflect(t, &map[string]box{"k": b}).AsMap().Get("k")
		if !ok {
			t.Fatal("no k")
		}
		return v
	}
	for name, pair := range map[string][2]value.Value{
		"map":             {newReflect(t, &map[string]string{"name": "a"}), newReflect(t, &map[string]string{"name": "b"})},
		"map, one absent": {newReflect(t, &map[string]any{"name": "a"}), newReflect(t, &map[string]any{"notes": []any{"x"}})},
		"struct in a map": {inMap(box{Name: "a"}), inMap(box{Name: "b", Notes: []string{"x"}})},
		"struct and map":  {newReflect(t, &box{Name: "a"}), newReflect(t, &map[string]string{"name": "b"})},
		"map and struct":  {newReflect(t, &map[string]string{"name": "b"}), newReflect(t, &box{Name: "a"})},
	} {
		compare := func(a, b value.Value) string {
			x, err := typed.AsTyped(a, of.Schema, of.TypeRef)
			if err != nil {
				t.Fatal(err)
			}
			y, err := typed.AsTyped(b, of.Schema, of.TypeRef)
			if err != nil {
				t.Fatal(err)
			}
			c, err := x.Compare(y)
			return fmt.Sprint(c, err)
		}
		got, want := compare(pair[0], pair[1]), compare(parseValue(pair[0].Unstructured()), parseValue(pair[1].Unstructured()))
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestStructsAreReadLateConcurrently checks that a valid struct is read only when its
// contents are needed, by any goroutine. If its marshaler then returns an error, the
// operation panics.
func TestStructsAreReadLateConcurrently(t *testing.T) {
	of := boxType(t)
	b := newBox()
	tv, err := of.FromStructured(b)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			if set, err := tv.ToFieldSet(); err != nil || set.Empty() {
				t.Error(set, err)
			}
			if out := operandOf(tv).ForOneUse(); out.Schema() != of.Schema {
				t.Error("another schema")
			}
		}()
	}
	all.Wait()

	defer func() {
		if r := recover(); fmt.Sprint(r) != "a broken tag" {
			t.Errorf("panic: %v", r)
		}
	}()
	b.Items[0].Tag = "broken"
	_, err = of.FromStructured(b)
	t.Errorf("got %v and no panic", err)
}

// markedBox returns the type of a box. mark is YAML that is added to the type of the inner
// box, such as a transition rule. mark may be empty.
func markedBox(t *testing.T, mark string) typed.ParseableType {
	t.Helper()
	const field = "{name: inner, type: {namedType: box"
	text := strings.Replace(boxSchema, field, field+mark, 1)
	if text == boxSchema && mark != "" {
		t.Fatal("no inner box")
	}
	p, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		t.Fatal(err)
	}
	return p.Type("box")
}

func TestCheckTransitionOfStructs(t *testing.T) {
	of := markedBox(t, ", transition: immutable")
	changed := newBox()
	changed.Inner.Labels["k"] = "w"
	renamed := newBox()
	renamed.Name = "b"
	for _, compareFirst := range []bool{false, true} {
		for name, c := range map[string]struct {
			next *box
			want string
		}{
			"same":    {newBox(), ""},
			"renamed": {renamed, ""},
			"changed": {changed, `inner: field is immutable: changes {"labels":{"k":"v"},"name":"b"} to {"labels":{"k":"w"},"name":"b"}`},
			"gone":    {&box{Name: "a"}, `inner: field is immutable: removes {"labels":{"k":"v"},"name":"b"}`},
		} {
			old, err := of.FromStructured(newBox())
			if err != nil {
				t.Fatal(err)
			}
			next, err := of.FromStructured(c.next)
			if err != nil {
				t.Fatal(err)
			}
			if compareFirst {
				compare(old, next, true)
			}
			got := ""
			if err := old.CheckTransition(next, typed.TransitionOptions{}); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("%s, compared first %v: got %q, want %q", name, compareFirst, got, c.want)
			}
		}
	}
}

// TestCheckTransitionDoesNotReadStructs checks that CheckTransition reads structs only if
// necessary. It must not read structs if there are no rules, or after a comparison.
func TestCheckTransitionDoesNotReadStructs(t *testing.T) {
	read := func(of typed.ParseableType, compareFirst bool) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		b, c := newBox(), newBox()
		old, err := of.FromStructured(b)
		if err != nil {
			t.Fatal(err)
		}
		next, err := of.FromStructured(c)
		if err != nil {
			t.Fatal(err)
		}
		if compareFirst {
			if _, err := old.Compare(next); err != nil {
				t.Fatal(err)
			}
		}
		b.Tag, c.Tag = "broken", "broken" // reading the value "broken" panics
		if err := old.CheckTransition(next, typed.TransitionOptions{}); err != nil {
			t.Error(err)
		}
		return false
	}
	if read(markedBox(t, ""), false) {
		t.Error("read without rules")
	}
	if read(markedBox(t, ", transition: immutable"), true) {
		t.Error("read after a comparison")
	}
	if !read(markedBox(t, ", transition: immutable"), false) {
		t.Error("the test has no effect")
	}
}

// rule is an item that has more state in memory than in JSON.
type rule struct {
	Key    string   `json:"key"`
	Values []string `json:"values,omitempty"`
	Amount *cached  `json:"amount,omitempty"`
}

// cached is a number that remembers its original text.
type cached struct {
	n     int
	cache string
}

func (c cached) MarshalJSON() ([]byte, error) { return json.Marshal(c.n) }

type rules struct {
	Atomic []rule `json:"atomic,omitempty"`
	Keyed  []rule `json:"keyed,omitempty"`
	Whole  *rules `json:"whole,omitempty"`
	Single *rule  `json:"single,omitempty"`
}

// TestListsAreComparedInMemory checks that two leaves of Go structs are equal if and only if
// value.Equals returns true, which compares lists by their Go values. With declarative
// defaults, leaves with the same plain data are equal, too.
func TestListsAreComparedInMemory(t *testing.T) {
	const schema = `types:
- name: rules
  map:
    fields:
    - {name: atomic, type: {list: {elementRelationship: atomic, elementType: {namedType: rule}}}}
    - {name: keyed, type: {list: {elementRelationship: associative, keys: [key], elementType: {namedType: rule}}}}
    - {name: whole, type: {namedType: rules, elementRelationship: atomic}}
    - {name: single, type: {namedType: rule}}
- name: rule
  map:
    fields:
    - {name: key, type: {scalar: string}}
    - {name: values, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - {name: amount, type: {scalar: numeric}}
`
	forms := []rule{
		{Key: "a", Amount: &cached{n: 1}},
		{Key: "a", Amount: &cached{1, "1"}},
		{Key: "a", Amount: &cached{n: 1}, Values: []string{}},
	}
	of := func(declarative bool) typed.ParseableType {
		text := schema
		if declarative {
			text = "declarativeDefaults: true\n" + schema
		}
		p, err := typed.NewParser(typed.YAMLObject(text))
		if err != nil {
			t.Fatal(err)
		}
		return p.Type("rules")
	}
	for _, declarative := range []bool{false, true} {
		for i, x := range forms {
			for j, y := range forms {
				a := &rules{[]rule{x}, []rule{x, {Key: "b"}, x}, &rules{Atomic: []rule{x}}, &x}
				b := &rules{[]rule{y}, []rule{y, {Key: "b"}, y}, &rules{Atomic: []rule{y}}, &y}
				left, err := of(declarative).FromStructured(a, typed.AllowDuplicates)
				if err != nil {
					t.Fatal(err)
				}
				right, err := typed.AsTyped(newReflect(t, b), left.Schema(), left.TypeRef(), typed.AllowDuplicates)
				if err != nil {
					t.Fatal(err)
				}
				want := ""
				if i != j && !declarative {
					want = ".atomic .whole"
				}
				for range 2 {
					c, err := left.Compare(right)
					if err != nil {
						t.Fatal(err)
					}
					have := strings.ReplaceAll(c.Modified.String(), "\n", " ")
					if have != want || !c.Added.Empty() || !c.Removed.Empty() {
						t.Errorf("declarative %v, forms %d and %d: have %v, want %s", declarative, i, j, c, want)
					}
				}
				if equal := value.Equals(newReflect(t, &a.Atomic), newReflect(t, &b.Atomic)); !declarative && equal != (want == "") {
					t.Errorf("forms %d and %d: Equals returns %v", i, j, equal)
				}
			}
		}
	}
}

func newReflect(t *testing.T, p any) value.Value {
	t.Helper()
	v, err := value.NewValueReflect(p)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
