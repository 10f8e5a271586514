// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestSuccessor makes random updates of values of random schemas. It creates each new value
// twice: as a successor of the old value, and independently. Both must have the same
// validation errors and the same differences.
func TestSuccessor(t *testing.T) {
	const pairs = 20 // pairs of values for each schema
	total, early, faulty, differ := 0, 0, 0, 0
	for seed := int64(0); total < 12000; seed++ {
		g := &transitionGen{Rand: rand.New(rand.NewSource(seed))}
		s := g.schema()
		root := "root"
		pt := typed.ParseableType{Schema: s, TypeRef: schema.TypeRef{NamedType: &root}}
		for range pairs {
			var opts []typed.ValidationOptions
			if g.chance(70) {
				opts = append(opts, typed.AllowDuplicates)
			}
			a := g.object(pt.TypeRef, 5)
			b := g.changed(pt.TypeRef, a)
			old, err := pt.FromUnstructured(a, typed.AllowDuplicates)
			if err != nil {
				continue
			}
			total++
			slow, slowErr := pt.FromUnstructured(deepCopy(b), opts...)
			next, err := successor(old, b, opts...)
			fail := func(what string, got, want any) {
				t.Helper()
				t.Fatalf("seed %d, %s\nold  %s\nnew  %s\ngot\n%v\nwant\n%v", seed, what, yamlOf(a), yamlOf(b), got, want)
			}
			if fmt.Sprint(err) != fmt.Sprint(slowErr) {
				fail("errors", err, slowErr)
			}
			if err != nil {
				faulty++
				continue
			}
			for _, fact := range []engine.Facts{engine.Valid, engine.Unique, engine.NoEmptyLists, engine.StringKeyed} {
				if operandOf(next).Knows(fact) && !operandOf(slow).Knows(fact) || fact == engine.Valid && operandOf(next).Knows(fact) != operandOf(slow).Knows(fact) {
					fail(fmt.Sprint("fact ", fact), operandOf(next).Knows(fact), operandOf(slow).Knows(fact))
				}
			}
			if operandOf(next).HasComparison() {
				early++
			}
			want, err := old.Compare(slow)
			if err != nil {
				continue
			}
			if !want.IsSame() {
				differ++
			}
			for range 2 { // first with the cached comparison, then without it
				got, err := old.Compare(next)
				if err != nil {
					t.Fatal(err)
				}
				if got.String() != want.String() {
					fail("comparison", got, want)
				}
			}
			if operandOf(next).HasComparison() {
				t.Fatal("the comparison was returned twice")
			}
			if got, want := old.CheckTransition(next, typed.TransitionOptions{}), old.CheckTransition(slow, typed.TransitionOptions{}); fmt.Sprint(got) != fmt.Sprint(want) {
				fail("transition", got, want)
			}
		}
	}
	t.Logf("%d updates, %d found early, %d not valid, %d differ", total, early, faulty, differ)
	if early < total/4 || faulty < total/20 || differ < total/4 {
		t.Error("too few cases to test anything")
	}
}

// TestSuccessorOfLists checks that validating a successor also finds removed and duplicate
// items.
func TestSuccessorOfLists(t *testing.T) {
	p, err := typed.NewParser(folders)
	if err != nil {
		t.Fatal(err)
	}
	typ := p.Type("folder")
	object := func(b string, names ...string) map[string]any {
		items := []any{}
		for _, name := range names {
			items = append(items, map[string]any{"a": name})
		}
		return map[string]any{"b": b, "items": items}
	}
	for _, test := range []struct {
		old, next map[string]any
		opts      []typed.ValidationOptions
		wrong     bool
		removed   string
	}{
		{object("x", "1", "2"), object("x", "1"), nil, false, `.items[a="2"]`},
		{object("x", "1", "2"), object("x", "2"), nil, false, `.items[a="1"]`},
		{object("x", "1"), object("x", "1", "2"), nil, false, ""},
		{object("x", "1", "1"), object("y", "1", "1"), nil, true, ""},
		{object("x", "1", "1"), object("y", "1", "1"), []typed.ValidationOptions{typed.AllowDuplicates}, false, ""},
		{object("x", "1", "1"), object("y", "1"), nil, false, `.items[a="1"]`},
	} {
		old, err := typ.FromUnstructured(test.old, typed.AllowDuplicates)
		if err != nil {
			t.Fatal(err)
		}
		next, err := successor(old, test.next, test.opts...)
		if (err != nil) != test.wrong {
			t.Errorf("from %v to %v: %v", test.old, test.next, err)
		}
		if err != nil {
			continue
		}
		if got, _, _ := strings.Cut(compared(old, next).Removed.String(), "\n"); got != test.removed {
			t.Errorf("from %v to %v: removed %q, want %q", test.old, test.next, got, test.removed)
		}
	}
}

// TestSuccessorComparedWithAnother checks that a cached comparison is used only for the two
// values that were compared.
func TestSuccessorComparedWithAnother(t *testing.T) {
	pt := richType(false)
	from := func(v map[string]any) *typed.TypedValue {
		tv, err := pt.FromUnstructured(v)
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	old, other := from(map[string]any{"text": "a"}), from(map[string]any{"text": "b"})
	next, err := successor(old, map[string]any{"text": "b"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from *typed.TypedValue
		same bool
	}{{other, true}, {old, false}, {other, true}} {
		if d := compared(c.from, next); d.IsSame() != c.same {
			t.Errorf("same: %v, want %v: %v", d.IsSame(), c.same, d)
		}
	}
}

// TestSuccessorDepth checks that the depth of a value is counted from the root, even for
// levels that only the new value has.
func TestSuccessorDepth(t *testing.T) {
	pt := hostile(t).Type("nest")
	nest := func(levels int) any {
		var v any = "x"
		for range levels {
			v = map[string]any{"a": v}
		}
		return v
	}
	old, err := pt.FromUnstructured(nest(6000))
	if err != nil {
		t.Fatal(err)
	}
	for _, levels := range []int{5000, 6000, 9990, 10_010, 100_000} {
		_, want := pt.FromUnstructured(nest(levels))
		if _, err := successor(old, nest(levels)); fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%d levels: got %v, want %v", levels, err, want)
		}
		if deep := want != nil && strings.Contains(want.Error(), "levels deep"); deep != (levels > 10_000) {
			t.Errorf("%d levels: %v", levels, want)
		}
	}
}
