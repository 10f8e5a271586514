// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The method field uses an index, and fieldNode searches all keys. Both must find the
// same entry. The mappings have merge keys, duplicate keys and keys that are not
// strings.
func TestField(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "y", "true", "No", "1", "1.0", "0x1", "null", "~", "", "a.b", "x-1", ".inf", "e1", "2026-01-01", "Off", "nil"}
	for range 300 {
		var b strings.Builder
		b.WriteString("base: &base {z: 1, a: 2, 'q': 3}\nother: &other\n  <<: *base\n")
		for i := range 40 {
			fmt.Fprintf(&b, "  o%d: 1\n", i)
		}
		b.WriteString("all:\n")
		merged := r.IntN(3) > 0
		for i := range 20 + r.IntN(40) {
			name := fmt.Sprint("f", i)
			if r.IntN(3) == 0 {
				name = names[r.IntN(len(names))]
			}
			quote := [...]string{"", "", "'", "\""}[r.IntN(4)]
			if name == "" {
				quote = "'"
			}
			fmt.Fprintf(&b, "  %s%s%s: %d\n", quote, name, quote, i)
			if merged && i == 10 {
				b.WriteString([]string{"  <<: *other\n", "  <<: [*base, *other]\n"}[r.IntN(2)])
			}
		}
		d := &document{data: []byte(b.String()), line: 1}
		_, all := fieldNode(d.node(0), "all")
		if all == nil {
			continue // a key occurs twice
		}
		for _, name := range append([]string{"z", "q", "o3", "none", "f3", "f11", "false"}, names...) {
			key, value := fieldNode(all, name)
			if k, v := d.field(all, name); k != key || v != value {
				t.Fatalf("%q: %v and %v, want %v and %v in\n%s", name, k, v, key, value, b.String())
			}
		}
	}
}

// If messages mention many fields of a large mapping, all positions must be right.
func TestManyPositions(t *testing.T) {
	const n = 20_000
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec:\n")
	for i := range n {
		fmt.Fprintf(&b, "  f%d: 1\n", i)
	}
	objects, err := Read("a.yaml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if p := objects[0].Position(fmt.Sprint(".spec.f", i)); p.Line != i+5 {
			t.Fatalf("field %d: line %d", i, p.Line)
		}
		if p := objects[0].At("spec", fmt.Sprint("f", i)); p.Line != i+5 {
			t.Fatalf("field %d: line %d", i, p.Line)
		}
	}
}

// After the first lookup, finding a position must not allocate more in a large mapping
// than in a small one.
func TestPositionsInLargeMappings(t *testing.T) {
	least := func(n int) float64 {
		var b strings.Builder
		b.WriteString("apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec:\n")
		for i := range n {
			fmt.Fprintf(&b, "  f%d: 1\n", i)
		}
		objects, err := Read("a.yaml", []byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(10, func() {
			objects[0].Position(fmt.Sprint(".spec.f", n-1))
			objects[0].At("spec", fmt.Sprint("f", n-1))
		})
	}
	if few, many := least(50), least(1000); many > 2*few {
		t.Errorf("%v allocations for one of 1000 fields, %v for one of 50", many, few)
	}
}

// If a path is ambiguous, Position always uses the interpretation that leads
// furthest into the object.
func TestReadings(t *testing.T) {
	objects, err := Read("a.yaml", []byte("apiVersion: v1\nkind: A\nmetadata: {name: a}\na:\n  b: 1\na.b:\n  c: 2\na.b.c.d: 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{".a.b": 6, ".a.b.c": 7, ".a.b.c.d": 8, ".a.b.x": 6, ".a.x": 4, ".a": 4, ".x": 1} {
		for range 20 {
			if p := objects[0].Position(path); p.Line != want {
				t.Fatalf("%s: line %d, want %d", path, p.Line, want)
			}
		}
	}
}
