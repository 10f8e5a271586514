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

// Random updates of random schemas: a successor is as valid as the value by itself,
// with the same errors, and differs from what it succeeds as that value does.
func TestSuccessor(t *testing.T) {
	const pairs = 20 // of one schema
	total, early, faulty, differ := 0, 0, 0, 0
	for seed := int64(0); total < 12000; seed++ {
		g := &transitionGen{Rand: rand.New(rand.NewSource(seed))}
		s := g.schema()
		root := "root"
		pt := typed.ParseableType{Schema: s, TypeRef: schema.TypeRef{NamedType: &root}}
		for range pairs {
			var opts []typed.ValidationOptions
			if g.one(70) {
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
			next, err := old.Successor(b, opts...)
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
			for _, fact := range []engine.Facts{engine.Valid, engine.Unique, engine.Full, engine.StringKeyed} {
				if next.Knows(fact) && !slow.Knows(fact) || fact == engine.Valid && next.Knows(fact) != slow.Knows(fact) {
					fail(fmt.Sprint("fact ", fact), next.Knows(fact), slow.Knows(fact))
				}
			}
			if typed.FoundEarly(next) {
				early++
			}
			want, err := old.Compare(slow)
			if err != nil {
				continue
			}
			if !want.IsSame() {
				differ++
			}
			for range 2 { // found early, and found anew
				got, err := old.Compare(next)
				if err != nil {
					t.Fatal(err)
				}
				if got.String() != want.String() {
					fail("comparison", got, want)
				}
			}
			if typed.FoundEarly(next) {
				t.Fatal("the comparison is given to two")
			}
			if got, want := old.CheckTransition(next), old.CheckTransition(slow); fmt.Sprint(got) != fmt.Sprint(want) {
				fail("transition", got, want)
			}
		}
	}
	t.Logf("%d updates, %d found early, %d not valid, %d differ", total, early, faulty, differ)
	if early < total/4 || faulty < total/20 || differ < total/4 {
		t.Error("the test says little")
	}
}

// What is found early is about one value only.
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
	next, err := old.Successor(map[string]any{"text": "b"})
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

// What goes on where the old value ends counts from the top.
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
		if _, err := old.Successor(nest(levels)); fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%d levels: got %v, want %v", levels, err, want)
		}
		if deep := want != nil && strings.Contains(want.Error(), "levels deep"); deep != (levels > 10_000) {
			t.Errorf("%d levels: %v", levels, want)
		}
	}
}
