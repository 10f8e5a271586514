// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import "slices"

// Merge merges a config into an object. The config's values replace the object's values. Fields
// that are not in the config keep their values.
func Merge(old, config any, t *Type) any {
	if isAbsent(config) {
		t = t.typeFor(old)
	}
	t = t.typeFor(config)
	if t.comparedAsWhole(old, config) { // rule M1
		if isAbsent(config) {
			return old
		}
		return config
	}
	if t.Kind == Map { // rule M2
		out := map[string]any{}
		for _, name := range names(old, config) {
			typ, _ := t.entryType(name)
			if v := Merge(field(old, name), field(config, name), typ); !isAbsent(v) {
				out[name] = v
			}
		}
		return out
	}
	return t.mergeLists(items(old), items(config))
}

// mergeLists merges two lists. The items of the config keep their order. If the object has an
// item with the same identity, the two items are merged. All other items of the object keep their
// place relative to the items that both lists have. If the config reorders items, some of them
// may have to move (rule M3).
func (t *Type) mergeLists(old, config []any) any {
	olds, news := t.identities(old), t.identities(config)
	// shared holds the identities that are in both lists and not yet in the result, in the order
	// of the config. The loop skips each shared item of the object that is not the next one in
	// this order.
	shared := slices.DeleteFunc(slices.Clone(news), func(id Element) bool { return !slices.Contains(olds, id) })
	done := map[Element]bool{}
	var out []any
	appendMerged := func(id Element, item any) {
		done[id] = true
		// If the object has duplicates with this identity, the config's item replaces all of
		// them and is not merged with any of them (rule M4).
		out = append(out, Merge(single(t.itemsWith(old, id)), item, t.Items))
		if len(shared) > 0 && shared[0] == id {
			shared = shared[1:]
		}
	}
	i, j := 0, 0
	for i < len(old) || j < len(config) {
		switch {
		case i < len(old) && !slices.Contains(news, olds[i]): // only the object has it
			out = append(out, old[i])
			i++
		case i < len(old) && j < len(config) && olds[i] == news[j]:
			appendMerged(news[j], config[j])
			i, j = i+1, j+1
		case i < len(old) && j < len(config) && len(shared) > 0 && shared[0] != olds[i]:
			i++ // skip this item: the loop adds it later, when it reaches the item in the config
		default:
			if i < len(old) && done[olds[i]] {
				i++
			}
			if j < len(config) {
				appendMerged(news[j], config[j])
				j++
			}
		}
	}
	return out
}

// Remove returns a copy of a value without the fields and items in a set. A map or list that
// loses all its contents becomes null (rule R1).
func Remove(v any, s Set, t *Type) any {
	switch t = t.typeFor(v); {
	case t.Kind == Scalar:
		return v
	case t.isEmpty(v) || t.Atomic:
		return nil
	case t.Kind == Map:
		out := map[string]any{}
		for _, name := range names(v) {
			at := Path("").field(name)
			typ, _ := t.entryType(name)
			if rest := s.below(at); !s[at] && len(rest) > 0 {
				out[name] = Remove(field(v, name), rest, typ)
			} else if !s[at] {
				out[name] = field(v, name)
			}
		}
		if len(out) > 0 {
			return out
		}
		return nil
	}
	var out []any
	for _, item := range items(v) {
		at := Path("").with(t.identity(item))
		if rest := s.below(at); !s[at] && len(rest) > 0 {
			out = append(out, Remove(item, rest, t.Items))
		} else if !s[at] {
			out = append(out, item)
		}
	}
	if len(out) > 0 {
		return out
	}
	return nil
}
