// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// change is one place where two states of an object differ: the topmost one
// that only one of them has, or a leaf that both have.
type change struct {
	path           fieldpath.Path
	old, new       any
	hasOld, hasNew bool
	// owners own the place, or part of it, in the old state.
	owners []fieldmanager.Entry
	// conflict is set if the change takes the place from other managers.
	conflict bool
	// immutable is set if the change is not allowed.
	immutable bool
	// respelled is set if the values differ in nothing but the spelling of quantities.
	respelled bool
	// encoded is set if the new value is text of a Secret's stringData.
	encoded bool
	// times is how often the old state has the item at path, if old and new are lists
	// of all that are there, since one of the states has it several times.
	times int
}

// changes returns how after differs from before, sorted by path. Managed
// fields do not count.
func changes(t typed.ParseableType, before, after map[string]any) ([]change, error) {
	before, after = secretAsStored(withoutManagedFields(before)), secretAsStored(withoutManagedFields(after))
	lhs, err := t.FromUnstructured(before, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	rhs, err := t.FromUnstructured(after, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	compared, err := lhs.Compare(rhs)
	if err != nil {
		return nil, err
	}
	find := newFinder(t)
	var paths []fieldpath.Path
	for path := range compared.Modified.All() {
		paths = append(paths, path.Copy())
	}
	for path := range compared.Added.All() {
		paths = append(paths, find.topmostMissing(before, path).Copy())
	}
	for path := range compared.Removed.All() {
		paths = append(paths, find.topmostMissing(after, path).Copy())
	}
	twice := hasDuplicates(t, before) || hasDuplicates(t, after)
	for i, path := range paths {
		if !twice {
			break
		}
		paths[i] = find.upToDuplicate(before, find.upToDuplicate(after, path))
	}
	slices.SortFunc(paths, fieldpath.Path.Compare)
	paths = slices.CompactFunc(paths, fieldpath.Path.Equals)

	list := make([]change, len(paths))
	for i, path := range paths {
		c := change{path: path}
		c.old, c.hasOld = find.valueAt(before, path)
		c.new, c.hasNew = find.valueAt(after, path)
		if twice {
			olds, news := find.itemsAt(before, path), find.itemsAt(after, path)
			if len(olds) > 1 || len(news) > 1 {
				c.old, c.new, c.times = olds, news, len(olds)
			}
		}
		list[i] = c
	}
	return list, nil
}

// hasDuplicates says whether a valid object has items of one identity.
func hasDuplicates(t typed.ParseableType, object map[string]any) bool {
	_, err := t.FromUnstructured(object)
	return err != nil
}

// finder finds values by path in objects of a type, which knows how items are named. It
// searches through long lists once, so they have to stay as they are.
type finder struct {
	typ   typed.ParseableType
	lists engine.ListIndexes
	types map[string]*graph.List // of lists by the names of the fields on the way to them
}

func newFinder(t typed.ParseableType) *finder {
	return &finder{t, engine.ListIndexes{}, map[string]*graph.List{}}
}

// topmostMissing returns the shortest beginning of path that object does not
// have or that is null in it, or path itself.
func (f *finder) topmostMissing(object any, path fieldpath.Path) fieldpath.Path {
	for i := range path {
		next, _ := f.childAt(object, path[:i+1])
		if next == nil {
			return path[:i+1]
		}
		object = next
	}
	return path
}

func (f *finder) valueAt(v any, path fieldpath.Path) (any, bool) {
	for i := range path {
		next, ok := f.childAt(v, path[:i+1])
		if !ok {
			return nil, false
		}
		v = next
	}
	return v, true
}

// childAt finds what path leads to in v, to which all of it but the last element does.
func (f *finder) childAt(v any, path fieldpath.Path) (any, bool) {
	last := path[len(path)-1]
	items, isList := v.([]any)
	if list := f.list(path); isList && list != nil {
		i, ok := f.lists.Find(list, items, last)
		if !ok {
			return nil, false
		}
		return items[i], true
	}
	return childAt(v, last)
}

// itemsAt returns all items of a list that path names, nil of a path to something else.
func (f *finder) itemsAt(v any, path fieldpath.Path) (found []any) {
	last := path[len(path)-1]
	if last.Key == nil && last.Value == nil {
		return nil
	}
	v, _ = f.valueAt(v, path[:len(path)-1])
	items, _ := v.([]any)
	if list := f.list(path); list != nil {
		return f.lists.All(list, items, last)
	}
	for _, item := range items {
		if _, ok := childAt([]any{item}, last); ok {
			found = append(found, item)
		}
	}
	return found
}

// upToDuplicate returns path, or its beginning that names an item which v has several
// times: what is below is in one or the other of them.
func (f *finder) upToDuplicate(v any, path fieldpath.Path) fieldpath.Path {
	for i := range path {
		if len(f.itemsAt(v, path[:i+1])) > 1 {
			return path[:i+1]
		}
	}
	return path
}

// list returns the type of the list of which path names an item; nil if it names
// something else, or there is no such type.
func (f *finder) list(path fieldpath.Path) *graph.List {
	if last := path[len(path)-1]; last.Key == nil && last.Value == nil {
		return nil
	}
	path = path[:len(path)-1]
	var way strings.Builder
	steps := make([]any, 0, len(path))
	for _, e := range path {
		way.WriteByte('\n')
		if e.FieldName != nil {
			way.WriteString(*e.FieldName)
			steps = append(steps, *e.FieldName)
		} else {
			steps = append(steps, 0) // any item: they are of one type
		}
	}
	found, ok := f.types[way.String()]
	if !ok {
		atom, _ := suggest.TypeAt(f.typ.Schema, f.typ.TypeRef, steps)
		found = listType(f.typ.Schema, atom.List)
		f.types[way.String()] = found
	}
	return found
}

// listType is a type of lists of a schema as the engine has it, which knows the
// defaults of keys; nil if they have none.
func listType(s *schema.Schema, l *schema.List) *graph.List {
	if l == nil || l.ElementRelationship != schema.Associative {
		return nil
	}
	return compiled.Node(s, schema.TypeRef{Inlined: schema.Atom{List: l}}).List
}

func valueAt(v any, path fieldpath.Path) (any, bool) {
	for i := range path {
		next, ok := childAt(v, path[i])
		if !ok {
			return nil, false
		}
		v = next
	}
	return v, true
}

// childAt finds the child that e names. Without the type of a list, a key that an item
// lacks may be anything, so such an item will do if no other has all keys.
func childAt(v any, e fieldpath.PathElement) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		if e.FieldName == nil {
			return nil, false
		}
		c, ok := v[*e.FieldName]
		return c, ok
	case []any:
		switch {
		case e.Index != nil:
			if *e.Index < 0 || *e.Index >= len(v) {
				return nil, false
			}
			return v[*e.Index], true
		case e.Value != nil:
			for _, c := range v {
				if value.Equals(value.NewValueInterface(c), *e.Value) {
					return c, true
				}
			}
		case e.Key != nil:
			return itemWithKeys(v, *e.Key)
		}
	}
	return nil, false
}

func itemWithKeys(items []any, keys value.FieldList) (found any, ok bool) {
	for _, c := range items {
		item, isMap := c.(map[string]any)
		if !isMap {
			continue
		}
		all, fits := true, true
		for _, k := range keys {
			switch v := item[k.Name]; {
			case v == nil && !k.Value.IsNull():
				all = false
			case !value.Equals(value.NewValueInterface(v), k.Value):
				fits = false
			}
		}
		if fits && all {
			return c, true
		}
		if fits && !ok {
			found, ok = c, true
		}
	}
	return found, ok
}

// ownership knows which entries own what, however many there are.
type ownership struct {
	entries []fieldmanager.Entry
	root    *ownedPlace
}

// ownedPlace is a place that something is owned of: owners have it, or what is below it.
type ownedPlace struct {
	owners []int
	below  map[string]*ownedPlace
}

func newOwnership(entries []fieldmanager.Entry) *ownership {
	o := &ownership{entries, &ownedPlace{}}
	for i, e := range entries {
		for path := range e.Set.All() {
			at := o.root
			for _, element := range path {
				name := element.String()
				next := at.below[name]
				if next == nil {
					if at.below == nil {
						at.below = map[string]*ownedPlace{}
					}
					next = &ownedPlace{}
					at.below[name] = next
				}
				at = next
			}
			at.owners = append(at.owners, i)
		}
	}
	return o
}

// of returns the entries that own the place at path or a part of it.
func (o *ownership) of(path fieldpath.Path) []fieldmanager.Entry {
	at := o.root
	for _, element := range path {
		if at = at.below[element.String()]; at == nil {
			return nil
		}
	}
	var found []int
	var collect func(p *ownedPlace)
	collect = func(p *ownedPlace) {
		found = append(found, p.owners...)
		for _, below := range p.below {
			collect(below)
		}
	}
	collect(at)
	slices.Sort(found)
	owners := make([]fieldmanager.Entry, 0, len(found))
	for _, i := range slices.Compact(found) {
		owners = append(owners, o.entries[i])
	}
	return owners
}

// overlaps says whether a path leads to a part of what some path of the set leads to, or
// the other way round.
func overlaps(set *fieldpath.Set, path fieldpath.Path) bool {
	for i := range path {
		if set.Members.Has(path[i]) {
			return true
		}
		below, ok := set.Children.Get(path[i])
		if !ok {
			return false
		}
		set = below
	}
	return !set.Empty()
}
