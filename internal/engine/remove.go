// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/edition"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/ownedset"
)

// Remove returns v, a value of type n, without the paths of set and everything below them. The
// result shares unchanged parts with v. Some values become null:
//
//   - a container that loses all its entries
//   - an empty or atomic container, if set has a path inside it
//   - a value of the wrong kind, such as a string in place of a map, if set has a path inside it
//   - a root that is empty, atomic or of the wrong kind, even if set is empty (see IsEmptyOrAtomic)
//
// There is one exception: a value of the wrong kind stays if its type allows scalars but no maps.
//
// With declarative defaults, most containers cannot be null. So a container that loses all its
// entries becomes empty, and an empty container stays. An atomic container or a value of the wrong
// kind that would become null is removed. Only a root becomes null instead.
func Remove(n *graph.Node, v any, set *fieldpath.Set) any {
	w := newWorkspace()
	defer w.done()
	return (&pathFilter{w: w, set: set, declarative: n.Declarative}).value(n, v, set)
}

// RemoveGivenUp does the same as Remove for fields that an applier gave up. identified is false
// if a list item no longer has an identity, because it lost a key, or lost all fields and
// became null. With declarative defaults, items keep their keys (see ownedset.ExceptKeys).
func RemoveGivenUp(n *graph.Node, v any, set *fieldpath.Set) (out any, identified bool) {
	w := newWorkspace()
	defer w.done()
	r := pathFilter{w: w, set: set, declarative: n.Declarative, keepKeys: n.Declarative}
	out = r.value(n, v, set)
	return out, !r.lostIdentity
}

// Extract returns v, a value of type n, reduced to the paths of set. It returns null if nothing
// remains. A root that is a scalar, empty or atomic stays as it is, even if set is empty. A root of
// the wrong kind stays if its type allows scalars but no maps. Otherwise it becomes null.
//
// An atomic container stays complete if set has any part of it. A list item stays complete if its
// path is in set and no path below it is. Extract panics if it would have to read more than
// data.MaxDepth levels. A value that was validated is never so deep. Other values can come from
// typed.AsTypedUnvalidated.
//
// A field that is a granular map or list is a special case if its own path is in set. As in
// structured-merge-diff, its content is then extracted with the set of the map around it. If the
// process selects edition.V4, Extract returns the result of structured-merge-diff v4, in which empty
// containers become null (see pathFilter).
func Extract(n *graph.Node, v any, set *fieldpath.Set) any {
	w := newWorkspace()
	defer w.done()
	return (&pathFilter{w: w, set: set, extract: true, version4: edition.V4.Is()}).value(n, v, set)
}

// IsEmptyOrAtomic reports whether v, a value of type n, is an empty or atomic container. A value of
// the wrong kind, such as a string in place of a map, also counts as empty if n allows maps, or lists
// but no scalars. If the result is true, Remove returns null for v, even if its set is empty. There
// is one exception: with declarative defaults, Remove does not change an empty map or list.
func IsEmptyOrAtomic(n *graph.Node, v any) bool {
	switch data.KindFor(n, v) {
	case graph.MapKind:
		return v != nil && (n.Map.Atomic || len(data.AsMap(v)) == 0)
	case graph.ListKind:
		return v != nil && (n.List.IsAtomic() || len(data.AsList(v)) == 0)
	}
	return false
}

// pathFilter does the work of Remove, RemoveGivenUp and Extract. If extract is false, it removes the
// paths of a set from a value, and otherwise it reduces the value to these paths.
type pathFilter struct {
	w                 *workspace
	set               *fieldpath.Set // the whole set to remove or extract
	checked           bool           // true once allPartsHavePaths is known
	allPartsHavePaths bool           // whether every part of set has a path (see partHasPaths)
	extract           bool           // whether to extract the paths instead of removing them
	// version4 makes Extract behave as in structured-merge-diff v4. Empty containers become null. An
	// item whose own path is in set is extracted with the set of the whole list. If set also has paths
	// below the item, the result contains the item a second time, extracted with these paths.
	version4     bool
	declarative  bool // always false when extracting
	keepKeys     bool // whether items that stay keep their keys (see ownedset.ExceptKeys)
	lostIdentity bool // whether an item in the result has lost its identity
	// depth is the number of containers around the current value. Only Extract needs it, to limit
	// the depth, because it may use the same set for all levels inside a field (see extractFields).
	// Remove uses a smaller part of the set for each level, so it goes no deeper than the set.
	depth int
}

// partHasPaths reports whether part, a part of r.set, has any path. A part has none if it has no members,
// and if its children have no paths either. Walking each part to find out would visit deep levels
// several times. So the first call for a part without members checks all parts of r.set at once.
func (r *pathFilter) partHasPaths(part *fieldpath.Set) bool {
	if part.Members.Size() > 0 {
		return true
	}
	if !r.checked {
		r.checked, r.allPartsHavePaths = true, everyPartHasPaths(r.set)
	}
	return r.allPartsHavePaths || !part.Empty()
}

// everyPartHasPaths reports whether every part of a set has a path.
func everyPartHasPaths(set *fieldpath.Set) bool {
	for _, child := range set.Children.Sorted() {
		part := child.Set
		if part.Members.Size() == 0 && len(part.Children.Sorted()) == 0 || !everyPartHasPaths(part) {
			return false
		}
	}
	return true
}

// value removes the paths of set from v, or extracts them.
func (r *pathFilter) value(n *graph.Node, v any, set *fieldpath.Set) any {
	fields, items, class := data.AsMap(v), data.AsList(v), data.ClassOf(v)
	empty, kind := len(fields)+len(items) == 0, data.KindFor(n, v)
	// The order of the cases matters: after the first two, v is a map or list of the right kind.
	switch {
	case kind == graph.ScalarKind:
		return v
	case kind == 0, kind == graph.MapKind && class != data.Mapping, kind == graph.ListKind && class != data.List:
		return nil
	case empty && r.declarative:
		return v
	case empty, kind == graph.MapKind && n.Map.Atomic, kind == graph.ListKind && n.List.IsAtomic():
		if r.extract && !(r.version4 && empty) {
			return v
		}
		return nil
	}
	if r.depth++; r.extract && r.depth > data.MaxDepth {
		panic(data.DepthFindings()) // see Extract
	}
	var out any
	switch {
	case kind == graph.ListKind:
		out = r.items(n.List, items, set)
	case r.extract:
		out = r.extractFields(n.Map, fields, set)
	default:
		out = r.removeFields(n.Map, fields, set)
	}
	r.depth--
	return out
}

// removeFields removes the paths of set from a map.
func (r *pathFilter) removeFields(m *graph.Map, x map[string]any, set *fieldpath.Set) any {
	members := set.Members.Sorted()
	remaining := len(x)
	for i := range members {
		if name := members[i].FieldName; name != nil {
			if _, ok := x[*name]; ok {
				remaining--
			}
		}
	}
	if remaining == 0 {
		if r.declarative {
			return map[string]any{}
		}
		return nil
	}
	out := withoutMembers(x, members, remaining)
	// If the value of a field becomes null, the field stays. With declarative defaults, it is
	// removed.
	for _, child := range set.Children.Sorted() {
		if name := child.PathElement.FieldName; name != nil {
			if v, ok := out[*name]; ok && r.partHasPaths(child.Set) {
				if out[*name] = r.value(m.At(*name), v, child.Set); out[*name] == nil && v != nil && r.declarative {
					delete(out, *name)
				}
			}
		}
	}
	return out
}

// withoutMembers returns a copy of x without the given members. The argument remaining is the number
// of fields that remain. If most fields stay, cloning the map and deleting members is faster than
// adding fields to a new map.
func withoutMembers(x map[string]any, members []fieldpath.PathElement, remaining int) map[string]any {
	if remaining > len(x)/2 {
		out := maps.Clone(x)
		for i := range members {
			if name := members[i].FieldName; name != nil {
				delete(out, *name)
			}
		}
		return out
	}
	out := make(map[string]any, remaining)
	for name, v := range x {
		if _, isMember := slices.BinarySearchFunc(members, name, ownedset.ByName); !isMember {
			out[name] = v
		}
	}
	return out
}

// extractFields extracts the paths of set from a map. If the path of a field is itself in set, the
// content of the field is extracted with the set of the map, and not with the set below the
// field. structured-merge-diff does the same.
func (r *pathFilter) extractFields(m *graph.Map, x map[string]any, set *fieldpath.Set) any {
	out := map[string]any{}
	for name, v := range x {
		pe := fieldpath.PathElement{FieldName: &name}
		if set.Members.Has(pe) {
			out[name] = r.value(m.At(name), v, set)
		} else if below, ok := set.Children.Get(pe); ok && r.partHasPaths(below) {
			out[name] = r.value(m.At(name), v, below)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// items removes the paths of set from a list, or extracts them.
func (r *pathFilter) items(l *graph.List, x []any, set *fieldpath.Set) any {
	var out []any
	for _, v := range x {
		pe := r.w.Element(l, v)
		member := set.Members.Has(pe)
		if member && !r.extract {
			continue
		}
		if member && r.version4 {
			out = append(out, r.value(l.Item, v, set))
			member = false // the item is added again if set also has paths below it
		}
		below, ok := set.Children.Get(pe)
		if ok = ok && r.partHasPaths(below); ok {
			if r.keepKeys {
				below = ownedset.ExceptKeys(l, v, below)
			}
			rest := r.value(l.Item, v, below)
			if rest == nil && v != nil && r.declarative {
				continue
			}
			v = rest
			r.lostIdentity = r.lostIdentity || !item.HasIdentity(l, v)
		}
		if ok || member || !r.extract {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		if r.declarative {
			return []any{}
		}
		return nil
	}
	return out
}
