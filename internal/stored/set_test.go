// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestLazySetAnswersLikeSet checks that the methods of a Set return the same results as the
// methods of the decoded set.
func TestLazySetAnswersLikeSet(t *testing.T) {
	for seed := range uint64(5000) {
		g := lateGenerator{rand.New(rand.NewPCG(seed, 1))}
		set, other := g.set(3, false), g.set(3, g.IntN(4) == 0)
		if set.Empty() {
			continue
		}
		lazy := asLazy(t, set)
		before := asJSONText(t, lazy.Fields)
		if got := lazy.Disjoint(other); got != set.Disjoint(other) {
			t.Fatalf("%d: disjoint is %v for\n%v\nand\n%v", seed, got, set, other)
		}
		rest, want := lazy.Without(other), set.Difference(other)
		switch {
		case rest == nil:
			rest = fieldpath.NewVersionedSet(fieldpath.NewSet(), "", false)
		case rest.Set().Empty():
			t.Fatalf("%d: Without returned an empty set", seed)
		}
		check(t, seed, "without", set, other, rest, want)
		check(t, seed, "with", set, other, lazy.With(other), set.Union(other))
		if rest, ok := rest.(*Set); ok {
			if set.Disjoint(other) && !rest.Fields.sameMap(lazy.Fields) {
				t.Fatalf("%d: removing absent paths made a copy: of\n%v\nwithout\n%v", seed, set, other)
			}
			if again := rest.With(set.Intersection(other)).(*Set); !again.Equal(lazy) {
				t.Fatalf("%d: removed and added again:\n%v\nwant\n%v", seed, again.Fields, lazy.Fields)
			}
		}
		if asJSONText(t, lazy.Fields) != before {
			t.Fatalf("%d: the fields were modified", seed)
		}
	}
}

// check compares a set with the expected set. It also compares the fields of the set with
// the fields that Write returns for the expected set.
func check(t *testing.T, seed uint64, op string, set, other *fieldpath.Set, got fieldpath.VersionedSet, want *fieldpath.Set) {
	t.Helper()
	if !got.Set().Equals(want) {
		t.Fatalf("%d: %s of\n%v\nand\n%v\nis\n%v\nwant\n%v", seed, op, set, other, got.Set(), want)
	}
	lazy, ok := got.(*Set)
	if !ok {
		return
	}
	fields, err := Write(want, Written{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(map[string]any(lazy.Fields), fields) || !arePlain(lazy.Fields) {
		t.Fatalf("%d: %s of\n%v\nand\n%v\nis stored as\n%v\nwant\n%v", seed, op, set, other, lazy.Fields, fields)
	}
}

// TestLazySetReconciled checks the sets for which Reconciled returns true. Converting such a
// set to the current schema must not change it. Reconciled must return true for most sets
// that need no conversion.
func TestLazySetReconciled(t *testing.T) {
	parser, err := typed.NewParser(reconciledTypes)
	if err != nil {
		t.Fatal(err)
	}
	object, err := parser.Type("root").FromUnstructured(map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	n, _, _ := (*operand.Value)(object).Plain()
	reconciled, changed := 0, 0
	for seed := range uint64(5000) {
		g := lateGenerator{rand.New(rand.NewPCG(seed, 2))}
		set := g.set(4, false)
		if set.Empty() {
			continue
		}
		after, err := typed.ReconcileFieldSetWithSchema(set, object)
		if err != nil {
			t.Fatal(err)
		}
		lazy := asLazy(t, set)
		check := Check{Reconciled: true}
		if check.IsPlain(lazy.Fields, 0, n, nil); check.Reconciled != lazy.Reconciled(n) {
			t.Fatalf("%d: reconciled is %v when checked with the form, %v alone, of\n%v", seed, check.Reconciled, lazy.Reconciled(n), set)
		}
		switch {
		case after != nil:
			changed++
			if asLazy(t, set).Reconciled(n) {
				t.Fatalf("%d: reported as reconciled:\n%v\nbut becomes\n%v", seed, set, after)
			}
		case asLazy(t, set).Reconciled(n):
			reconciled++
		}
	}
	if reconciled < 500 || changed < 500 {
		t.Fatalf("%d sets are reconciled, %d change: too few to test anything", reconciled, changed)
	}
}

const reconciledTypes = `types:
- name: root
  map:
    fields:
    - name: a
      type: {namedType: root}
    - name: b
      type:
        map: {elementType: {scalar: string}, elementRelationship: atomic}
    - name: c
      type:
        list:
          elementRelationship: associative
          keys: [a]
          elementType: {namedType: item}
- name: item
  map:
    fields:
    - name: a
      type: {scalar: string}
    - name: b
      type: {namedType: root}
    - name: c
      type:
        list: {elementRelationship: atomic, elementType: {scalar: string}}
`

// TestIsPlainComparesFields checks that IsPlain also compares its arguments fields and others.
func TestIsPlainComparesFields(t *testing.T) {
	same := 0
	for seed := range uint64(5000) {
		g := lateGenerator{rand.New(rand.NewPCG(seed, 6))}
		set := g.set(3, false)
		a, b := asLazy(t, set).Fields, asLazy(t, set).Fields
		switch g.IntN(3) {
		case 0:
			b = asLazy(t, g.set(3, false)).Fields
		case 1:
			change := []any{nil, "x", map[string]any{}, map[string]any{"f:a": map[string]any{}}, map[string]any(nil)}
			g.anywhere(b)[[]string{"f:a", "f:b", `k:{"a":"0"}`, "."}[g.IntN(4)]] = change[g.IntN(len(change))]
		}
		want := reflect.DeepEqual(a, b)
		c := Check{Same: true}
		if !c.IsPlain(a, 0, nil, b) || c.Same != want {
			t.Fatalf("%d: same is %v, want %v, for\n%v\nand\n%v", seed, c.Same, want, a, b)
		}
		if want {
			same++
		}
	}
	if same < 500 || same > 4500 {
		t.Fatalf("%d are the same: too few or too many to test anything", same)
	}
}

// anywhere returns fields, or a map inside them.
func (g lateGenerator) anywhere(fields map[string]any) map[string]any {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if below, ok := fields[key].(map[string]any); ok && key != "." && g.IntN(3) == 0 {
			return g.anywhere(below)
		}
	}
	return fields
}

// TestLazySetCoversKeys checks the sets for which CoversKeys returns true. Such a set must
// have the keys of the items. CoversKeys must return true for most sets that have these
// keys.
func TestLazySetCoversKeys(t *testing.T) {
	parser, err := typed.NewParser(reconciledTypes)
	if err != nil {
		t.Fatal(err)
	}
	object, err := parser.Type("root").FromUnstructured(map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	n, _, _ := (*operand.Value)(object).Plain()
	root := fieldpath.FieldNameElement("c")
	reported, missed, uncovered := 0, 0, 0
	for seed := range uint64(20000) {
		g := lateGenerator{rand.New(rand.NewPCG(seed, 4))}
		set, last := g.set(4, false), g.set(4, g.IntN(4) == 0)
		if g.IntN(2) == 0 {
			*set.Children.Descend(root), *last.Children.Descend(root) = *g.set(3, false), *g.set(3, g.IntN(4) == 0)
		}
		if set = set.Union(fieldpath.NewSet()); set.Empty() {
			continue
		}
		covers, got := ownedset.CoversKeys(n, last, set), asLazy(t, set).CoversKeys(n, last)
		switch {
		case got && !covers:
			t.Fatalf("%d: the keys besides\n%v\nare reported as covered by\n%v", seed, last, set)
		case got:
			reported++
		case covers:
			missed++
		default:
			uncovered++
		}
	}
	if reported < 1000 || uncovered < 1000 || missed > reported {
		t.Fatalf("%d sets are reported to cover the keys, %d do but are not reported, %d do not", reported, missed, uncovered)
	}
}

// TestFindPlainKey checks that findPlainKey finds the right item, for all Go types of
// the numbers in the item's keys.
func TestFindPlainKey(t *testing.T) {
	for seed := range uint64(2000) {
		g := lateGenerator{rand.New(rand.NewPCG(seed, 5))}
		set, e := g.set(2, g.IntN(2) == 0), g.element(false)
		if e.Key == nil {
			continue
		}
		key, err := elementKey(e)
		if err != nil {
			t.Fatal(err)
		}
		below, named := findPlainKey(set, key)
		want, has := set.Children.Get(e)
		if below != want || named != (has || set.Members.Has(e)) {
			t.Fatalf("%d: %s in\n%v\nis %v, %v, want %v", seed, key, set, named, below, want)
		}
	}
	item := fieldpath.NewSet(fieldpath.Path{fieldpath.KeyElementByFields("a", int64(1))})
	for key, want := range map[string]bool{`k:{"a":1}`: true, `k:{"a":2}`: false, `f:{"a":1}`: false, "f:a": false, "v:1": false} {
		if _, named := findPlainKey(item, key); named != want {
			t.Errorf("%s: named is %v", key, named)
		}
	}
	big := fieldpath.NewSet()
	for i := range maxSearched + 1 {
		big.Insert(fieldpath.Path{fieldpath.KeyElementByFields("a", i)})
	}
	if _, named := findPlainKey(big, `k:{"a":1}`); named {
		t.Fatal("findPlainKey searched a large set")
	}
}

// TestLazySetConcurrently checks that several goroutines may read a Set that is not decoded
// yet.
func TestLazySetConcurrently(t *testing.T) {
	g := lateGenerator{rand.New(rand.NewPCG(1, 3))}
	set := g.set(4, false)
	lazy := asLazy(t, set)
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			if !lazy.Set().Equals(set) || lazy.Disjoint(set) {
				t.Error("the set differs from the stored one")
			}
		}()
	}
	wait.Wait()
}

func asLazy(t *testing.T, set *fieldpath.Set) *Set {
	t.Helper()
	fields, err := Write(set, Written{})
	if err != nil {
		t.Fatal(err)
	}
	if !arePlain(fields) {
		t.Fatalf("not plain: %v", fields)
	}
	return &Set{Fields: fields}
}

func arePlain(fields Fields) bool { return new(Check).IsPlain(fields, 0, nil, nil) }

func asJSONText(t *testing.T, fields Fields) string {
	t.Helper()
	return fmt.Sprint(fields) // fmt prints maps in sorted order
}

type lateGenerator struct{ *rand.Rand }

// set returns a random set of up to depth levels. Unless odd is true, its elements have plain
// keys.
func (g lateGenerator) set(depth int, odd bool) *fieldpath.Set {
	s := &fieldpath.Set{}
	for range g.IntN(5) {
		e := g.element(odd)
		if g.IntN(2) == 0 {
			s.Members.Insert(e)
		}
		if below := (&fieldpath.Set{}); depth > 1 {
			if below = g.set(depth-1, odd); !below.Empty() {
				*s.Children.Descend(e) = *below
			}
		}
	}
	return s
}

func (g lateGenerator) element(odd bool) fieldpath.PathElement {
	if odd && g.IntN(3) == 0 {
		return []fieldpath.PathElement{
			fieldpath.IndexElement(g.IntN(2)),
			fieldpath.ValueElement(value.NewValueInterface(math.Copysign(0, -1))),
			fieldpath.ValueElement(value.NewValueInterface(float64(1))),
			fieldpath.ValueElement(value.NewValueInterface("<\u00e4>")),
			fieldpath.ValueElement(value.NewValueInterface(nil)),
			fieldpath.KeyElementByFields("a", 1.5),
		}[g.IntN(6)]
	}
	switch g.IntN(6) {
	case 0:
		return fieldpath.KeyElementByFields("a", fmt.Sprint(g.IntN(2)))
	case 1:
		return fieldpath.KeyElementByFields("a", int64(g.IntN(2)), "b", g.IntN(2) == 0)
	case 2:
		return fieldpath.ValueElement(value.NewValueInterface(int64(g.IntN(2))))
	}
	return fieldpath.FieldNameElement(string(rune('a' + g.IntN(3))))
}

// TestWriteSharing checks that Write returns the same fields with and without the fields of
// an earlier set. It must not modify the earlier fields.
func TestWriteSharing(t *testing.T) {
	for seed := range uint64(1500) {
		g := lateGenerator{rand.New(rand.NewPCG(seed, 7))}
		before, other := g.set(4, true), g.set(4, true)
		spoiled := seed%3 == 0
		if spoiled {
			g.spoil(before)
			g.spoil(other)
		}
		for name, set := range map[string]*fieldpath.Set{
			"other": other, "more": before.Union(other), "less": before.Difference(other),
			"common": before.Intersection(other), "leaves": before.Leaves(), "below": before.RecursiveDifference(other),
			"same": before, "equal": before.Union(before), "none": fieldpath.NewSet(),
		} {
			fields, err := Write(before, Written{})
			if err != nil {
				t.Fatal(err)
			}
			was := asJSONText(t, fields)
			for of, w := range map[string]Written{"the set": {before, fields}, "a set without fields": {before, nil}} {
				got, err := Write(set, w)
				if err != nil {
					t.Fatal(err)
				}
				want, err := Write(set, Written{})
				if err != nil {
					t.Fatal(err)
				}
				if g, w := asJSONText(t, got), asJSONText(t, want); g != w {
					t.Fatalf("seed %d, %s with %s of\n%s\nwritten\n%s\nwant\n%s", seed, name, of, was, g, w)
				}
				if read, _, err := new(Reader).Read(got); !spoiled && (err != nil || !read.Equals(set)) {
					t.Fatalf("seed %d, %s: %v, %v, want %v", seed, name, err, read, set)
				}
			}
			if is := asJSONText(t, fields); is != was {
				t.Fatalf("seed %d, %s: the fields\n%s\nbecame\n%s", seed, name, was, is)
			}
		}
	}
}

// spoil adds elements to s. The elements are not UTF-8, and all of them have the same key
// in FieldsV1.
func (g lateGenerator) spoil(s *fieldpath.Set) {
	for _, name := range []string{"\xff", "\xfe", "\xfd"} {
		e := fieldpath.KeyElementByFields("a", name)
		switch g.IntN(3) {
		case 0:
			s.Members.Insert(e)
		case 1:
			*s.Children.Descend(e) = *g.set(2, false).Union(fieldpath.NewSet(fieldpath.MakePathOrDie("x")))
		}
	}
}
