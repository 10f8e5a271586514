// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"math/rand"
	"testing"

	"github.com/dovetail-ssa/dovetail/typed"
)

// textBox has maps with texts in all places of a struct that can have them.
type textBox struct {
	textsInside
	Omitted map[string]string `json:"omitted,omitempty"`
	Kept    map[string]string `json:"kept"`
	Atomic  map[string]string `json:"atomic,omitempty"`
	Bytes   map[string][]byte `json:"bytes,omitempty"`
	Raw     map[string][]byte `json:"raw"`
}

type textsInside struct {
	Inside map[string]string `json:"inside,omitempty"`
}

// behindBox has another textBox behind a pointer.
type behindBox struct {
	*TextsBehind
	textBox
}

type TextsBehind struct {
	Behind map[string]string `json:"behind,omitempty"`
}

// TestCompareTexts checks that comparing structs with maps of texts gives the same
// result as comparing their plain data.
func TestCompareTexts(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: texts
  map:
    fields:
    - {name: omitted, type: {map: {elementType: {scalar: string}}}}
    - {name: kept, type: {map: {elementType: {scalar: string}}}}
    - {name: bytes, type: {map: {elementType: {scalar: string}}}}
    - {name: raw, type: {map: {elementType: {scalar: string}}}}
    - {name: inside, type: {map: {elementType: {scalar: string}}}}
    - {name: behind, type: {map: {elementType: {scalar: string}}}}
    - {name: atomic, type: {map: {elementRelationship: atomic, elementType: {scalar: string}}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	pt := p.Type("texts")
	r := rand.New(rand.NewSource(1))
	some := func() map[string]string {
		if r.Intn(5) == 0 {
			return nil
		}
		m := map[string]string{}
		for range r.Intn(4) {
			m[[]string{"a", "b", "c"}[r.Intn(3)]] = []string{"", "x", "y"}[r.Intn(3)]
		}
		return m
	}
	bytes := func() map[string][]byte {
		texts := some()
		if texts == nil {
			return nil
		}
		m := map[string][]byte{}
		for name, s := range texts {
			if m[name] = []byte(s); s == "" && r.Intn(2) == 0 {
				m[name] = nil
			}
		}
		return m
	}
	box := func() textBox {
		return textBox{textsInside: textsInside{some()}, Omitted: some(), Kept: some(), Atomic: some(), Bytes: bytes(), Raw: bytes()}
	}
	changed := func(b textBox) textBox {
		if r.Intn(3) > 0 {
			return box()
		}
		b.Kept = some()
		return b
	}
	made := func() (left, right any) {
		a := box()
		b := changed(a)
		if r.Intn(2) == 0 {
			return &a, &b
		}
		p, q := &behindBox{textBox: a}, &behindBox{textBox: b}
		if r.Intn(2) == 0 {
			p.TextsBehind = &TextsBehind{some()}
		}
		if r.Intn(2) == 0 {
			q.TextsBehind = &TextsBehind{some()}
		}
		return p, q
	}
	differ := 0
	for range 20_000 {
		left, right := made()
		l, err := pt.FromStructured(left)
		if err != nil {
			t.Fatal(err)
		}
		q, err := pt.FromStructured(right)
		if err != nil {
			t.Fatal(err)
		}
		got := compared(l, q)
		a, b := plainData(l), plainData(q)
		x, err := pt.FromUnstructured(a)
		if err != nil {
			t.Fatal(err)
		}
		y, err := pt.FromUnstructured(b)
		if err != nil {
			t.Fatal(err)
		}
		want := compared(x, y)
		if got.String() != want.String() {
			t.Fatalf("old %s\nnew %s\ngot\n%v\nwant\n%v", yamlOf(a), yamlOf(b), got, want)
		}
		if !want.IsSame() {
			differ++
		}
	}
	if differ < 10_000 {
		t.Errorf("%d differ: too few to test anything", differ)
	}
}
