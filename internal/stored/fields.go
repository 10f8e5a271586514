// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
)

// Fields is the stored form of a set: fieldsV1 decoded from JSON. All names, keys and values in
// it are plain, which means that they have their usual form. So reading them cannot fail, they
// can be written unchanged, and each path element has at most one key. Nobody modifies Fields.
//
// The methods return the same results as the methods of the decoded set, but look up only a few
// keys. They return sure = false if an argument has a path element whose key does not have the
// usual form. The caller must then decode the set and call its method.
type Fields map[string]any

// plainDepth is the maximum nesting of plain fields.
const plainDepth = 128

// Check has facts that IsPlain finds in addition to its result.
type Check struct {
	// Reconciled becomes false if ownedset.Reconcile may change the fields (see
	// ownedset.IsReconciledStored). Callers of IsPlain must first set it to true.
	Reconciled bool
	// Same becomes false if the fields differ from otherFields. Callers that need this comparison
	// must first set it to true.
	Same bool
}

// IsPlain reports whether fields are plain (see Fields). It also updates Reconciled and Same, which
// have no meaning if it returns false. depth is 0 at the root. n is the type of the object, or nil
// if Reconciled is not needed. IsPlain compares fields with otherFields as long as Same is true.
func (c *Check) IsPlain(fields map[string]any, depth int, n *graph.Node, otherFields map[string]any) bool {
	if n != nil {
		if reconciled, known := ownedset.IsReconciledByType(n); known {
			c.Reconciled, n = c.Reconciled && reconciled, nil
		}
	}
	c.Same = c.Same && len(fields) == len(otherFields)
	for key, v := range fields {
		below, ok := v.(map[string]any)
		if !ok || below == nil {
			return false
		}
		var other map[string]any
		if c.Same {
			other, _ = otherFields[key].(map[string]any)
			c.Same = other != nil
		}
		if key == "." {
			if len(below) > 0 || depth == 0 || len(fields) == 1 {
				return false
			}
			c.Same = c.Same && len(other) == 0
			continue
		}
		if !isPlainKey(key) {
			return false
		}
		if len(below) == 0 {
			c.Same = c.Same && len(other) == 0
			continue
		}
		t := n
		if n != nil {
			if t, ok = ownedset.TypeAtKey(n, key); !ok {
				t = nil
			}
		}
		if depth == plainDepth || !c.IsPlain(below, depth+1, t, other) {
			return false
		}
	}
	return true
}

// isPlainKey reports whether a key has its usual form.
func isPlainKey(key string) bool {
	if len(key) < 2 || key[1] != ':' {
		return false
	}
	switch key[0] {
	case 'f':
		return true
	case 'v':
		after, ok := skipPlainScalar(key[2:])
		return ok && after == ""
	case 'k':
		return eachPlainField(key[2:], func(string, string) {})
	}
	return false
}

// plainKey returns the FieldsV1 key of an element. sure is false if the key does not have its usual
// form.
func plainKey(e *fieldpath.PathElement) (key string, sure bool) {
	key, err := elementKey(*e)
	return key, err == nil && isPlainKey(key)
}

// find returns the fields below an element. ok reports whether f has the element. If sure is
// false, the result is unknown (see Fields).
func (f Fields) find(e *fieldpath.PathElement) (below Fields, ok, sure bool) {
	var v any
	if e.FieldName != nil {
		var room [64]byte
		v, ok = f[string(append(append(room[:0], "f:"...), *e.FieldName...))]
	} else {
		key, sure := plainKey(e)
		if !sure {
			return nil, false, false
		}
		v, ok = f[key]
	}
	below, _ = v.(map[string]any)
	return below, ok, true
}

// isMember reports whether the path of an element is itself in the set. f has the fields below
// the element.
func (f Fields) isMember() bool {
	_, self := f["."]
	return self || len(f) == 0
}

// within reduces set to the elements that f also has, if f is much smaller than set. If not, it
// returns set itself. The reduction saves time if a request changes many fields, of which a manager
// owns only a few.
func (f Fields) within(set *fieldpath.Set) *fieldpath.Set {
	if 8*len(f) > set.Members.Size()+len(set.Children.Sorted()) {
		return set
	}
	var members []fieldpath.PathElement
	var children []fieldpath.SetNode
	for key := range f {
		if key == "." {
			continue
		}
		e, err := fieldpath.DeserializePathElement(key)
		if err != nil {
			return set
		}
		if set.Members.Has(e) {
			members = append(members, e)
		}
		if below, ok := set.Children.Get(e); ok {
			children = append(children, fieldpath.SetNode{PathElement: e, Set: below})
		}
	}
	slices.SortFunc(members, fieldpath.PathElement.Compare)
	slices.SortFunc(children, func(a, b fieldpath.SetNode) int { return a.PathElement.Compare(b.PathElement) })
	return fieldpath.FromSorted(members, children)
}

// disjoint reports whether f and set have no path in common. If sure is false, the result is
// unknown (see Fields).
func (f Fields) disjoint(set *fieldpath.Set) (disjoint, sure bool) {
	set = f.within(set)
	members, children := set.Members.Sorted(), set.Children.Sorted()
	for i := range members {
		below, ok, sure := f.find(&members[i])
		if !sure || ok && below.isMember() {
			return false, sure
		}
	}
	for i := range children {
		below, _, sure := f.find(&children[i].PathElement)
		if !sure {
			return false, false
		}
		if len(below) == 0 {
			continue
		}
		if disjoint, sure := below.disjoint(children[i].Set); !disjoint {
			return false, sure
		}
	}
	return true, true
}

// subtract returns f without the paths of set. The result shares unchanged parts with f. If sure
// is false, the result is unknown (see Fields).
func (f Fields) subtract(set *fieldpath.Set) (left Fields, sure bool) {
	left, set = f, f.within(set)
	members, children := set.Members.Sorted(), set.Children.Sorted()
	for i := range members {
		below, ok, sure := left.find(&members[i])
		if !sure {
			return nil, false
		}
		if ok && below.isMember() {
			left = left.put(f, &members[i], below.unmarked(), false)
		}
	}
	for i := range children {
		e := &children[i].PathElement
		below, _, sure := left.find(e)
		if !sure {
			return nil, false
		}
		if len(below) == 0 {
			continue
		}
		rest, sure := below.subtract(children[i].Set)
		if !sure {
			return nil, false
		}
		if !rest.sameMap(below) {
			_, member := below["."]
			left = left.put(f, e, rest, member)
		}
	}
	return left, true
}

// add returns f with the paths of set added. The result shares unchanged parts with f. If sure
// is false, the result is unknown (see Fields).
func (f Fields) add(set *fieldpath.Set) (more Fields, sure bool) {
	more = f
	members, children := set.Members.Sorted(), set.Children.Sorted()
	for i := range members {
		below, ok, sure := more.find(&members[i])
		if !sure {
			return nil, false
		}
		if !ok || !below.isMember() {
			more = more.put(f, &members[i], below, true)
		}
	}
	for i := range children {
		e := &children[i].PathElement
		below, ok, sure := more.find(e)
		if !sure {
			return nil, false
		}
		grown, sure := below.add(children[i].Set)
		if !sure {
			return nil, false
		}
		if !grown.sameMap(below) {
			more = more.put(f, e, grown, ok && below.isMember())
		}
	}
	return more, true
}

// sameMap reports whether f and g are the same map in memory, or both empty.
func (f Fields) sameMap(g Fields) bool {
	return len(f) == len(g) && (len(f) == 0 || box.SameMap(f, g))
}

// unmarked returns f without the key ".". This key means that the path of the element itself is
// in the set.
func (f Fields) unmarked() Fields {
	if _, marked := f["."]; !marked {
		return f
	}
	f = maps.Clone(f)
	delete(f, ".")
	return f
}

// put sets the fields below an element, and returns the changed map. member is true if the path of
// the element itself is in the set. put adds the key "." to the fields, or removes it, as member
// requires. If f is still the same map as original, put copies f first. If not, it modifies f in
// place.
func (f Fields) put(original Fields, e *fieldpath.PathElement, below Fields, member bool) Fields {
	if f.sameMap(original) {
		if f = maps.Clone(f); f == nil {
			f = Fields{}
		}
	}
	key, _ := plainKey(e)
	if _, marked := below["."]; marked && (len(below) == 1 || !member) {
		below = below.unmarked()
	} else if member && !marked && len(below) > 0 {
		below = maps.Clone(below)
		below["."] = map[string]any{}
	}
	switch {
	case len(below) > 0:
		f[key] = map[string]any(below)
	case member:
		f[key] = map[string]any{}
	default:
		delete(f, key)
	}
	return f
}
