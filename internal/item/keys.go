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

// KeyOf returns the value of key k of an item: what is written, else the
// default, else false.
func KeyOf(item map[string]any, k *graph.Key) (any, bool) {
	if v, ok := item[k.Name]; ok && !IsMissing(k, v) {
		return v, true
	}
	return KeyDefault(k)
}

// KeyDefault returns what a missing key stands for, false if that is nothing.
func KeyDefault(k *graph.Key) (any, bool) { return k.Absent, k.Absent != nil }

// IsKeyDefault says whether v is what a missing key stands for, so that an item need
// not have it.
func IsKeyDefault(k *graph.Key, v any) bool {
	return k.Absent != nil && value.EqualUnstructured(v, k.Absent)
}

// IsMissing says whether v, which is written, counts as a missing key.
func IsMissing(k *graph.Key, v any) bool {
	return k.NullIsMissing && v == nil || k.ZeroIsMissing && IsZero(v)
}

// IsZero says whether v is what Go has for a string, number or boolean that
// was never set.
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

// FillKeys returns set, which holds items of l, with the keys that its elements
// lack filled from the defaults of today, and without those that count as missing,
// so that they name the items which they always meant. It is set itself if there
// are no such keys.
func FillKeys(l *graph.List, set *fieldpath.Set) *fieldpath.Set {
	if len(l.Keys) == 0 || len(l.Keys) == 1 && l.Keys[0].Absent == nil || !anyOdd(l, set) {
		return set
	}
	out := fieldpath.NewSet()
	for _, pe := range set.Members.Sorted() {
		out.Members.Insert(FillKey(l, pe))
	}
	for _, c := range set.Children.Sorted() {
		out = out.Union(fieldpath.FromSorted(nil, []fieldpath.SetNode{{PathElement: FillKey(l, c.PathElement), Set: c.Set}}))
	}
	return out
}

// anyOdd says whether an element of set is odd, see oddKey. It is asked of each
// list for each request, and most elements are in order at first sight.
func anyOdd(l *graph.List, set *fieldpath.Set) bool {
	members, children := set.Members.Sorted(), set.Children.Sorted()
	for i := range members {
		if key := members[i].Key; key != nil && !inOrder(l, *key) && oddKey(l, members[i]) {
			return true
		}
	}
	for i := range children {
		pe := &children[i].PathElement
		if i < len(members) && members[i].Key == pe.Key {
			continue // it is the same
		}
		if pe.Key != nil && !inOrder(l, *pe.Key) && oddKey(l, *pe) {
			return true
		}
	}
	return false
}

// inOrder says whether key has all keys of l, each with a value.
func inOrder(l *graph.List, key value.FieldList) bool {
	if len(key) != len(l.Keys) {
		return false
	}
	for i := range key {
		if k := &l.Keys[i]; key[i].Name != k.Name || k.ZeroIsMissing || key[i].Value.IsNull() {
			return false
		}
	}
	return true
}

// oddKey says whether pe lacks a key that has a default, or has one that counts
// as missing, and has any key without that. One with keys that l does not have was
// written for other keys, and means what it says.
func oddKey(l *graph.List, pe fieldpath.PathElement) bool {
	if pe.Key == nil {
		return false
	}
	key, odd, found, left := *pe.Key, false, 0, 0
	for i := range l.Keys {
		k := &l.Keys[i]
		at := slices.IndexFunc(key, func(f value.Field) bool { return f.Name == k.Name })
		there := at >= 0
		if there {
			found++
		}
		if there && IsMissing(k, key[at].Value.Unstructured()) {
			there, odd = false, true
		}
		switch {
		case there:
			left++
		case k.Absent != nil:
			left++
			odd = true
		}
	}
	return odd && left > 0 && found == len(key)
}

// FillKey is FillKeys for one path element.
func FillKey(l *graph.List, pe fieldpath.PathElement) fieldpath.PathElement {
	if !oddKey(l, pe) {
		return pe
	}
	var key value.FieldList
	for i := range l.Keys {
		k := &l.Keys[i]
		at := slices.IndexFunc(*pe.Key, func(f value.Field) bool { return f.Name == k.Name })
		if at >= 0 && !IsMissing(k, (*pe.Key)[at].Value.Unstructured()) {
			key = append(key, (*pe.Key)[at])
		} else if def, ok := KeyDefault(k); ok {
			key = append(key, value.Field{Name: k.Name, Value: value.NewValueInterface(def)})
		}
	}
	return fieldpath.PathElement{Key: &key}
}

// WithoutUnsetKeys returns item without the keys that count as missing though
// they are written, other than as null.
func WithoutUnsetKeys(l *graph.List, item any) any {
	out := data.EditedMap{Map: data.AsMap(item)}
	for i := range l.Keys {
		if k := &l.Keys[i]; k.ZeroIsMissing && IsZero(out.Map[k.Name]) {
			out.Delete(k.Name)
		}
	}
	item, _ = out.Of(item)
	return item
}
