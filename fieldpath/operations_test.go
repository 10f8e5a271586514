// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"
)

// TestOperationsOnRandomSets compares each set operation with the same operation on lists of
// paths.
func TestOperationsOnRandomSets(t *testing.T) {
	for seed := range int64(400) {
		r := rand.New(rand.NewSource(seed))
		from := randomElements(r)
		xs := randomPaths(r, from)
		ys := related(r, xs, from)
		x, y := NewSet(xs...), NewSet(ys...)
		mx, my := modelOf(xs), modelOf(ys)

		checkSet(t, "NewSet", x, mx)
		checkSet(t, "union", x.Union(y), modelOf(append(append([]Path{}, mx...), my...)))
		checkSet(t, "intersection", x.Intersection(y), mx.where(my.has))
		checkSet(t, "difference", x.Difference(y), mx.where(func(path Path) bool { return !my.has(path) }))
		checkSet(t, "recursive difference", x.RecursiveDifference(y), mx.where(func(path Path) bool {
			for i := range path {
				if my.has(path[:i+1]) {
					return false
				}
			}
			return true
		}))
		checkSet(t, "leaves", x.Leaves(), mx.where(func(path Path) bool {
			for _, q := range mx {
				if len(q) > len(path) && q[:len(path)].Equals(path) {
					return false
				}
			}
			return true
		}))
		for _, path := range append(ys, randomPaths(r, from)...) {
			if x.Has(path) != mx.has(path) {
				t.Fatalf("has %s: %v", path, x.Has(path))
			}
		}
	}
}

func TestLaws(t *testing.T) {
	for seed := range int64(400) {
		r := rand.New(rand.NewSource(seed))
		from := randomElements(r)
		xs := randomPaths(r, from)
		ys := related(r, xs, from)
		x, y, z := NewSet(xs...), NewSet(ys...), NewSet(related(r, ys, from)...)
		for law, ok := range map[string]bool{
			"x ∪ y = y ∪ x":             x.Union(y).Equals(y.Union(x)),
			"x ∩ y = y ∩ x":             x.Intersection(y).Equals(y.Intersection(x)),
			"x ∪ x = x":                 x.Union(x.Copy()).Equals(x),
			"x ∩ x = x":                 x.Intersection(x.Copy()).Equals(x),
			"x − x is empty":            x.Difference(x.Copy()).Empty(),
			"(x − y) ∪ (x ∩ y) = x":     x.Difference(y).Union(x.Intersection(y)).Equals(x),
			"(x − y) ∩ (x ∩ y) is none": x.Difference(y).Intersection(x.Intersection(y)).Empty(),
			"(x ∪ y) ∪ z = x ∪ (y ∪ z)": x.Union(y).Union(z).Equals(x.Union(y.Union(z))),
			"(x ∪ y) − z = (x−z) ∪ (y−z)": x.Union(y).Difference(z).
				Equals(x.Difference(z).Union(y.Difference(z))),
			"disjoint is an empty intersection": x.Disjoint(y) == x.Intersection(y).Empty() && y.Disjoint(x) == x.Disjoint(y),
			"disjoint from the rest":            x.Difference(y).Disjoint(y) && x.Disjoint(x) == x.Empty(),
			"leaves are leaves":                 x.Leaves().Leaves().Equals(x.Leaves()),
			"Equals is symmetric":               x.Equals(y) == y.Equals(x),
		} {
			if !ok {
				t.Fatalf("seed %d: %s does not hold for x:\n%s\ny:\n%s\nz:\n%s", seed, law, x, y, z)
			}
		}
	}
}

// TestOrderOfInsertion checks that neither the set nor its JSON depends on the order of
// insertion.
func TestOrderOfInsertion(t *testing.T) {
	for seed := range int64(200) {
		r := rand.New(rand.NewSource(seed))
		var from []PathElement
		for _, pe := range randomElements(r) {
			// A set keeps the first of several equal elements. Elements that are equal but not
			// identical are made identical here, so that the order does not matter.
			if b, err := SerializePathElement(pe); err == nil {
				if pe, err = DeserializePathElement(b); err == nil {
					from = append(from, pe)
				}
			}
		}
		paths := randomPaths(r, from)
		want := NewSet(paths...)
		for range 3 {
			r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
			one := &Set{}
			for _, path := range paths {
				one.Insert(path)
			}
			for _, got := range []*Set{NewSet(paths...), one} {
				if !reflect.DeepEqual(got, want) || toJSON(t, got) != toJSON(t, want) {
					t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, got, want)
				}
			}
		}
	}
}

// TestFirstElementStays checks that a set keeps the first of any number of equal elements.
func TestFirstElementStays(t *testing.T) {
	for _, n := range []int{1, bulkPaths} {
		var paths []Path
		for range n {
			paths = append(paths, Path{ValueElement(v(int64(1)))}, Path{ValueElement(v(1.0))},
				Path{ValueElement(v(2.0)), FieldNameElement("a")}, Path{ValueElement(v(int64(2))), FieldNameElement("b")})
		}
		s := NewSet(paths...)
		if _, ok := (*s.Members.members[0].Value).Unstructured().(int64); !ok || len(s.Members.members) != 1 {
			t.Errorf("%d: members %v", n, s.Members.members)
		}
		if _, ok := (*s.Children.members[0].PathElement.Value).Unstructured().(float64); !ok || len(s.Children.members) != 1 {
			t.Errorf("%d: children %v", n, s.Children.members)
		}
	}
}

// TestUnionTakesEqualMembersOfTheSecond checks the union of sets with members that are equal
// but not identical, such as 1 and 1.0. The union must contain the member of the second set.
// So it must not be the first set, although that set contains all paths.
func TestUnionTakesEqualMembersOfTheSecond(t *testing.T) {
	whole, float := NewSet(p(v(int64(1))), p(v("a"))), NewSet(p(v(1.0)))
	for _, c := range []struct {
		x, y  *Set
		float bool
	}{{whole, float, true}, {float, whole, false}} {
		got := c.x.Union(c.y)
		at, _ := slices.BinarySearchFunc(got.Members.members, ValueElement(v(int64(1))), PathElement.Compare)
		if _, isFloat := (*got.Members.members[at].Value).Unstructured().(float64); isFloat != c.float || got.Size() != 2 {
			t.Errorf("%v and %v: got %v", c.x, c.y, got)
		}
	}
}

// TestUnionAroundSharedChildren checks the union of sets with a common child. The elements
// after that child decide whether the result is one of the two sets.
func TestUnionAroundSharedChildren(t *testing.T) {
	shared := fields("x", "y.z")
	set := func(own string) *Set {
		s := fields(own)
		s.Children.members = append(s.Children.members, SetNode{FieldNameElement("m"), shared})
		slices.SortFunc(s.Children.members, func(a, b SetNode) int { return a.PathElement.Compare(b.PathElement) })
		return s
	}
	before, after := set("a.b"), set("z.b")
	want := fields("a.b", "m.x", "m.y.z", "z.b")
	if got := before.Union(after); !got.Equals(want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
	if got := after.Union(before); !got.Equals(want) {
		t.Errorf("the other way: got\n%v\nwant\n%v", got, want)
	}
}

// TestDisjointFromOnePath checks Disjoint for sets of many sizes and a set with a single
// path.
func TestDisjointFromOnePath(t *testing.T) {
	kinds := map[string]func(int) PathElement{
		"field": func(i int) PathElement { return FieldNameElement(fmt.Sprintf("%c%02d", 'a'+i%3, i)) },
		"key":   func(i int) PathElement { return KeyElementByFields("name", fmt.Sprint(i), "port", i) },
		"index": IndexElement,
		"mixed": func(i int) PathElement {
			if i%2 == 0 {
				return IndexElement(i)
			}
			return FieldNameElement(fmt.Sprint(i))
		},
	}
	for kind, element := range kinds {
		for size := range 18 {
			var paths []Path
			for i := range size {
				paths = append(paths, Path{element(i)}, Path{element(i), element(i + 1)})
			}
			s := NewSet(paths...)
			for i := range size + 2 {
				for _, path := range []Path{
					{element(i)},
					{element(i), element(i + 1)},
					{element(i), element(i)},
					{element(i), element(i + 1), element(i)},
				} {
					one := NewSet(path)
					want := !s.Has(path)
					if s.Disjoint(one) != want || one.Disjoint(s) != want {
						t.Errorf("%s, %d: disjoint from %v: %v and %v, want %v", kind, size, path, s.Disjoint(one), one.Disjoint(s), want)
					}
				}
			}
		}
	}
}
