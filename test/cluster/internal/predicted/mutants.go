// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// mutator creates mutants: copies of objects with random faults.
type mutator struct {
	rnd *rand.Rand
	// members contains the values that the maps of all objects have, by the name of the map and
	// the key. For example, members["resources"]["limits"] has the values of the key "limits" in
	// all maps named "resources". The name of a map in a list is the name of the list, followed
	// by "[]".
	members map[string]map[string][]any
	// values contains all values that are not maps, by the name of their field.
	values map[string][]any
}

// newMutator returns a mutator whose mutants get values from all of these objects. For
// example, a volume can get a second source, or a variable can get both a value and a
// reference.
func newMutator(objects []object, rnd *rand.Rand) *mutator {
	m := &mutator{rnd: rnd, members: map[string]map[string][]any{}, values: map[string][]any{}}
	for _, o := range objects {
		for _, s := range sites(o) {
			if s.value == nil {
				continue
			}
			if inner, ok := s.value.(object); ok {
				if m.members[s.name] == nil {
					m.members[s.name] = map[string][]any{}
				}
				for k, v := range inner {
					m.members[s.name][k] = append(m.members[s.name][k], v)
				}
				continue
			}
			m.values[s.name] = append(m.values[s.name], s.value)
		}
	}
	return m
}

// site is one value in an object, except its apiVersion and kind.
type site struct {
	name  string // the name of the field, with "[]" for an item of a list
	value any
	set   func(any)
	// remove removes the value from its map or list. It is nil for the spec and the metadata.
	remove func()
}

// sites returns the values in an object, in a fixed order.
func sites(o object) (all []site) {
	var walk func(v any, name string, set func(any), remove func())
	walk = func(v any, name string, set func(any), remove func()) {
		all = append(all, site{name, v, set, remove})
		switch v := v.(type) {
		case object:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k], k, func(x any) { v[k] = x }, func() { delete(v, k) })
			}
		case []any:
			for i := range v {
				walk(v[i], name+"[]", func(x any) { v[i] = x }, func() { set(append(v[:i:i], v[i+1:]...)) })
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(o)) {
		if k != "apiVersion" && k != "kind" && k != "status" {
			walk(o[k], k, func(x any) { o[k] = x }, nil)
		}
	}
	return all
}

// mutant returns a copy of an object with one or two faults.
func (m *mutator) mutant(o object) object {
	o = runtime.DeepCopyJSON(o)
	m.edit(o)
	if m.rnd.IntN(5) == 0 {
		m.edit(o)
	}
	return o
}

// remove removes one value in place.
func (m *mutator) remove(o object) {
	all := slices.DeleteFunc(sites(o), func(s site) bool { return s.remove == nil })
	if len(all) > 0 {
		all[m.rnd.IntN(len(all))].remove()
	}
}

// texts are strings that many fields do not allow.
var texts = []any{"", "Not Valid_/!", strings.Repeat("x", 300), "-x", "x.", "0", "-1", "1.5", "300Mi", "1h", "10%", "200%", "a/b", "a/b/c", "*", "*.x", "x_y", "10.0.0.256", "::1", "10.0.0.0/8", "https://a.example/b", "/x", "..", " x", "é"}

// numbers are at or beyond the limits of common ranges.
var numbers = []any{int64(-1), int64(0), int64(1), int64(101), int64(1000), int64(70000), int64(1)<<31 - 1, int64(1) << 31, int64(1) << 53}

// edit changes one value in place.
func (m *mutator) edit(o object) {
	all := sites(o)
	s := all[m.rnd.IntN(len(all))]
	switch {
	case s.remove != nil && m.rnd.IntN(6) == 0:
		s.remove()
		return
	case m.rnd.IntN(40) == 0:
		s.set([]any{nil, object{}, []any{}, "x", int64(3), true}[m.rnd.IntN(6)]) // often of a wrong type
		return
	case m.rnd.IntN(6) == 0 && len(m.values[s.name]) > 0:
		s.set(runtime.DeepCopyJSONValue(pick(m.rnd, m.values[s.name])))
		return
	}
	switch v := s.value.(type) {
	case string:
		switch m.rnd.IntN(6) {
		case 0:
			s.set(strings.ToUpper(v))
		case 1:
			s.set(v + "-")
		case 2:
			s.set(v + "x")
		default:
			s.set(pick(m.rnd, texts))
		}
	case int64:
		switch m.rnd.IntN(4) {
		case 0:
			s.set(v + 1)
		case 1:
			s.set(-v)
		default:
			s.set(pick(m.rnd, numbers))
		}
	case bool:
		s.set(!v)
	case []any:
		m.editList(s, v)
	case object:
		m.editMap(s, v)
	default:
		s.set("x")
	}
}

func (m *mutator) editList(s site, v []any) {
	switch items := m.members[s.name+"[]"]; {
	case len(v) == 0 || m.rnd.IntN(5) == 0:
		s.set([]any{})
	case m.rnd.IntN(3) == 0 && len(items) > 0:
		item := object{} // a random item
		for _, k := range slices.Sorted(maps.Keys(items)) {
			if m.rnd.IntN(2) == 0 {
				item[k] = runtime.DeepCopyJSONValue(pick(m.rnd, items[k]))
			}
		}
		s.set(append(v[:len(v):len(v)], item))
	case m.rnd.IntN(3) == 0:
		v = slices.Clone(v)
		slices.Reverse(v)
		s.set(v)
	default:
		s.set(append(v[:len(v):len(v)], runtime.DeepCopyJSONValue(pick(m.rnd, v))))
	}
}

func (m *mutator) editMap(s site, v object) {
	known := m.members[s.name]
	switch n := m.rnd.IntN(8); {
	case n == 0:
		s.set(object{})
	case n == 1:
		v["bad key!"] = "x"
	case n < 5 && len(known) > 0: // add a member
		k := pick(m.rnd, slices.Sorted(maps.Keys(known)))
		v[k] = runtime.DeepCopyJSONValue(pick(m.rnd, known[k]))
	case n < 7 && len(known) > 0 && len(v) > 0: // replace a member with another
		delete(v, pick(m.rnd, slices.Sorted(maps.Keys(v))))
		k := pick(m.rnd, slices.Sorted(maps.Keys(known)))
		v[k] = runtime.DeepCopyJSONValue(pick(m.rnd, known[k]))
	case len(v) > 0:
		k := pick(m.rnd, slices.Sorted(maps.Keys(v)))
		v[k+"x"] = v[k]
		delete(v, k)
	}
}

func pick[T any](rnd *rand.Rand, of []T) T { return of[rnd.IntN(len(of))] }
