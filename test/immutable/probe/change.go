// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// Change is one change of one field of an object.
type Change struct {
	Place *Place
	// How is Set, Unset, Changed, Added, Removed or Swapped.
	How       string
	Old, Next map[string]any
}

// These are the kinds of changes. Set sets a missing field, Unset removes a field, and Changed
// replaces its value. Added and Removed add or remove one entry of a list or map. Swapped
// exchanges items of a list.
const (
	Set     = "set"
	Unset   = "unset"
	Changed = "change"
	Added   = "add"
	Removed = "remove"
	Swapped = "swap"
)

// Changes returns the possible changes of one field. Most changes replace or remove an old
// value. If the field has no value in the object, Changes uses a sample value as the old value.
func (p *Place) Changes(object map[string]any) []Change {
	if len(p.Path) == 0 || len(p.Path) == 1 && p.Path[0] == "metadata" {
		return nil // the whole object, or a field that identifies it
	}
	with := runtime.DeepCopyJSON(object)
	if _, ok := valueAt(with, p.Path); !ok {
		if !p.putAt(with, p.Path, p.sample(0)) {
			return nil
		}
	}
	without := runtime.DeepCopyJSON(with)
	removeAt(without, p.Path)
	changes := []Change{{p, Set, without, with}, {p, Unset, with, without}}
	edit := func(how string, next any) {
		after := runtime.DeepCopyJSON(with)
		p.putAt(after, p.Path, next)
		changes = append(changes, Change{p, how, with, after})
	}
	v, _ := valueAt(with, p.Path)
	switch v := v.(type) {
	case map[string]any:
		if p.Type.Kind() == reflect.Map && len(p.Below) == 1 {
			more := runtime.DeepCopyJSON(v)
			more["added"] = p.Below[0].sample(1)
			edit(Added, more)
			if len(v) > 0 {
				fewer := runtime.DeepCopyJSON(v)
				delete(fewer, slices.Sorted(maps.Keys(fewer))[0])
				edit(Removed, fewer)
			}
		} else if leafKind(p.Type) == anyLeaf {
			edit(Changed, p.sample(1))
		}
	case []any:
		copied, _ := runtime.DeepCopyJSONValue(v).([]any)
		if len(p.Below) == 1 {
			item := p.Below[0].sample(1)
			edit(Added, append(slices.Clone(copied), item))
			if len(v) > 0 {
				edit(Removed, slices.Clone(copied[1:]))
				edit(Swapped, append([]any{item}, copied...))
				last := &changes[len(changes)-1]
				last.Old = runtime.DeepCopyJSON(last.Old)
				p.putAt(last.Old, p.Path, append(slices.Clone(copied), item))
			}
		}
	default:
		for n := range 2 {
			if next := p.sample(n); !reflect.DeepEqual(next, v) {
				edit(Changed, next)
				break
			}
		}
	}
	return changes
}

// valueAt returns the value at a path. A step Item selects the first item of a list, and a step
// Value the first value of a map.
func valueAt(v any, path []string) (any, bool) {
	for _, step := range path {
		switch c := v.(type) {
		case []any:
			if step != Item || len(c) == 0 {
				return nil, false
			}
			v = c[0]
		case map[string]any:
			key, ok := keyOf(c, step)
			if !ok {
				return nil, false
			}
			v = c[key]
		default:
			return nil, false
		}
	}
	return v, true
}

func keyOf(m map[string]any, step string) (string, bool) {
	if step == Value {
		if len(m) == 0 {
			return "alpha", false
		}
		return slices.Sorted(maps.Keys(m))[0], true
	}
	_, ok := m[step]
	return step, ok
}

// putAt sets the value at a path. It creates missing structs and items above it.
func (p *Place) putAt(object map[string]any, path []string, value any) bool {
	var parent any = object
	put := func(any) {}
	at := p.root
	for i, step := range path {
		at = at.below(step)
		if at == nil {
			return false
		}
		last := i == len(path)-1
		next := value
		if !last {
			if v, ok := valueAt(object, path[:i+1]); ok && v != nil {
				next = v
			} else {
				next = at.sample(0)
			}
		}
		switch c := parent.(type) {
		case map[string]any:
			key, _ := keyOf(c, step)
			c[key] = next
			put = func(v any) { c[key] = v }
		case []any:
			if len(c) == 0 {
				c = []any{next}
				put(c)
			} else {
				c[0] = next
			}
			put = func(v any) { c[0] = v }
		default:
			return false
		}
		parent = next
	}
	return true
}

func removeAt(object map[string]any, path []string) {
	end := len(path) - 1
	parent, _ := valueAt(object, path[:end])
	switch c := parent.(type) {
	case map[string]any:
		key, _ := keyOf(c, path[end])
		delete(c, key)
	case []any:
		// Store the list without the item.
		list, _ := valueAt(object, path[:end])
		if l, ok := list.([]any); ok && len(l) > 0 {
			setList(object, path[:end], l[1:])
		}
	}
}

func setList(object map[string]any, path []string, list []any) {
	end := len(path) - 1
	parent, _ := valueAt(object, path[:end])
	switch c := parent.(type) {
	case map[string]any:
		key, _ := keyOf(c, path[end])
		c[key] = list
	case []any:
		if len(c) > 0 {
			c[0] = list
		}
	}
}
