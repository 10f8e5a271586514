package cli

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
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
}

// changes returns how after differs from before, sorted by path. Managed
// fields do not count.
func changes(t typed.ParseableType, before, after map[string]any) ([]change, error) {
	before, after = withoutManagedFields(before), withoutManagedFields(after)
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
	var paths []fieldpath.Path
	for path := range compared.Modified.All() {
		paths = append(paths, path.Copy())
	}
	for path := range compared.Added.All() {
		paths = append(paths, topmostMissing(before, path).Copy())
	}
	for path := range compared.Removed.All() {
		paths = append(paths, topmostMissing(after, path).Copy())
	}
	slices.SortFunc(paths, fieldpath.Path.Compare)
	paths = slices.CompactFunc(paths, fieldpath.Path.Equals)

	list := make([]change, len(paths))
	for i, path := range paths {
		c := change{path: path}
		c.old, c.hasOld = valueAt(before, path)
		c.new, c.hasNew = valueAt(after, path)
		list[i] = c
	}
	return list, nil
}

// topmostMissing returns the shortest beginning of path that object does not
// have or that is null in it, or path itself.
func topmostMissing(object any, path fieldpath.Path) fieldpath.Path {
	for i := range path {
		next, _ := childAt(object, path[i])
		if next == nil {
			return path[:i+1]
		}
		object = next
	}
	return path
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

// childAt finds the child that e names. A key that an item lacks may be the
// default, so such an item will do if no other has all keys.
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
