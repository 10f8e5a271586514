// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// KeyValue returns the value of the key k in item. If the key is absent or counts as missing
// (see CountsAsMissing), it returns the default. It returns false if the key has no default either.
func KeyValue(item map[string]any, k *graph.Key) (any, bool) {
	if v, ok := item[k.Name]; ok && !CountsAsMissing(k, v) {
		return v, true
	}
	return KeyDefault(k)
}

// KeyDefault returns the default of a missing key. It returns false if the key has no
// default.
func KeyDefault(k *graph.Key) (any, bool) { return k.IfMissing, k.IfMissing != nil }

// IsKeyDefault reports whether v is the default of the key. An item with this value can omit
// the key.
func IsKeyDefault(k *graph.Key, v any) bool {
	return k.IfMissing != nil && value.EqualUnstructured(v, k.IfMissing)
}

// CountsAsMissing reports whether the key k counts as missing although it has the value v, for
// example because v is null. An item with such a key is treated as if the key were absent.
func CountsAsMissing(k *graph.Key, v any) bool {
	return k.NullIsMissing && v == nil || k.ZeroIsMissing && IsZero(v)
}

// IsZero reports whether v is the zero value of a Go string, number or boolean.
func IsZero(v any) bool {
	switch data.ClassOf(v) {
	case data.Text:
		return v == ""
	case data.Boolean:
		return v == false
	case data.Number:
		return value.EqualUnstructured(v, int64(0))
	}
	return false
}

// CompleteKeys completes the keys of the path elements of a stored field set, so that the elements
// identify items of l under the current schema. If an element lacks a key, CompleteKeys adds the
// default of the key. If a key in an element counts as missing, the default replaces its value. If
// there is no default, the key is removed. Elements that become equal are joined.
//
// CompleteKeys changes only the elements of set itself, and not those in the sets of its children.
// An element stays as it is if it has a key that l does not have, or if no key would remain.
// CompleteKeys does not modify set, and returns set itself if nothing changes.
func CompleteKeys(l *graph.List, set *fieldpath.Set) *fieldpath.Set {
	// If the only key has no default, nothing can be added to an element, and an element that lost its
	// key would have no key left.
	if len(l.Keys) == 0 || len(l.Keys) == 1 && l.Keys[0].IfMissing == nil || !anyMustComplete(l, set) {
		return set
	}
	members := slices.Clone(set.Members.Sorted())
	for i, pe := range members {
		members[i] = CompleteElementKeys(l, pe)
	}
	slices.SortStableFunc(members, fieldpath.PathElement.Compare)
	members = slices.CompactFunc(members, func(a, b fieldpath.PathElement) bool { return a.Compare(b) == 0 })

	children := slices.Clone(set.Children.Sorted())
	for i := range children {
		children[i].PathElement = CompleteElementKeys(l, children[i].PathElement)
	}
	slices.SortStableFunc(children, func(a, b fieldpath.SetNode) int { return a.PathElement.Compare(b.PathElement) })
	joined := children[:0]
	for _, c := range children {
		if last := len(joined) - 1; last >= 0 && joined[last].PathElement.Compare(c.PathElement) == 0 {
			joined[last].Set = joined[last].Set.Union(c.Set)
		} else {
			joined = append(joined, c)
		}
	}
	return fieldpath.FromSorted(members, joined)
}

// anyMustComplete reports whether CompleteKeys must change an element of set. It runs for each
// list in each request, so it first tries isSurelyComplete. This check is quick, and most
// elements pass it.
func anyMustComplete(l *graph.List, set *fieldpath.Set) bool {
	members, children := set.Members.Sorted(), set.Children.Sorted()
	for i := range members {
		if key := members[i].Key; key != nil && !isSurelyComplete(l, *key) && mustComplete(l, members[i]) {
			return true
		}
	}
	for i := range children {
		pe := &children[i].PathElement
		// The member at the same index often shares its key in memory.
		if i < len(members) && members[i].Key == pe.Key {
			continue // the loop over the members has checked this key already
		}
		if pe.Key != nil && !isSurelyComplete(l, *pe.Key) && mustComplete(l, *pe) {
			return true
		}
	}
	return false
}

// isSurelyComplete reports whether a path element has all keys of l, with values that cannot count as
// missing. The argument fields has the keys of the path element. The function may return false
// negatives. In particular, it returns false if l has a key for which zero counts as missing.
func isSurelyComplete(l *graph.List, fields value.FieldList) bool {
	if len(fields) != len(l.Keys) {
		return false
	}
	for i := range fields {
		if k := &l.Keys[i]; fields[i].Name != k.Name || k.ZeroIsMissing || fields[i].Value.IsNull() {
			return false
		}
	}
	return true
}

// mustComplete reports whether CompleteKeys must change pe. Usually, this is so if pe lacks a key
// that has a default, or has a key that counts as missing. There are two exceptions. pe does not
// change if it would have no keys afterwards. It also does not change if it has keys that l does
// not have, because it then belongs to a different list.
func mustComplete(l *graph.List, pe fieldpath.PathElement) bool {
	if pe.Key == nil {
		return false
	}
	key, incomplete := *pe.Key, false
	known, remaining := 0, 0 // the number of keys of pe that l has, and the number of keys of pe after the change
	for i := range l.Keys {
		k := &l.Keys[i]
		at := slices.IndexFunc(key, func(f value.Field) bool { return f.Name == k.Name })
		hasValue := at >= 0
		if hasValue {
			known++
		}
		if hasValue && CountsAsMissing(k, key[at].Value.Unstructured()) {
			hasValue, incomplete = false, true
		}
		switch {
		case hasValue:
			remaining++
		case k.IfMissing != nil:
			remaining++
			incomplete = true
		}
	}
	return incomplete && remaining > 0 && known == len(key)
}

// CompleteElementKeys does the same as CompleteKeys for one path element. NormalizeElement is
// stricter: it rejects an element that does not have the form of an element of l.
func CompleteElementKeys(l *graph.List, pe fieldpath.PathElement) fieldpath.PathElement {
	if !mustComplete(l, pe) {
		return pe
	}
	var key value.FieldList
	for i := range l.Keys {
		k := &l.Keys[i]
		at := slices.IndexFunc(*pe.Key, func(f value.Field) bool { return f.Name == k.Name })
		if at >= 0 && !CountsAsMissing(k, (*pe.Key)[at].Value.Unstructured()) {
			key = append(key, (*pe.Key)[at])
		} else if def, ok := KeyDefault(k); ok {
			key = append(key, value.Field{Name: k.Name, Value: value.NewValueInterface(def)})
		}
	}
	return fieldpath.PathElement{Key: &key}
}

// WithoutZeroKeys returns item without keys that have a zero value and therefore count as
// missing. If item has no such keys, WithoutZeroKeys returns item itself.
func WithoutZeroKeys(l *graph.List, item any) any {
	out := data.EditedMap{Map: data.AsMap(item)}
	for i := range l.Keys {
		if k := &l.Keys[i]; k.ZeroIsMissing && IsZero(out.Map[k.Name]) {
			out.Delete(k.Name)
		}
	}
	item, _ = out.Of(item)
	return item
}
