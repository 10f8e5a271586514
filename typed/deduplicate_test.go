// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/allocs"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

func TestDeduplicate(t *testing.T) {
	item := func(port any, rest ...any) map[string]any {
		m := map[string]any{"port": port}
		for i := 0; i < len(rest); i += 2 {
			m[rest[i].(string)] = rest[i+1]
		}
		return m
	}
	type object = map[string]any
	for _, test := range []struct {
		name        string
		in          object
		first, last object
		dropped     string // the dropped items with KeepLast
	}{
		{
			name:    "the default of a key counts",
			in:      object{"ports": []any{item(53), item(80, "name", "web"), item(53, "protocol", "TCP")}},
			first:   object{"ports": []any{item(53), item(80, "name", "web")}},
			last:    object{"ports": []any{item(80, "name", "web"), item(53, "protocol", "TCP")}},
			dropped: `.ports[port=53,protocol="TCP"]: item 0 {"port":53} is dropped, item 2 {"port":53,"protocol":"TCP"} stays`,
		},
		{
			name:    "sets, numbers as they compare",
			in:      object{"numbers": []any{1, 2, 1.0}},
			first:   object{"numbers": []any{1, 2}},
			last:    object{"numbers": []any{2, 1.0}},
			dropped: `.numbers[=1]: item 0 1 is dropped, item 2 1 stays`,
		},
		{
			name: "three of a kind, and below what stays",
			in: object{"ports": []any{
				item(1, "tags", []any{"x", "x"}), item(1, "name", "a"), item(1, "tags", []any{"a", "b", "a"}),
			}},
			first: object{"ports": []any{item(1, "tags", []any{"x"})}},
			last:  object{"ports": []any{item(1, "tags", []any{"b", "a"})}},
			dropped: `.ports[port=1,protocol="TCP"]: item 0 {"port":1,"tags":["x","x"]} is dropped, item 2 {"port":1,"tags":["a","b","a"]} stays
.ports[port=1,protocol="TCP"]: item 1 {"name":"a","port":1} is dropped, item 2 {"port":1,"tags":["a","b","a"]} stays
.ports[port=1,protocol="TCP"].tags[="a"]: item 0 "a" is dropped, item 2 "a" stays`,
		},
		{
			name:    "below what is atomic",
			in:      object{"atomicSelf": object{"set": []any{"x", "x"}}},
			first:   object{"atomicSelf": object{"set": []any{"x"}}},
			last:    object{"atomicSelf": object{"set": []any{"x"}}},
			dropped: `.atomicSelf.set[="x"]: item 0 "x" is dropped, item 1 "x" stays`,
		},
		{
			name:    "items without an identity stay",
			in:      object{"optional": []any{object{}, object{"a": "x"}, nil, object{"a": "x", "value": 1}}},
			first:   object{"optional": []any{object{}, object{"a": "x"}, nil}},
			last:    object{"optional": []any{object{}, nil, object{"a": "x", "value": 1}}},
			dropped: `.optional[a="x"]: item 1 {"a":"x"} is dropped, item 3 {"a":"x","value":1} stays`,
		},
		{
			name:  "atomic lists have no items",
			in:    object{"args": []any{"a", "a"}},
			first: object{"args": []any{"a", "a"}},
			last:  object{"args": []any{"a", "a"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			tv := typed.AsTypedUnvalidated(value.NewValueInterface(test.in), richType(true).Schema, richType(true).TypeRef)
			for keep, want := range map[typed.Duplicates]object{typed.KeepFirst: test.first, typed.KeepLast: test.last, typed.RefuseDuplicates: test.in} {
				got, dropped, err := tv.Deduplicate(keep)
				if err != nil || !reflect.DeepEqual(got.AsValue().Unstructured(), any(want)) {
					t.Errorf("%q: got %v, %v, want %v", keep, got, err, want)
				}
				if keep != typed.KeepLast {
					continue
				}
				var lines []string
				for _, d := range dropped {
					lines = append(lines, d.String())
				}
				if got := strings.Join(lines, "\n"); got != test.dropped {
					t.Errorf("dropped:\n%s\nwant\n%s", got, test.dropped)
				}
			}
		})
	}
}

func TestDeduplicateErrors(t *testing.T) {
	tv := typed.AsTypedUnvalidated(value.NewValueInterface(map[string]any{}), richType(true).Schema, richType(true).TypeRef)
	_, _, err := tv.Deduplicate("newest")
	var errs typed.ValidationErrors
	if want := `duplicates to keep: want "first" or "last", got "newest"`; !errors.As(err, &errs) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	var deep any = "x"
	for range 10_001 {
		deep = map[string]any{"self": deep}
	}
	tv = typed.AsTypedUnvalidated(value.NewValueInterface(deep), richType(true).Schema, richType(true).TypeRef)
	if _, _, err := tv.Deduplicate(typed.KeepLast); !errors.As(err, &errs) || err.Error() != "nested more than 10000 levels deep" {
		t.Errorf("too deep: got %v", err)
	}
	if _, dropped, err := tv.Empty().Deduplicate(typed.KeepLast); err != nil || dropped != nil {
		t.Errorf("null: dropped %v, %v", dropped, err)
	}
}

// TestDeduplicateIsLinear checks that a list of a hundred thousand equal items takes linear
// time.
func TestDeduplicateIsLinear(t *testing.T) {
	items := make([]any, 100_000)
	for i := range items {
		items[i] = map[string]any{"port": int64(i % 2)}
	}
	tv, err := richType(true).FromUnstructured(map[string]any{"ports": items}, typed.AllowDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	got, dropped, err := tv.Deduplicate(typed.KeepLast)
	if err != nil || len(dropped) != len(items)-2 || got.Validate() != nil {
		t.Errorf("dropped %d, %v", len(dropped), err)
	}
}

func TestDeduplicateAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	data := make([]byte, 4000)
	r.Read(data)
	object := map[string]any{"apps": map[string]any{"a": (&maker{data: data}).app(2), "b": (&maker{data: data[2000:]}).app(2)}}
	typ := richType(true)
	tv := typed.AsTypedUnvalidated(value.NewValueInterface(object), typ.Schema, typ.TypeRef)
	if got, _, err := tv.Deduplicate(typed.KeepFirst); err != nil || got != tv {
		t.Fatalf("got %v, %v, want the value itself", got, err)
	}
	if n := allocs.Least(func() { tv.Deduplicate(typed.KeepFirst) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestDeduplicateLikeReference compares Deduplicate with an implementation that compares all
// pairs of items. It uses random values with random duplicates.
func TestDeduplicateLikeReference(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	dropped := 0
	for i := range 1000 {
		data := make([]byte, 400)
		r.Read(data)
		for _, declarative := range []bool{false, true} {
			typ := richType(declarative)
			object := func() any {
				return doubled(rand.New(rand.NewSource(int64(i))), (&maker{data: data}).app(2))
			}
			for _, keep := range []typed.Duplicates{typed.KeepFirst, typed.KeepLast} {
				in := object()
				tv := typed.AsTypedUnvalidated(value.NewValueInterface(in), typ.Schema, typ.TypeRef)
				got, gone, err := tv.Deduplicate(keep)
				if err != nil {
					t.Fatal(err)
				}
				ref := &singleReference{schema: typ.Schema, last: keep == typed.KeepLast}
				want := ref.value(typ.TypeRef, object(), nil)
				if g, w := objectText(got.AsValue().Unstructured()), objectText(want); g != w {
					t.Fatalf("%d: %s %s\ngot  %s\nwant %s", i, keep, objectText(in), g, w)
				}
				var lines []string
				for _, d := range gone {
					lines = append(lines, fmt.Sprintf("%v %d %d %s", d.Path, d.KeptAt, d.DroppedAt, objectText(d.Dropped.Unstructured())))
				}
				slices.Sort(lines)
				slices.Sort(ref.gone)
				if !slices.Equal(lines, ref.gone) {
					t.Fatalf("%d: %s\ngot  %q\nwant %q", i, objectText(in), lines, ref.gone)
				}
				if objectText(in) != objectText(object()) {
					t.Fatalf("%d: the input was modified", i)
				}
				if err := got.Validate(); err != nil {
					t.Fatalf("%d: %v: %s", i, err, objectText(in))
				}
				if again, more, err := got.Deduplicate(keep); err != nil || len(more) > 0 || again != got {
					t.Fatalf("%d: the second time %v, %v", i, more, err)
				}
				dropped += len(gone)
			}
		}
	}
	if dropped < 2000 {
		t.Errorf("only %d items were dropped", dropped)
	}
}

// doubled returns v with copies of some list items added. In some of the copies it changes
// the key protocol: it removes the key if the value is the default TCP, or adds the key
// with this value.
func doubled(r *rand.Rand, v any) any {
	switch x := v.(type) {
	case map[string]any:
		for _, name := range sortedNames(x) {
			x[name] = doubled(r, x[name])
		}
	case []any:
		for i := range x {
			x[i] = doubled(r, x[i])
		}
		for n := len(x); n > 0 && r.Intn(2) == 0; n-- {
			again := copied(x[r.Intn(len(x))])
			if m, ok := again.(map[string]any); ok && r.Intn(2) == 0 {
				if m["protocol"] == "TCP" {
					delete(m, "protocol")
				} else if _, port := m["port"]; port && m["protocol"] == nil {
					m["protocol"] = "TCP"
				}
			}
			x = slices.Insert(x, r.Intn(len(x)+1), again)
		}
		return x
	}
	return v
}

func sortedNames(m map[string]any) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func copied(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, c := range x {
			out[name] = copied(c)
		}
		return out
	case []any:
		out := []any{}
		for _, c := range x {
			out = append(out, copied(c))
		}
		return out
	}
	return v
}

// singleReference is a slow implementation of Deduplicate that reads the schema directly.
type singleReference struct {
	schema *schema.Schema
	last   bool
	gone   []string
}

func (f *singleReference) value(ref schema.TypeRef, v any, at fieldpath.Path) any {
	atom, _ := f.schema.Resolve(ref)
	switch x := v.(type) {
	case map[string]any:
		if atom.Map == nil {
			return v
		}
		out := map[string]any{}
		for name, c := range x {
			below := atom.Map.ElementType
			if field, ok := atom.Map.FindField(name); ok {
				below = field.Type
			}
			out[name] = f.value(below, c, append(at[:len(at):len(at)], fieldpath.FieldNameElement(name)))
		}
		return out
	case []any:
		if atom.List == nil {
			return v
		}
		out := []any{}
		for i, c := range x {
			pe := fieldpath.IndexElement(i)
			if atom.List.ElementRelationship == schema.Associative {
				pe = f.element(atom.List, c)
				keep := i
				for j := range x {
					if f.element(atom.List, x[j]).Equals(pe) && (f.last || keep == i && j < i) && (!f.last || j > keep) {
						keep = j
					}
				}
				if keep != i {
					f.gone = append(f.gone, fmt.Sprintf("%v %d %d %s", append(at[:len(at):len(at)], pe), keep, i, objectText(c)))
					continue
				}
			}
			out = append(out, f.value(atom.List.ElementType, c, append(at[:len(at):len(at)], pe)))
		}
		return out
	}
	return v
}

func (f *singleReference) element(l *schema.List, item any) fieldpath.PathElement {
	if len(l.Keys) == 0 {
		v := value.NewValueInterface(item)
		return fieldpath.PathElement{Value: &v}
	}
	atom, _ := f.schema.Resolve(l.ElementType)
	key := value.FieldList{}
	for _, name := range l.Keys {
		field, _ := atom.Map.FindField(name)
		v, ok := item.(map[string]any)[name]
		if !ok {
			v = field.Default
		}
		if v != nil {
			key = append(key, value.Field{Name: name, Value: value.NewValueInterface(v)})
		}
	}
	key.Sort()
	return fieldpath.PathElement{Key: &key}
}
