// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand"
	"slices"

	"github.com/dovetail-ssa/dovetail/typed"
)

// types is the schema of the objects, with markers of all kinds. The items of "twos" have two
// keys, one with a default. The items of "loose" always lack one of their two keys.
const types = `types:
- name: obj
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {namedType: meta}}
    - {name: names, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: item}}}}
    - {name: numbers, type: {list: {elementRelationship: associative, keys: [number], elementType: {namedType: item}}}}
    - {name: twos, type: {list: {elementRelationship: associative, keys: [name, kind], elementType: {namedType: item}}}}
    - {name: loose, type: {list: {elementRelationship: associative, keys: [name, number], elementType: {namedType: item}}}}
    - {name: tree, type: {map: {elementType: {namedType: branch}}}}
    - {name: set, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
    - {name: whole, type: {list: {elementRelationship: atomic, elementType: {namedType: item}}}}
    - {name: map, type: {map: {elementType: {scalar: string}}}}
    - {name: deep, type: {namedType: level}}
    - {name: wide, type: {namedType: wide}}
- name: meta
  map: {fields: [{name: name, type: {scalar: string}}, {name: uid, type: {scalar: string}}, {name: labels, type: {map: {elementType: {scalar: string}}}}]}
- name: branch
  map: {fields: [{name: items, type: {list: {elementRelationship: associative, keys: [name, kind], elementType: {namedType: item}}}}]}
- name: level
  map:
    fields:
    - {name: value, type: {scalar: string}}
    - {name: below, type: {namedType: level}}
- name: item
  map:
    unions:
    - discriminator: kind
      fields: [{fieldName: a, discriminatorValue: A}, {fieldName: b, discriminatorValue: B}]
    fields:
    - {name: name, type: {scalar: string}}
    - {name: number, type: {scalar: numeric}}
    - {name: kind, type: {scalar: string}, default: A}
    - {name: value, type: {scalar: string}, default: v}
    - {name: a, type: {scalar: string}}
    - {name: b, type: {scalar: string}}
`

// newType returns the type of the objects. The argument width is the number of fields in the
// type "wide". If gate is true, declarative defaults are on. If kind is not empty, it is the
// default of the field "kind" in list items.
func newType(gate bool, width int, kind string) typed.ParseableType {
	text := types + "- name: wide\n  map:\n    fields:\n    - {name: f, type: {scalar: string}}\n"
	p, err := typed.NewParser(typed.YAMLObject(text))
	must(err)
	for i := range p.Schema.Types {
		t := &p.Schema.Types[i]
		switch t.Name {
		case "wide":
			f := t.Map.Fields[0]
			t.Map.Fields = nil
			for n := range width {
				f.Name = fmt.Sprintf("field%06d", n)
				t.Map.Fields = append(t.Map.Fields, f)
			}
		case "item":
			for n := range t.Map.Fields {
				if t.Map.Fields[n].Name == "kind" && kind != "" {
					t.Map.Fields[n].Default = kind
				}
			}
		}
	}
	p.Schema.DeclarativeDefaults = gate
	return p.Type("obj")
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

type object = map[string]any

// shape describes an object with n elements.
type shape struct {
	axis  string // the field with the n elements, such as the name of a list; "deep" means n nested levels
	order string
	gate  bool
	n     int
}

func (s shape) String() string {
	name := s.axis
	if s.order != "" {
		name += "/" + s.order
	}
	if s.gate {
		name += "/gate"
	}
	return name
}

// lists has the names of the fields for which several orders are measured.
var lists = []string{"names", "numbers", "twos", "set"}

// orders are the orders of list items. With "pairs" and "copies", stored lists have duplicates
// in random order: every item occurs twice, or a few items occur many times.
var orders = []string{"sorted", "reversed", "shuffled", "interleaved", "pairs", "copies"}

// fewCopied is the number of different items in the order "copies".
const fewCopied = 8

// shapes returns all shapes. With declarative defaults, it omits some orders.
func shapes() []shape {
	var all []shape
	for _, gate := range []bool{false, true} {
		for _, axis := range lists {
			for _, order := range orders {
				if !gate || order == "shuffled" || order == "pairs" {
					all = append(all, shape{axis: axis, order: order, gate: gate})
				}
			}
		}
		for _, axis := range []string{"loose", "tree", "whole", "map", "deep", "wide"} {
			all = append(all, shape{axis: axis, gate: gate})
		}
	}
	return all
}

// largest returns the largest size for a shape. It limits deep objects to 4096 levels. That is
// enough, and decoders do not accept many more.
func (s shape) largest(n int) int {
	if s.axis == "deep" {
		return min(8*n, 4096)
	}
	return n
}

// numbers returns one number for each different element, in the order of the shape. The
// smallest number is 0.
func (s shape) numbers() []int {
	out := make([]int, s.different())
	for i := range out {
		out[i] = i
	}
	switch s.order {
	case "reversed":
		slices.Reverse(out)
	case "shuffled", "pairs", "copies":
		shuffle(out)
	case "interleaved":
		for i := range out {
			out[i] = i/2 + i%2*(s.n/2)
		}
	}
	return out
}

// different returns the number of different elements.
func (s shape) different() int {
	switch s.order {
	case "pairs":
		return s.n / 2
	case "copies":
		return min(fewCopied, s.n)
	}
	return s.n
}

// hasDuplicates reports whether stored lists have duplicates.
func (s shape) hasDuplicates() bool { return s.different() < s.n }

// stored returns the object as a server stores it. If the order of the shape has duplicates, the
// list of the stored object contains them. If not, stored returns the object itself.
func (s shape) stored(o object) object {
	items, ok := o[s.axis].([]any)
	if !ok || !s.hasDuplicates() {
		return o
	}
	repeated := slices.Repeat(items, s.n/s.different())
	shuffle(repeated)
	o = maps.Clone(o)
	o[s.axis] = repeated
	return o
}

// shuffle shuffles a list in place. The result is the same for each call with a list of this
// length.
func shuffle[T any](list []T) {
	n := len(list)
	rand.New(rand.NewSource(int64(n))).Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// object returns an object with one element for each number. The first argument is the value of
// all elements that have a string value.
func (s shape) object(text string, numbers []int) object {
	var v any
	switch s.axis {
	case "map", "wide":
		m := object{}
		for _, i := range numbers {
			m[fmt.Sprintf("field%06d", i)] = text
		}
		v = m
	case "tree":
		side := int(math.Sqrt(float64(s.n)))
		m := object{}
		for _, i := range numbers {
			name := fmt.Sprintf("branch%06d", i/side)
			if m[name] == nil {
				m[name] = object{"items": []any{}}
			}
			branch := m[name].(object)
			branch["items"] = append(branch["items"].([]any), object{"name": fmt.Sprintf("item-%06d", i%side), "value": text})
		}
		v = m
	case "deep":
		below := object{"value": text}
		for range numbers {
			below = object{"value": text, "below": below}
		}
		v = below
	default:
		l := make([]any, 0, len(numbers))
		for _, i := range numbers {
			name := fmt.Sprintf("item-%06d", i)
			if s.axis == "set" {
				l = append(l, name)
				continue
			}
			item := object{"name": name, "value": text}
			switch {
			case s.axis == "numbers":
				item["number"] = int64(1)<<62 + int64(i)
			case s.axis == "twos" && i%2 == 0:
				item["kind"], item["b"] = "B", "x"
			}
			l = append(l, item)
		}
		v = l
	}
	return object{"apiVersion": "example.org/v1", "kind": "Obj", "metadata": object{"name": "o"}, s.axis: v}
}
