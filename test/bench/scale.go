// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// scaleParser has a type with every kind of list and map.
var scaleParser = sync.OnceValue(func() *typed.Parser {
	p, err := typed.NewParser(`types:
- name: obj
  map:
    fields:
    - {name: set, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
    - {name: intset, type: {list: {elementRelationship: associative, elementType: {scalar: numeric}}}}
    - {name: keyed, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: item}}}}
    - {name: keyed2, type: {list: {elementRelationship: associative, keys: [name, kind], elementType: {namedType: item}}}}
    - {name: atomic, type: {list: {elementRelationship: atomic, elementType: {namedType: item}}}}
    - {name: map, type: {map: {elementType: {scalar: string}}}}
    - {name: deepmap, type: {namedType: level}}
    - {name: deeplist, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: level}}}}
- name: level
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: value, type: {scalar: string}}
    - {name: below, type: {namedType: level}}
    - {name: items, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: level}}}}
- name: item
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: kind, type: {scalar: string}, default: A}
    - {name: value, type: {scalar: string}}
    - {name: count, type: {scalar: numeric}}
`)
	must(err)
	return p
})

// scaled is one object of n elements, or n levels deep, and what happens to it.
type scaled struct {
	flavour string
	order   string
	n       int
}

// scaleShapes are all flavours in all orders that they have.
func scaleShapes() []scaled {
	var all []scaled
	for _, f := range []string{"set", "intset", "keyed", "keyed2", "atomic", "map"} {
		all = append(all, scaled{flavour: f, order: "sorted"})
		if f != "atomic" && f != "map" {
			all = append(all, scaled{flavour: f, order: "random"})
		}
	}
	for _, f := range deepFlavours {
		all = append(all, scaled{flavour: f, order: "sorted"})
	}
	return all
}

// deepFlavours have their elements one below the other: in maps, and in lists of
// two items with keys.
var deepFlavours = []string{"deepmap", "deeplist"}

func (s scaled) deep() bool { return slices.Contains(deepFlavours, s.flavour) }

// depths are the sizes of deep objects. Deeper ones are refused by decoders.
var depths = []int{5, 20, 100, 500, 2000}

// sizes returns the sizes of s between the first and the last of those of others.
func (s scaled) sizes(others []int) []int {
	if !s.deep() {
		return others
	}
	var all []int
	for _, n := range depths {
		if others[0] <= n && n <= others[len(others)-1] {
			all = append(all, n)
		}
	}
	return all
}

// object returns the elements that numbers stand for, with some text in those
// that can have it.
func (s scaled) object(text string, numbers []int) object {
	if s.flavour == "map" {
		m := object{}
		for _, i := range numbers {
			m[fmt.Sprintf("key-%06d", i)] = text
		}
		return object{"map": m}
	}
	if s.flavour == "deepmap" {
		below := object{}
		for range numbers {
			below = object{"value": text, "below": below}
		}
		return object{"deepmap": below}
	}
	if s.flavour == "deeplist" {
		items := []any{}
		for range numbers {
			items = []any{object{"name": "a", "value": text, "items": items}, object{"name": "b"}}
		}
		return object{"deeplist": items}
	}
	l := make([]any, 0, len(numbers))
	for _, i := range numbers {
		switch s.flavour {
		case "set":
			l = append(l, fmt.Sprintf("elem-%06d", i))
		case "intset":
			l = append(l, int64(i))
		default:
			item := object{"name": fmt.Sprintf("elem-%06d", i), "value": text, "count": int64(i)}
			if s.flavour == "keyed2" && i%2 == 0 {
				item["kind"] = "B"
			}
			l = append(l, item)
		}
	}
	return object{s.flavour: l}
}

// numbers are from to from+n-1 in the order of s.
func (s scaled) numbers(from int) []int {
	out := make([]int, s.n)
	for i := range out {
		out[i] = from + i
	}
	if s.order == "random" {
		rand.New(rand.NewSource(int64(s.n))).Shuffle(s.n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

func (s scaled) typed(o object) *typed.TypedValue {
	tv, err := scaleParser().Type("obj").FromUnstructured(o)
	must(err)
	return tv
}

func (s scaled) whole() *typed.TypedValue { return s.typed(s.object("v", s.numbers(0))) }
func (s scaled) none() *typed.TypedValue  { return s.typed(object{}) }

// changed has another text in every element or, where there is none, the second
// half of the elements and as many new ones.
func (s scaled) changed() *typed.TypedValue {
	if strings.HasSuffix(s.flavour, "set") {
		return s.typed(s.object("w", s.numbers(s.n/2)))
	}
	return s.typed(s.object("w", s.numbers(0)))
}

// reversed is whole from the last element to the first.
func (s scaled) reversed() *typed.TypedValue {
	numbers := s.numbers(0)
	for i, j := 0, len(numbers)-1; i < j; i, j = i+1, j-1 {
		numbers[i], numbers[j] = numbers[j], numbers[i]
	}
	return s.typed(s.object("v", numbers))
}

// without lacks one element, half is every second.
func (s scaled) without() *typed.TypedValue { return s.typed(s.object("v", s.numbers(0)[1:])) }

func (s scaled) half() *typed.TypedValue {
	var some []int
	for i, number := range s.numbers(0) {
		if i%2 == 0 {
			some = append(some, number)
		}
	}
	return s.typed(s.object("v", some))
}

func setOf(tv *typed.TypedValue) *fieldpath.Set {
	set, err := tv.ToFieldSet()
	must(err)
	return set
}
