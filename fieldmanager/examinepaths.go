// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// paths brings the paths of the entries up to date and takes out those that
// lead nowhere.
func (x *examination) paths() error {
	apiVersion, kind := document.TypeOf(x.live)
	t, err := x.m.typeFor(apiVersion, kind)
	if err != nil {
		return err
	}
	for i := range x.entries {
		e := &x.entries[i]
		if set := x.m.today(&e.Entry, x.plain, t); !set.Equals(e.Set) {
			if err := x.outdated(e, set, kind); err != nil {
				return err
			}
			e.Set = set
		}
	}
	managed, err := x.managed()
	if err != nil {
		return err
	}
	b, err := x.m.Blame(managed.Into(x.plain))
	if err != nil {
		return err
	}
	lost := make([][]fieldpath.Path, len(x.entries))
	for _, c := range b.Lost {
		at := x.find(b.Entries[c.Entry].Owner)
		lost[at] = append(lost[at], c.Path)
	}
	dead := make([]bool, len(x.entries))
	differ := x.m.differing(x.plain, apiVersion)
	for i, paths := range lost {
		e := &x.entries[i]
		if differ(e.APIVersion) != nil {
			continue // what is lost here may have another name there
		}
		left := e.Set.RecursiveDifference(fieldpath.NewSet(paths...))
		if left.Empty() {
			what := "nothing of what it owns is in the object"
			if e.Set.Empty() {
				what = "it owns nothing"
			}
			x.found(DeadManager, e, nil, "left out", "%s", what)
			dead[i] = true
			continue
		}
		if e.Operation == managedfields.OperationApply {
			continue // it may have been applied as null
		}
		for _, path := range paths {
			x.found(LostPath, e, path, "left out", "owned, but not in the object")
		}
		e.Set = left
	}
	list := x.entries
	x.entries, x.at = nil, nil
	for i, e := range list {
		if !dead[i] {
			x.add(e)
		}
	}
	return nil
}

// outdated notes what of an entry reads otherwise by the schema of today.
func (x *examination) outdated(e *examinedEntry, today *fieldpath.Set, kind string) error {
	t, err := x.m.typeFor(e.APIVersion, kind)
	if err != nil {
		return err
	}
	n := compiled.Node(t.Schema, t.TypeRef)
	gone, come := e.Set.Difference(today), today.Difference(e.Set)
	seen := map[string]bool{}
	for path := range gone.All() {
		old, now, isKey := rekeyed(path, come, n)
		if !isKey {
			now = longestIn(path, come)
			if now == nil {
				old, now = path, path
			} else {
				old = path[:len(now)+1]
			}
		}
		old = old.Copy()
		if name := old.String(); seen[name] {
			continue
		} else {
			seen[name] = true
		}
		if isKey {
			x.found(MissingKeyDefault, e, old, "now "+now.String(), "names an item without a key that has a default: it means %s", now)
		} else {
			x.found(OutdatedPath, e, old, "now "+now.String(), "is part of what the schema has as one whole by now: it means %s", now)
		}
	}
	return nil
}

// rekeyed finds the path in come that is path with more or other keys, in a value of
// type n; both are cut behind the item.
func rekeyed(path fieldpath.Path, come *fieldpath.Set, n *graph.Node) (old, now fieldpath.Path, ok bool) {
	set := come
	for i, element := range path {
		next, has := set.Children.Get(element)
		if element.Key != nil && !has && !set.Members.Has(element) && n.List != nil {
			if other, ok := item.Named(n.List, element); ok && (set.Members.Has(other) || !set.WithPrefix(other).Empty()) {
				return path[:i+1], append(path[:i:i], other), true
			}
		}
		if !has {
			return nil, nil, false
		}
		switch {
		case element.FieldName != nil && n.Map != nil:
			n = n.Map.At(*element.FieldName)
		case element.FieldName == nil && n.List != nil:
			n = n.List.Item
		default:
			return nil, nil, false
		}
		set = next
	}
	return nil, nil, false
}

// longestIn is the longest beginning of path that is in set, nil if there is none.
func longestIn(path fieldpath.Path, set *fieldpath.Set) fieldpath.Path {
	for n := len(path) - 1; n > 0; n-- {
		if set.Has(path[:n]) {
			return path[:n]
		}
	}
	return nil
}
