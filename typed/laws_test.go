// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// rich is a schema with each kind of type as a field, an item and a map value.
const rich = `types:
- name: App
  map:
    fields:
    - {name: text, type: {scalar: string}}
    - {name: number, type: {scalar: numeric}, default: 1}
    - {name: flag, type: {scalar: boolean}}
    - {name: any, type: {scalar: untyped}}
    - {name: nullable, type: {scalar: string, nullable: true}, default: d}
    - {name: self, type: {namedType: App}}
    - {name: nullableSelf, type: {namedType: App, nullable: true}}
    - {name: atomicSelf, type: {namedType: App, elementRelationship: atomic}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: apps, type: {map: {elementType: {namedType: App}}}}
    - {name: selector, type: {map: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - {name: args, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - {name: set, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
    - {name: numbers, type: {list: {elementRelationship: associative, elementType: {scalar: numeric}}}}
    - name: ports
      type: {list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: Port}}}
    - name: optional
      type: {list: {elementRelationship: associative, keys: [a, b], elementType: {namedType: Pair}}}
    - {name: free, type: {namedType: __untyped_deduced_}}
- name: Port
  map:
    fields:
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
    - {name: name, type: {scalar: string}}
    - {name: tags, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
    - {name: app, type: {namedType: App}}
- name: Pair
  map:
    fields:
    - {name: a, type: {scalar: string}}
    - {name: b, type: {scalar: string}}
    - {name: value, type: {scalar: numeric}}
- name: __untyped_atomic_
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: __untyped_atomic_}}
  map: {elementRelationship: atomic, elementType: {namedType: __untyped_atomic_}}
- name: __untyped_deduced_
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: __untyped_atomic_}}
  map: {elementRelationship: separable, elementType: {namedType: __untyped_deduced_}}
`

func richType(declarative bool) typed.ParseableType {
	text := typed.YAMLObject(rich)
	if declarative {
		text = "declarativeDefaults: true\n" + text
	}
	p, err := typed.NewParser(text)
	if err != nil {
		panic(err)
	}
	return p.Type("App")
}

// maker makes values of the type rich from a sequence of bytes. From equal bytes, it makes
// equal values that share no memory. When no bytes are left, it adds nothing more to a value.
type maker struct {
	data []byte
	// nulls allows maker to write null in places that are not nullable.
	nulls bool
}

func (m *maker) choose(n int) int {
	if len(m.data) == 0 {
		return 0
	}
	c := int(m.data[0]) % n
	m.data = m.data[1:]
	return c
}

func (m *maker) text() string { return []string{"a", "b", "", "ü"}[m.choose(4)] }

func (m *maker) number() any {
	return []any{int64(0), int64(1), int64(80), 0.5, float64(80), int64(1 << 60)}[m.choose(6)]
}

func (m *maker) texts(unique bool) any {
	l := []any{}
	for range m.choose(4) {
		if s := m.text(); !unique || !slices.Contains(l, any(s)) {
			l = append(l, s)
		}
	}
	return l
}

func (m *maker) app(depth int) map[string]any {
	out := map[string]any{}
	for range m.choose(6) {
		name, v := m.field(depth)
		if m.nulls && m.choose(8) == 7 {
			v = nil
		}
		if name != "" {
			out[name] = v
		}
	}
	return out
}

func (m *maker) field(depth int) (string, any) {
	c := m.choose(17)
	if depth == 0 && (c == 5 || c == 6 || c == 7 || c == 9) {
		return "", nil
	}
	switch c {
	case 0:
		return "text", m.text()
	case 1:
		return "number", m.number()
	case 2:
		return "flag", m.choose(2) == 1
	case 3:
		return "any", []any{m.text(), m.number(), true}[m.choose(3)]
	case 4:
		return "nullable", []any{nil, "d", "a"}[m.choose(3)]
	case 5:
		return "self", m.app(depth - 1)
	case 6:
		if m.choose(3) == 0 {
			return "nullableSelf", nil
		}
		return "nullableSelf", m.app(depth - 1)
	case 7:
		return "atomicSelf", m.app(depth - 1)
	case 8:
		labels := map[string]any{}
		for range m.choose(3) {
			labels[m.text()] = m.text()
		}
		return "labels", labels
	case 9:
		apps := map[string]any{}
		for range m.choose(3) {
			apps[m.text()] = m.app(depth - 1)
		}
		return "apps", apps
	case 10:
		return "selector", map[string]any{m.text(): m.text()}
	case 11:
		return "args", m.texts(false)
	case 12:
		return "set", m.texts(true)
	case 13:
		l := []any{}
		for range m.choose(4) {
			n := m.number()
			if !slices.ContainsFunc(l, func(o any) bool { return value.Equals(value.NewValueInterface(o), value.NewValueInterface(n)) }) {
				l = append(l, n)
			}
		}
		return "numbers", l
	case 14:
		return "ports", m.items(func() map[string]any {
			port := map[string]any{"port": m.number()}
			switch m.choose(3) {
			case 0:
				port["protocol"] = "TCP"
			case 1:
				port["protocol"] = "UDP"
			}
			if m.choose(2) == 1 {
				port["name"] = m.text()
			}
			if m.choose(3) == 1 {
				port["tags"] = m.texts(true)
			}
			if depth > 0 && m.choose(4) == 1 {
				port["app"] = m.app(depth - 1)
			}
			return port
		}, func(item map[string]any) string {
			protocol, ok := item["protocol"]
			if !ok {
				protocol = "TCP"
			}
			return fmt.Sprintf("%v %v", item["port"], protocol)
		})
	case 15:
		return "optional", m.items(func() map[string]any {
			pair := map[string]any{}
			c := m.choose(3)
			if c != 0 {
				pair["a"] = m.text()
			}
			if c != 1 {
				pair["b"] = m.text()
			}
			if m.choose(2) == 1 {
				pair["value"] = m.number()
			}
			return pair
		}, func(item map[string]any) string { return fmt.Sprintf("%q %q", item["a"], item["b"]) })
	}
	return "free", m.anyValue(3)
}

// items makes a list of items with different identities.
func (m *maker) items(item func() map[string]any, identity func(map[string]any) string) any {
	l := []any{}
	seen := map[string]bool{}
	for range m.choose(4) {
		it := item()
		if id := identity(it); !seen[id] {
			seen[id] = true
			l = append(l, it)
		}
	}
	return l
}

func (m *maker) anyValue(depth int) any {
	switch c := m.choose(5); {
	case c == 0 && depth > 0:
		out := map[string]any{}
		for range m.choose(4) {
			out[m.text()] = m.anyValue(depth - 1)
		}
		return out
	case c == 1 && depth > 0:
		l := []any{}
		for range m.choose(3) {
			l = append(l, m.anyValue(depth-1))
		}
		return l
	case c == 2:
		return m.number()
	case c == 3:
		return nil
	}
	return m.text()
}

// pair returns two functions that make values. In about half of the calls, the second value
// is similar to the first.
func pair(data []byte, nulls bool) (a, b func() any) {
	half := len(data) / 2
	first, second := data[:half], data[half:]
	if len(second) > 2 && second[0]%2 == 0 {
		at := int(second[1]) * half / 256
		second = slices.Concat(first[:at], second[2:])
	}
	make := func(data []byte) func() any {
		return func() any { return (&maker{data, nulls}).app(2) }
	}
	return make(first), make(second)
}

// objectText returns an object as text that shows Go types, so that 1 and 1.0 differ.
func objectText(v any) string {
	switch x := v.(type) {
	case map[string]any:
		var b strings.Builder
		for _, k := range slices.Sorted(maps.Keys(x)) {
			fmt.Fprintf(&b, "%q: %s, ", k, objectText(x[k]))
		}
		return "{" + b.String() + "}"
	case []any:
		var b strings.Builder
		for _, e := range x {
			b.WriteString(objectText(e) + ", ")
		}
		return "[" + b.String() + "]"
	}
	return fmt.Sprintf("%T %v", v, v)
}

type law struct {
	name string
	// off is true if the law is true for all values of the type rich without declarative
	// defaults. The field on is true if the law is true for all these values with declarative
	// defaults.
	off, on bool
	holds   func(a, b *typed.TypedValue) error
}

func plainData(tv *typed.TypedValue) any {
	if tv.AsValue() == nil {
		return nil
	}
	return tv.AsValue().Unstructured()
}

func same(what string, got, want any) error {
	if g, w := objectText(got), objectText(want); g != w {
		return fmt.Errorf("%s:\ngot  %s\nwant %s", what, g, w)
	}
	return nil
}

func set(tv *typed.TypedValue) *fieldpath.Set {
	s, err := tv.ToFieldSet()
	if err != nil {
		panic(err)
	}
	return s
}

func merged(a, b *typed.TypedValue) *typed.TypedValue {
	out, err := a.Merge(b)
	if err != nil {
		panic(err)
	}
	return out
}

func compared(a, b *typed.TypedValue) *typed.Comparison {
	c, err := a.Compare(b)
	if err != nil {
		panic(err)
	}
	return c
}

// laws are properties of operations on two values that share no memory. The operations of
// structured-merge-diff have these properties, too. The following statements are false,
// although they seem to be laws:
//
//   - Compare reports every change of a merge: it ignores the order of items.
//   - A merge removes nothing: if a type allows several kinds, a scalar can replace a map.
//   - Everything that a merge changes is in the field set of the config: without declarative
//     defaults, nobody owns an empty list.
var laws = []law{
	{"a field set does not depend on the previous set", true, true, func(a, b *typed.TypedValue) error {
		m := merged(a, b)
		for _, x := range []*typed.TypedValue{a, m} {
			want := fieldsV1(set(copyOf(x)))
			for _, like := range []*fieldpath.Set{set(a), set(b), set(m), set(a).Union(set(b)), set(m).Difference(set(b)), set(a).Leaves(), fieldpath.NewSet()} {
				s, err := fieldSet(x, like)
				if err != nil {
					return err
				}
				if got := fieldsV1(s); got != want {
					return fmt.Errorf("like %s:\ngot  %s\nwant %s", fieldsV1(like), got, want)
				}
			}
		}
		return nil
	}},
	{"an overlay is a merge, and reports whether it changed anything", true, true, func(a, b *typed.TypedValue) error {
		out, changed, err := overlaid(a, b)
		if err != nil {
			return err
		}
		if was, is := objectText(plainData(a)), objectText(plainData(out)); !changed && was != is {
			return fmt.Errorf("nothing changed, but the value is another one:\n%s\nwas\n%s", is, was)
		}
		return same("overlay", plainData(out), plainData(merged(copyOf(a), copyOf(b))))
	}},
	{"merging a value with itself gives the value", true, true, func(a, _ *typed.TypedValue) error {
		return same("merge(a, a)", plainData(merged(a, copyOf(a))), plainData(a))
	}},
	{"merging twice is merging once", true, true, func(a, b *typed.TypedValue) error {
		once := merged(a, b)
		return same("merge(merge(a, b), b)", plainData(merged(once, copyOf(b))), plainData(once))
	}},
	{"a value does not differ from itself", true, true, func(a, _ *typed.TypedValue) error {
		if c := compared(a, copyOf(a)); !c.IsSame() {
			return fmt.Errorf("compare(a, a) is %v", c)
		}
		return nil
	}},
	{"swapping operands swaps added and removed", true, true, func(a, b *typed.TypedValue) error {
		there, back := compared(a, b), compared(b, a)
		if !there.Added.Equals(back.Removed) || !there.Removed.Equals(back.Added) || !there.Modified.Equals(back.Modified) {
			return fmt.Errorf("compare(a, b) is %v\ncompare(b, a) is %v", there, back)
		}
		return nil
	}},
	{"a path is added, removed or modified, not two of these", true, true, func(a, b *typed.TypedValue) error {
		c := compared(a, b)
		if !c.Added.Intersection(c.Removed).Empty() || !c.Added.Intersection(c.Modified).Empty() || !c.Removed.Intersection(c.Modified).Empty() {
			return fmt.Errorf("compare(a, b) is %v", c)
		}
		return nil
	}},
	{"everything that a merge changes is in the field set of the config", false, true, func(a, b *typed.TypedValue) error {
		if strings.Contains(objectText(plainData(b)), "<nil>") {
			return nil // {a: {b: null}} results in {a: {}}, but owns .a.b
		}
		c := compared(a, merged(a, b))
		if rest := c.Added.Union(c.Modified).Leaves().Difference(set(b)); !rest.Empty() {
			return fmt.Errorf("merge(a, b) changed %v as well", rest)
		}
		return nil
	}},
	{"merging gives a valid value", true, true, func(a, b *typed.TypedValue) error {
		return merged(a, b).Validate()
	}},
	{"a field set survives its JSON", true, true, func(a, _ *typed.TypedValue) error {
		text, err := set(a).ToJSON()
		if err != nil {
			return err
		}
		back := &fieldpath.Set{}
		if err := back.FromJSON(strings.NewReader(string(text))); err != nil || !back.Equals(set(a)) {
			return fmt.Errorf("%s is read back as %v, %v", text, back, err)
		}
		return nil
	}},
	{"removing everything leaves nothing that is owned", true, true, func(a, _ *typed.TypedValue) error {
		rest := a.RemoveItems(set(a))
		if left := set(rest).Intersection(set(a)).Leaves(); !left.Empty() && !nullOnly(rest, left) {
			return fmt.Errorf("%v remains in %s", left, objectText(plainData(rest)))
		}
		return nil
	}},
	{"removing nothing changes nothing", true, true, func(a, _ *typed.TypedValue) error {
		if len(plainData(a).(map[string]any)) == 0 {
			return nil // an empty value becomes null
		}
		return same("remove(a, {})", plainData(a.RemoveItems(fieldpath.NewSet())), plainData(a))
	}},
	{"extracting a value's leaves gives what it owns", true, true, func(a, _ *typed.TypedValue) error {
		got := a.ExtractItems(set(a).Leaves(), typed.WithAppendKeyFields())
		if !set(got).Equals(set(a)) {
			return fmt.Errorf("extracted %s", objectText(plainData(got)))
		}
		return nil
	}},
	{"operations leave their operands alone", true, true, func(a, b *typed.TypedValue) error {
		before, beforeB := objectText(plainData(a)), objectText(plainData(b))
		merged(a, b)
		compared(a, b)
		a.RemoveItems(set(b))
		a.ExtractItems(set(b), typed.WithAppendKeyFields())
		if before != objectText(plainData(a)) || beforeB != objectText(plainData(b)) {
			return fmt.Errorf("an operand was modified")
		}
		return nil
	}},
	{"a field set that shares with another is the same", true, true, func(a, b *typed.TypedValue) error {
		plain, other := set(a), set(b)
		text := other.String()
		got, err := fieldSet(a, other)
		if err != nil {
			return err
		}
		// A number in got may have the Go type of the number in the other set, for example
		// float64 instead of int64, if both print the same.
		if !got.Equals(plain) || fieldsV1(got) != fieldsV1(plain) || got.String() != plain.String() {
			return fmt.Errorf("got\n%v\nwant\n%v", got, plain)
		}
		if other.String() != text {
			return fmt.Errorf("the other set was modified")
		}
		if got, err = fieldSet(copyOf(a), plain); err != nil || got != plain && !plain.Empty() {
			return fmt.Errorf("with itself as previous set, it is another set (%v):\n%v\nwant\n%v", err, got, plain)
		}
		return nil
	}},
}

// nullOnly reports whether all paths in left are in containers of tv that became null.
func nullOnly(tv *typed.TypedValue, left *fieldpath.Set) bool {
	return strings.Contains(objectText(plainData(tv)), "<nil>") && set(tv).Leaves().Size() > 0
}

func fieldsV1(s *fieldpath.Set) string {
	text, err := s.ToJSON()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// copyOf returns a copy of the value that shares no memory.
func copyOf(tv *typed.TypedValue) *typed.TypedValue {
	return typed.AsTypedUnvalidated(value.NewValueInterface(deepCopy(plainData(tv))), tv.Schema(), tv.TypeRef())
}

func deepCopy(v any) any {
	switch x := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			m[k] = deepCopy(e)
		}
		return m
	case []any:
		l := make([]any, len(x))
		for i, e := range x {
			l[i] = deepCopy(e)
		}
		return l
	}
	return v
}

func checkLaws(t *testing.T, pt typed.ParseableType, declarative, nulls bool, bytes []byte) {
	t.Helper()
	makeA, makeB := pair(bytes, nulls)
	a, err := pt.FromUnstructured(makeA())
	if err != nil {
		t.Fatalf("%s is not valid: %v", objectText(makeA()), err)
	}
	b, err := pt.FromUnstructured(makeB())
	if err != nil {
		t.Fatalf("%s is not valid: %v", objectText(makeB()), err)
	}
	for _, l := range laws {
		if declarative && !l.on || !declarative && !l.off {
			continue
		}
		if err := l.holds(a, b); err != nil {
			t.Fatalf("%s, declarative %v: %v\na is %s\nb is %s", l.name, declarative, err, objectText(plainData(a)), objectText(plainData(b)))
		}
	}
	checkBytes(t, pt, makeA, makeB)
}

// checkBytes compares every byte of the results of operations. It builds the operands twice,
// so that Go iterates over their maps in a different order.
func checkBytes(t *testing.T, pt typed.ParseableType, makeA, makeB func() any) {
	t.Helper()
	outcome := func() string {
		a, errA := pt.FromUnstructured(makeA())
		b, errB := pt.FromUnstructured(makeB())
		if errA != nil || errB != nil {
			return fmt.Sprint(errA, errB)
		}
		m := merged(a, b)
		text, err := value.ToYAML(m.AsValue())
		if err != nil {
			return err.Error()
		}
		json, err := value.ToJSON(m.AsValue())
		if err != nil {
			return err.Error()
		}
		fields, err := set(m).ToJSON()
		if err != nil {
			return err.Error()
		}
		left := a.RemoveItems(set(b))
		return strings.Join([]string{string(text), string(json), string(fields), compared(a, b).String(), set(a).String(), objectText(plainData(left)),
			objectText(plainData(a.ExtractItems(set(b), typed.WithAppendKeyFields())))}, "\n---\n")
	}
	if first, second := outcome(), outcome(); first != second {
		t.Fatalf("two results:\n%s\nand\n%s", first, second)
	}
}

// checkKnown checks that results do not depend on cached facts about a value. A value has
// such facts after validation and after earlier operations.
func checkKnown(a, b *typed.TypedValue) error {
	done := func(x, y *typed.TypedValue) string {
		c, err := x.Compare(y)
		s, errS := x.ToFieldSet()
		m, errM := x.Merge(y)
		if err != nil || errS != nil || errM != nil {
			return fmt.Sprint(err, errS, errM, x.Validate(), x.Validate(typed.AllowDuplicates))
		}
		other := set(copyOf(y))
		filled, err := x.Default()
		if err != nil {
			return err.Error()
		}
		return strings.Join([]string{c.String(), objectText(plainData(filled)), fieldsV1(s), objectText(plainData(m)), objectText(plainData(x.RemoveItems(other))),
			objectText(plainData(x.ExtractItems(other))), fmt.Sprint(x.Validate(), x.Validate(typed.AllowDuplicates))}, "\n")
	}
	m := merged(a, b)
	over, _, err := overlaid(a, b)
	if err != nil {
		return err
	}
	for what, x := range map[string]*typed.TypedValue{
		"a": a, "merged": m, "overlaid": over, "less": a.RemoveItems(set(b)), "extracted": m.ExtractItems(set(b), typed.WithAppendKeyFields()), "twice": merged(m, a),
	} {
		for _, y := range []*typed.TypedValue{a, b, m} {
			for _, pair := range [][2]*typed.TypedValue{{x, y}, {y, x}} {
				if got, want := done(pair[0], pair[1]), done(copyOf(pair[0]), copyOf(pair[1])); got != want {
					return fmt.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
				}
			}
		}
	}
	return nil
}

func TestLaws(t *testing.T) {
	for _, c := range []struct{ declarative, nulls bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		t.Run(fmt.Sprintf("declarative=%v,nulls=%v", c.declarative, c.nulls), func(t *testing.T) {
			pt := richType(c.declarative)
			r := rand.New(rand.NewSource(1))
			for range 1500 {
				bytes := make([]byte, r.Intn(160))
				r.Read(bytes)
				checkLaws(t, pt, c.declarative, c.nulls, bytes)
			}
			for range 150 {
				bytes := make([]byte, r.Intn(160))
				r.Read(bytes)
				makeA, makeB := pair(bytes, c.nulls)
				a, err := pt.FromUnstructured(makeA())
				if err != nil {
					t.Fatal(err)
				}
				b, err := pt.FromUnstructured(makeB())
				if err != nil {
					t.Fatal(err)
				}
				if err := checkKnown(a, b); err != nil {
					t.Fatalf("%v\na is %s\nb is %s", err, objectText(plainData(a)), objectText(plainData(b)))
				}
			}
		})
	}
}

// TestMakerMakesEverything checks that the values of maker have every field of the type, and
// that they differ.
func TestMakerMakesEverything(t *testing.T) {
	fields, objects := map[string]int{}, map[string]bool{}
	r := rand.New(rand.NewSource(1))
	for range 4000 {
		bytes := make([]byte, r.Intn(160))
		r.Read(bytes)
		a, b := pair(bytes, true)
		if !reflect.DeepEqual(a(), a()) {
			t.Fatal("equal bytes make different values")
		}
		for _, v := range []any{a(), b()} {
			objects[objectText(v)] = true
			for name := range v.(map[string]any) {
				fields[name]++
			}
		}
	}
	if len(fields) < 17 || len(objects) < 2000 {
		t.Errorf("%d objects with %v", len(objects), fields)
	}
}
