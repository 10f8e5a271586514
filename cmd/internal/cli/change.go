package cli

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
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
	find := finder{t}
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

// finder finds values by path in objects of a type, which knows how items are named.
type finder struct{ typ typed.ParseableType }

// topmostMissing returns the shortest beginning of path that object does not
// have or that is null in it, or path itself.
func (f finder) topmostMissing(object any, path fieldpath.Path) fieldpath.Path {
	for i := range path {
		next, _ := childAt(object, path[i], f.list(path[:i], path[i]))
		if next == nil {
			return path[:i+1]
		}
		object = next
	}
	return path
}

func (f finder) valueAt(v any, path fieldpath.Path) (any, bool) {
	for i := range path {
		next, ok := childAt(v, path[i], f.list(path[:i], path[i]))
		if !ok {
			return nil, false
		}
		v = next
	}
	return v, true
}

// itemsAt returns all items of a list that path names, nil of a path to something else.
func (f finder) itemsAt(v any, path fieldpath.Path) (found []any) {
	last := len(path) - 1
	if path[last].Key == nil && path[last].Value == nil {
		return nil
	}
	list, _ := f.valueAt(v, path[:last])
	items, _ := list.([]any)
	for _, item := range items {
		if _, ok := childAt([]any{item}, path[last], f.list(path[:last], path[last])); ok {
			found = append(found, item)
		}
	}
	return found
}

// upToDuplicate returns path, or its beginning that names an item which v has several
// times: what is below is in one or the other of them.
func (f finder) upToDuplicate(v any, path fieldpath.Path) fieldpath.Path {
	for i := range path {
		if len(f.itemsAt(v, path[:i+1])) > 1 {
			return path[:i+1]
		}
	}
	return path
}

// list returns the type of the list at path, of which e names an item; nil if e does
// so without keys, or there is no such type.
func (f finder) list(path fieldpath.Path, e fieldpath.PathElement) *graph.List {
	if e.Key == nil {
		return nil
	}
	steps := make([]any, 0, len(path))
	for _, e := range path {
		if e.FieldName != nil {
			steps = append(steps, *e.FieldName)
		} else {
			steps = append(steps, 0) // any item: they are of one type
		}
	}
	atom, _ := suggest.TypeAt(f.typ.Schema, f.typ.TypeRef, steps)
	return listType(f.typ.Schema, atom.List)
}

// listType is a type of lists of a schema as the engine has it, which knows the
// defaults of keys; nil if they have none.
func listType(s *schema.Schema, l *schema.List) *graph.List {
	if l == nil || l.ElementRelationship != schema.Associative || len(l.Keys) == 0 {
		return nil
	}
	return s.Node(schema.TypeRef{Inlined: schema.Atom{List: l}}).List
}

func valueAt(v any, path fieldpath.Path) (any, bool) {
	for i := range path {
		next, ok := childAt(v, path[i], nil)
		if !ok {
			return nil, false
		}
		v = next
	}
	return v, true
}

// childAt finds the child that e names. Without the type of a list, a key that an item
// lacks may be anything, so such an item will do if no other has all keys.
func childAt(v any, e fieldpath.PathElement, list *graph.List) (any, bool) {
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
			if list != nil {
				return itemNamed(v, e, list)
			}
			return itemWithKeys(v, *e.Key)
		}
	}
	return nil, false
}

func itemNamed(items []any, e fieldpath.PathElement, list *graph.List) (any, bool) {
	if name, ok := engine.Named(list, e); ok {
		for _, c := range items {
			if engine.Names(list, &name, c) {
				return c, true
			}
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

// ownersOf returns the entries that own the place at path or a part of it.
func ownersOf(entries []fieldmanager.Entry, path fieldpath.Path) []fieldmanager.Entry {
	var owners []fieldmanager.Entry
	for _, e := range entries {
		if owns(e.Set, path) {
			owners = append(owners, e)
		}
	}
	return owners
}

func owns(set *fieldpath.Set, path fieldpath.Path) bool {
	for i := range path {
		last := i == len(path)-1
		if last && set.Members.Has(path[i]) {
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
