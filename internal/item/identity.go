// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// The code in this file defines the identity of an item in an associative list. For example,
// {port: 80} and {port: 80, protocol: TCP} are the same item if TCP is the default of
// protocol (see KeyValue).

// Element returns the path element that identifies item in the list l. It returns false if the item
// has no identity. Workspace.Element does the same with fewer allocations, but returns the zero element
// instead of false.
func Element(l *graph.List, item any) (fieldpath.PathElement, bool) {
	if !HasIdentity(l, item) {
		return fieldpath.PathElement{}, false
	}
	if len(l.Keys) == 0 {
		return fieldpath.ValueElement(value.NewValueInterface(item)), true
	}
	m := data.AsMap(item)
	key := make(value.FieldList, 0, len(l.Keys))
	for i := range l.Keys {
		if v, ok := KeyValue(m, &l.Keys[i]); ok {
			key = append(key, value.Field{Name: l.Keys[i].Name, Value: value.NewValueInterface(v)})
		}
	}
	return fieldpath.PathElement{Key: &key}, true
}

// NormalizeElement adapts pe, which may come from a stored field set, to the current schema of
// the list l. It adds the defaults of keys that pe lacks. A key in pe that counts as missing
// (see CountsAsMissing) is replaced by its default, or removed if it has none. The keys of the result
// are in the order of l.Keys.
//
// NormalizeElement returns false if pe does not have the form of an element of l. In a set, pe must
// have a value, of any class. In a list with keys, pe must have only keys of l, and enough of them to
// be an identity. CompleteElementKeys, in contrast, returns an element of another form unchanged.
func NormalizeElement(l *graph.List, pe fieldpath.PathElement) (fieldpath.PathElement, bool) {
	if !l.IsAssociative() || (pe.Key == nil) != (len(l.Keys) == 0) {
		return fieldpath.PathElement{}, false
	}
	if pe.Key == nil {
		return pe, pe.Value != nil
	}
	item := make(map[string]any, len(*pe.Key))
	for _, f := range *pe.Key {
		if l.Key(f.Name) == nil {
			return fieldpath.PathElement{}, false
		}
		item[f.Name] = f.Value.Unstructured()
	}
	return Element(l, item)
}

// IdentityError returns the reason why item has no identity in the list l. It returns nil if
// item has an identity. The errors have the same messages as those of structured-merge-diff.
func IdentityError(l *graph.List, item any) error {
	if !l.IsAssociative() {
		return errors.New("invalid indexing of non-associative list")
	}
	c := data.ClassOf(item)
	if len(l.Keys) == 0 {
		switch c {
		case data.Mapping:
			return errors.New("associative list without keys has an element that's a map type")
		case data.List:
			return errors.New("not supported: associative list with lists as elements")
		case data.Null:
			return errors.New("associative list without keys has an element that's an explicit null")
		}
		return nil
	}
	switch c {
	case data.Null:
		return errors.New("associative list with keys may not have a null element")
	case data.Mapping:
		return keysError(l, data.AsMap(item))
	}
	return errors.New("associative list with keys may not have non-map elements")
}

// keysError does the same as IdentityError for an item that is a map.
func keysError(l *graph.List, item map[string]any) error {
	found := 0
	for i := range l.Keys {
		if _, ok := KeyValue(item, &l.Keys[i]); ok {
			found++
		}
	}
	if found == len(l.Keys) {
		return nil
	}
	if l.KeyFault != "" || l.Strict {
		for _, name := range l.KeyNames {
			if _, ok := KeyValue(item, l.Key(name)); !ok {
				if l.KeyFault != "" {
					return fmt.Errorf("couldn't find default value for %v: %v", name, l.KeyFault)
				}
				return fmt.Errorf("associative list with keys has an element that omits key field %q (and doesn't have default value)", name)
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("associative list with keys has an element that omits all key fields %q (and doesn't have default values for any key fields)", l.KeyNames)
	}
	return nil
}

// KeysWithoutValueOrDefault returns the keys of the list l for which item has neither a value nor a
// default. If the list is not strict, the item can still have an identity. The result is nil if item
// is not a map, or if an error in the schema hides the defaults of keys (see graph.List.KeyFault).
func KeysWithoutValueOrDefault(l *graph.List, item any) (names []string) {
	m := data.AsMap(item)
	if data.ClassOf(item) != data.Mapping || l.KeyFault != "" {
		return nil
	}
	for _, name := range l.KeyNames {
		if _, ok := KeyValue(m, l.Key(name)); !ok {
			names = append(names, name)
		}
	}
	return names
}

// HasIdentity reports whether item has an identity in the list l. This is so if IdentityError returns
// nil. Unlike IdentityError, HasIdentity does not allocate for the usual types.
func HasIdentity(l *graph.List, item any) bool {
	if !l.IsAssociative() {
		return false
	}
	if len(l.Keys) == 0 {
		c := data.ClassOf(item)
		return c != data.Mapping && c != data.List && c != data.Null
	}
	m := data.AsMap(item)
	if m == nil && data.ClassOf(item) != data.Mapping {
		return false
	}
	found := 0
	for i := range l.Keys {
		if _, ok := KeyValue(m, &l.Keys[i]); ok {
			found++
		}
	}
	return found == len(l.Keys) || found > 0 && l.KeyFault == "" && !l.Strict
}

// Element returns the path element that identifies item in the list l. If the item has no
// identity, Element returns the zero element, as in structured-merge-diff.
func (w *Workspace) Element(l *graph.List, item any) fieldpath.PathElement {
	if !HasIdentity(l, item) {
		return fieldpath.PathElement{}
	}
	mark := w.ValueScratch.Len()
	w.pushIdentity(l, item)
	pe := w.ElementFromIdentity(l, w.ValueScratch.S[mark:])
	w.ValueScratch.Pop(mark)
	return pe
}

// ElementFromIdentity returns the path element for an identity that PushIdentities returned.
func (w *Workspace) ElementFromIdentity(l *graph.List, id []any) fieldpath.PathElement {
	if len(l.Keys) == 0 {
		v := w.values.One()
		*v = w.batch.Value(id[0])
		return fieldpath.PathElement{Value: v}
	}
	fields := w.keyFields.Take(len(l.Keys))[:0]
	for i, v := range id {
		if v != noKey {
			fields = append(fields, value.Field{Name: l.Keys[i].Name, Value: w.batch.Value(v)})
		}
	}
	key := w.keys.One()
	*key = fields[:len(fields):len(fields)]
	return fieldpath.PathElement{Key: key}
}

// SameIdentity reports whether the items a and b have the same identity. Both items must
// have an identity. Because a NaN equals no value, an item with a NaN in its identity does not even
// have the same identity as itself. There is one exception, which Identities does not make: in a list
// with keys, a map[string]any has the same identity as itself.
func SameIdentity(l *graph.List, a, b any) bool {
	if len(l.Keys) == 0 {
		return value.EqualUnstructured(a, b)
	}
	x, y := data.AsMap(a), data.AsMap(b)
	if x != nil && box.SameMap(x, y) {
		return true
	}
	for i := range l.Keys {
		v, ok := KeyValue(x, &l.Keys[i])
		u, has := KeyValue(y, &l.Keys[i])
		if ok != has || ok && !value.EqualUnstructured(v, u) {
			return false
		}
	}
	return true
}

// matches reports whether pe identifies item. pe must be normalized (see NormalizeElement): it must
// have the defaults of its missing keys, and its keys must be in the order of l.Keys.
func matches(l *graph.List, pe *fieldpath.PathElement, item any) bool {
	return HasIdentity(l, item) && matchesIdentified(l, pe, item)
}

// matchesIdentified does the same as matches for an item that is known to have an identity.
func matchesIdentified(l *graph.List, pe *fieldpath.PathElement, item any) bool {
	if len(l.Keys) == 0 {
		return pe.Value != nil && value.EqualUnstructured((*pe.Value).Unstructured(), item)
	}
	if pe.Key == nil {
		return false
	}
	m := data.AsMap(item)
	rest := *pe.Key
	for i := range l.Keys {
		v, ok := KeyValue(m, &l.Keys[i])
		if !ok {
			continue
		}
		if len(rest) == 0 || rest[0].Name != l.Keys[i].Name || !value.EqualUnstructured(rest[0].Value.Unstructured(), v) {
			return false
		}
		rest = rest[1:]
	}
	return len(rest) == 0
}

// hashItem returns the hash of an item's identity. For a NaN in a set, the hash is random.
func hashItem(g *data.Hashing, l *graph.List, item any) uint64 {
	if len(l.Keys) == 0 {
		if data.IsNaN(item) {
			return rand.Uint64() // a NaN equals no item, so give each its own slot in the hash table
		}
		return g.Value(data.HashSeed, item)
	}
	m := data.AsMap(item)
	h := data.HashSeed
	for i := range l.Keys {
		if v, ok := KeyValue(m, &l.Keys[i]); ok {
			if data.IsNaN(v) {
				// A NaN key equals no other key. So only the same map[string]any in memory has the same
				// identity (see SameIdentity).
				return data.Mix(data.HashNumbers, uint64(uintptr(box.MapAddress(m))))
			}
			h = g.Value(h, v)
		} else {
			h = data.Mix(h, data.HashMissing)
		}
	}
	return h
}

// hashElement returns the hash that hashItem returns for the items that pe identifies. pe must be
// normalized (see NormalizeElement). hashElement returns false if pe cannot identify an item.
func hashElement(g *data.Hashing, l *graph.List, pe *fieldpath.PathElement) (uint64, bool) {
	if len(l.Keys) == 0 {
		if pe.Value == nil {
			return 0, false
		}
		return g.Value(data.HashSeed, (*pe.Value).Unstructured()), true
	}
	if pe.Key == nil {
		return 0, false
	}
	h := data.HashSeed
	rest := *pe.Key
	for i := range l.Keys {
		if len(rest) > 0 && rest[0].Name == l.Keys[i].Name {
			h = g.Value(h, rest[0].Value.Unstructured())
			rest = rest[1:]
		} else {
			h = data.Mix(h, data.HashMissing)
		}
	}
	return h, len(rest) == 0
}
