// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const hostileSchema = `types:
- name: set
  list: {elementRelationship: associative, elementType: {scalar: untyped}}
- name: keyed
  list: {elementRelationship: associative, keys: [id], elementType: {namedType: item}}
- name: item
  map:
    fields:
    - {name: id, type: {scalar: numeric}}
    - {name: below, type: {namedType: keyed}}
- name: nest
  scalar: string
  list: {elementRelationship: atomic, elementType: {namedType: nest}}
  map: {elementType: {namedType: nest}}
- name: loop
  map: {elementType: {namedType: loop}}
- name: keysOfScalars
  list: {elementRelationship: associative, keys: [a], elementType: {scalar: string}}
- name: setOfMaps
  list: {elementRelationship: associative, elementType: {namedType: item}}
- name: relationOfScalar
  map: {fields: [{name: a, type: {scalar: string, elementRelationship: atomic}}]}
- name: nowhere
  map: {fields: [{name: a, type: {namedType: notThere}}]}
- name: nothing
  map: {fields: [{name: a, type: {}}]}
- name: oddRelation
  list: {elementRelationship: separable, elementType: {scalar: string}}
- name: itemsNowhere
  list: {elementRelationship: associative, keys: [a], elementType: {namedType: notThere}}
`

func hostile(t *testing.T) *typed.Parser {
	t.Helper()
	p, err := typed.NewParser(hostileSchema)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// everything calls all operations on two values of one type. The operations may return
// errors, but must not panic or hang.
func everything(pt typed.ParseableType, a, b any) []error {
	x := typed.AsTypedUnvalidated(parseValue(a), pt.Schema, pt.TypeRef)
	y := typed.AsTypedUnvalidated(parseValue(b), pt.Schema, pt.TypeRef)
	var errs []error
	note := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	note(x.Validate())
	note(y.Validate(typed.AllowDuplicates))
	set, err := x.ToFieldSet()
	note(err)
	_, err = x.Compare(y)
	note(err)
	_, err = x.Merge(y)
	note(err)
	if set != nil {
		x.RemoveItems(set)
		y.ExtractItems(set, typed.WithAppendKeyFields())
		_, err = typed.ReconcileFieldSetWithSchema(set, x)
		note(err)
	}
	return errs
}

func TestContradictorySchemas(t *testing.T) {
	p := hostile(t)
	values := []any{
		nil, "s", int64(1), true, uint64(1), []any{}, map[string]any{},
		[]any{"a", nil, []any{}, map[string]any{"a": "b"}, map[string]any{}},
		map[string]any{"a": "x", "b": nil}, map[any]any{"a": map[any]any{1: 2}},
	}
	for _, name := range p.TypeNames() {
		for _, a := range values {
			for _, b := range values {
				everything(p.Type(name), a, b)
			}
		}
	}
	for name, want := range map[string]string{
		"nowhere":          `.a: schema error: no type found matching: notThere`,
		"nothing":          `.a: field not declared in schema`,
		"relationOfScalar": `.a: schema error: no type found matching: inlined type`,
		"missing":          `schema error: no type found matching: missing`,
	} {
		_, err := p.Type(name).FromUnstructured(map[string]any{"a": "x"})
		if name == "nothing" {
			want = ".a: schema error: invalid atom: inlined"
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

func TestCyclicSchemaLiterals(t *testing.T) {
	m := &schema.Map{}
	m.ElementType = schema.TypeRef{Inlined: schema.Atom{Map: m}}
	s := &schema.Schema{}
	pt := typed.ParseableType{Schema: s, TypeRef: m.ElementType}
	value := map[string]any{"a": map[string]any{"b": map[string]any{}}}
	if errs := everything(pt, value, value); errs != nil {
		t.Error(errs)
	}
}

func TestDeepData(t *testing.T) {
	p := hostile(t)
	nest := func(levels int, wrap func(any) any) any {
		var v any = "x"
		for range levels {
			v = wrap(v)
		}
		return v
	}
	for name, wrap := range map[string]func(any) any{
		"nest": func(v any) any { return map[string]any{"a": v} },
		"loop": func(v any) any { return map[string]any{"a": v} },
	} {
		v := nest(9_990, wrap)
		errs := everything(p.Type(name), v, nest(9_990, wrap))
		if name == "nest" && errs != nil {
			t.Errorf("%s: %v", name, errs[0])
		}
		if _, err := p.Type(name).FromUnstructured(nest(1_000_000, wrap)); err == nil || !strings.Contains(err.Error(), "levels deep") {
			t.Errorf("%s, a million levels: got no error about depth", name)
		}
	}
}

// TestDeepUnvalidated checks that the methods of a typed value return an error, and no result, if
// unvalidated data is too deep. 10,000 levels are allowed. TestTransitionDepth tests
// CheckTransition.
func TestDeepUnvalidated(t *testing.T) {
	maps := func(levels int) any {
		var v any = "x"
		for range levels {
			v = map[string]any{"a": v}
		}
		return v
	}
	lists := func(levels int) any {
		var v any = "x"
		for range levels {
			v = []any{v}
		}
		return v
	}
	yaml := func(levels int) any {
		var v any = "x"
		for range levels {
			v = map[any]any{"a": v}
		}
		return v
	}
	p, err := typed.NewParser(`types:
- name: any
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: any}}
  map:
    elementType: {namedType: any}
    unions: [{discriminator: kind, fields: [{fieldName: x, discriminatorValue: X}]}]
`)
	if err != nil {
		t.Fatal(err)
	}
	pt := p.Type("any")
	of := func(v any) *typed.TypedValue { return typed.AsTypedUnvalidated(parseValue(v), pt.Schema, pt.TypeRef) }
	flat := of("x")
	type method struct {
		name string
		call func(tv *typed.TypedValue) error
	}
	methods := []method{
		{"Validate", func(tv *typed.TypedValue) error { return tv.Validate() }},
		{"ToFieldSet", func(tv *typed.TypedValue) error { _, err := tv.ToFieldSet(); return err }},
		{"Merge", func(tv *typed.TypedValue) error { _, err := tv.Merge(flat); return err }},
		{"Merge, config", func(tv *typed.TypedValue) error { _, err := flat.Merge(tv); return err }},
		{"Compare", func(tv *typed.TypedValue) error { _, err := tv.Compare(flat); return err }},
		{"Compare, new value", func(tv *typed.TypedValue) error { _, err := flat.Compare(tv); return err }},
		{"Default", func(tv *typed.TypedValue) error { _, err := tv.Default(); return err }},
		{"Prune", func(tv *typed.TypedValue) error { _, err := tv.Prune(); return err }},
		{"UnknownFields", func(tv *typed.TypedValue) error { _, err := tv.UnknownFields(); return err }},
		{"Deduplicate", func(tv *typed.TypedValue) error { _, _, err := tv.Deduplicate(typed.KeepFirst); return err }},
		{"NormalizeUnions", func(tv *typed.TypedValue) error { _, _, err := tv.NormalizeUnions(flat, nil); return err }},
		{"NormalizeUnions, before", func(tv *typed.TypedValue) error { _, _, err := flat.NormalizeUnions(tv, nil); return err }},
		{"NormalizeUnions, config", func(tv *typed.TypedValue) error { _, _, err := flat.NormalizeUnions(flat, tv); return err }},
	}
	for kind, nest := range map[string]func(int) any{"maps": maps, "lists": lists, "YAML": yaml} {
		allowed, deep, deeper := nest(10_000), nest(10_001), nest(100_000)
		for _, m := range methods {
			if err := m.call(of(allowed)); err != nil {
				t.Errorf("%s of 10,000 %s: %v", m.name, kind, err)
			}
			for _, v := range []any{deep, deeper} {
				if err := m.call(of(v)); err == nil || !strings.HasSuffix(err.Error(), "nested more than 10000 levels deep") {
					t.Errorf("%s of deep %s: got the error %.100v", m.name, kind, err)
				}
			}
		}
	}
}

// TestDeepExtract checks that ExtractItems, which returns no error, panics before its stack
// overflows. If a set has the path .a, ExtractItems extracts .a.a with the same set. RemoveItems
// is no deeper than the set.
func TestDeepExtract(t *testing.T) {
	for levels, want := range map[int]string{10_000: "<nil>", 10_001: "nested more than 10000 levels deep", 100_000: "nested more than 10000 levels deep"} {
		var v any = "x"
		for range levels {
			v = map[string]any{"a": v}
		}
		tv := typed.AsTypedUnvalidated(parseValue(v), typed.DeducedParseableType.Schema, typed.DeducedParseableType.TypeRef)
		got := func() (got string) {
			defer func() { got = fmt.Sprint(recover()) }()
			tv.ExtractItems(fieldpath.NewSet(fieldpath.MakePathOrDie("a")))
			return
		}()
		if got != want {
			t.Errorf("%d levels: got the panic %s, want %s", levels, got, want)
		}
		rest := tv.RemoveItems(fieldpath.NewSet(fieldpath.MakePathOrDie("a", "a"))).AsValue().Unstructured()
		if !value.EqualUnstructured(rest, map[string]any{"a": nil}) {
			t.Errorf("%d levels: RemoveItems returns another object", levels)
		}
	}
}

// TestDeepErrorIsShort checks that the error about data that is too deep does not have the whole
// path.
func TestDeepErrorIsShort(t *testing.T) {
	var v any = "x"
	for i := range 10_100 {
		v = map[string]any{fmt.Sprint("level", 10_100-i): v}
	}
	_, err := typed.DeducedParseableType.FromUnstructured(v)
	if err == nil {
		t.Fatal("no error")
	}
	got := err.Error()
	if len(got) > 300 || !strings.HasPrefix(got, ".level1.level2.level3.") || !strings.HasSuffix(got, ".level9999.level10000: nested more than 10000 levels deep") || strings.Count(got, "…") != 1 {
		t.Errorf("got %d bytes: %.500s", len(got), got)
	}
}

// TestWideIsNotDeep checks that many maps and lists side by side do not count as depth.
func TestWideIsNotDeep(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: wide
  map:
    fields:
    - {name: maps, type: {map: {elementType: {namedType: part}}}}
    - {name: lists, type: {list: {elementRelationship: atomic, elementType: {list: {elementRelationship: atomic, elementType: {namedType: part}}}}}}
    - {name: fixed, type: {transition: immutable, list: {elementRelationship: atomic, elementType: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}}}
- name: part
  map:
    fields:
    - {name: a, type: {scalar: string}, default: x}
    - {name: set, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	const n = 10_100
	object := func(part func() any) any {
		maps, lists := map[string]any{}, make([]any, n)
		for i := range n {
			maps[fmt.Sprint(i)], lists[i] = part(), []any{part()}
		}
		return map[string]any{"maps": maps, "lists": lists}
	}
	of := p.Type("wide")
	want, err := of.FromUnstructured(object(func() any { return map[string]any{"a": "x", "set": []any{"b"}} }))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got any, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		} else if !value.EqualUnstructured(got, want.AsValue().Unstructured()) {
			t.Errorf("%s: not all parts are as expected", what)
		}
	}
	got, err := of.Default(object(func() any { return map[string]any{"set": []any{"b"}} }))
	check("default", got, err)
	got, err = of.Prune(object(func() any {
		return map[string]any{"a": "x", "set": []any{"b"}, "c": map[string]any{}, "d": []any{map[string]any{"e": 1}}}
	}))
	check("prune", got, err)
	twice, err := of.FromUnstructured(object(func() any { return map[string]any{"a": "x", "set": []any{"b", "b"}} }), typed.AllowDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	once, _, err := twice.Deduplicate(typed.KeepFirst)
	if err != nil {
		t.Fatal(err)
	}
	check("deduplicate", once.AsValue().Unstructured(), nil)
	fixed := func() *typed.TypedValue {
		lists := make([]any, n)
		for i := range lists {
			lists[i] = []any{"b"}
		}
		tv, err := of.FromUnstructured(map[string]any{"fixed": lists})
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	if err := fixed().CheckTransition(fixed(), typed.TransitionOptions{}); err != nil {
		t.Errorf("transition: %v", err)
	}
}

// TestDefaultOfOtherKinds checks that Default fills in defaults only where a value has the
// right kind. It must keep a value of another kind, which validation then rejects.
func TestDefaultOfOtherKinds(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: object
  map:
    fields:
    - {name: text, type: {scalar: string}}
    - {name: texts, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - {name: map, type: {map: {elementType: {namedType: object}}}}
    - {name: number, type: {scalar: numeric}, default: 1}
    - {name: free, type: {namedType: free}}
- name: free
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: free}}
  map: {elementType: {namedType: free}}
`)
	if err != nil {
		t.Fatal(err)
	}
	type m = map[string]any
	for _, c := range []struct{ in, want m }{
		{m{"text": m{"a": m{}}}, m{"text": m{"a": m{}}, "number": int64(1)}},
		{m{"text": []any{m{}}}, m{"text": []any{m{}}, "number": int64(1)}},
		{m{"texts": []any{m{"a": []any{}}, []any{m{}}}}, m{"texts": []any{m{"a": []any{}}, []any{m{}}}, "number": int64(1)}},
		{m{"texts": m{"a": m{}}}, m{"texts": m{"a": m{}}, "number": int64(1)}},
		{m{"map": m{"a": m{"text": m{"a": "b"}}}}, m{"map": m{"a": m{"text": m{"a": "b"}, "number": int64(1)}}, "number": int64(1)}},
		{m{"free": m{"a": []any{m{"number": nil}, nil}, "number": nil}}, m{"free": m{"a": []any{m{"number": nil}, nil}, "number": nil}, "number": int64(1)}},
	} {
		got, err := p.Type("object").Default(c.in)
		if err != nil || !value.EqualUnstructured(got, c.want) {
			t.Errorf("%v: got %v, %v, want %v", c.in, got, err, c.want)
		}
	}
}

// TestLongLists runs operations on a list of a million items in random order. Quadratic code
// would not finish.
func TestLongLists(t *testing.T) {
	p := hostile(t)
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	list := func(seed int64, item func(i int) any) []any {
		out := make([]any, n)
		for at, i := range rand.New(rand.NewSource(seed)).Perm(n) {
			out[at] = item(i)
		}
		return out
	}
	for name, item := range map[string]func(i int) any{
		"set":   func(i int) any { return fmt.Sprint(i) },
		"keyed": func(i int) any { return map[string]any{"id": int64(i)} },
	} {
		a, err := p.Type(name).FromUnstructured(list(1, item))
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Type(name).FromUnstructured(list(2, item)[:n/2])
		if err != nil {
			t.Fatal(err)
		}
		c, err := a.Compare(b)
		if err != nil {
			t.Fatal(err)
		}
		if want := n / 2; name == "set" && c.Removed.Size() != want {
			t.Errorf("%s: %d items removed, want %d", name, c.Removed.Size(), want)
		}
		if _, err := b.Merge(a); err != nil {
			t.Fatal(err)
		}
		set, err := b.ToFieldSet()
		if err != nil {
			t.Fatal(err)
		}
		rest, ok := a.RemoveItems(set).AsValue().Unstructured().([]any)
		if !ok || len(rest) != n/2 {
			t.Errorf("%s: %d items left, want %d", name, len(rest), n/2)
		}
	}
}

func TestLargeObject(t *testing.T) {
	p := hostile(t)
	object := map[string]any{}
	for i := range 50 {
		fields := map[string]any{}
		for j := range 1000 {
			fields[fmt.Sprint("field", j)] = strings.Repeat("x", 1000)
		}
		object[fmt.Sprint("part", i)] = fields
	}
	tv, err := p.Type("nest").FromUnstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	set, err := tv.ToFieldSet()
	if err != nil {
		t.Fatal(err)
	}
	if set.Size() != 50*1001 {
		t.Errorf("%d paths, want %d", set.Size(), 50*1001)
	}
	if c, err := tv.Compare(tv); err != nil || !c.IsSame() {
		t.Errorf("compared with itself: %v, %v", c, err)
	}
	if left := tv.RemoveItems(fieldpath.NewSet(fieldpath.MakePathOrDie("part0"))); len(left.AsValue().Unstructured().(map[string]any)) != 49 {
		t.Error("removing one part of 50 did not leave 49")
	}
}

func parseValue(v any) value.Value { return value.NewValueInterface(v) }
