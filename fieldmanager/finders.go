package fieldmanager

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/typed"
)

// finders are for many lookups in few values: lists that are asked again and again
// are searched through once. They are not safe for concurrent use.
type finders map[*typed.TypedValue]place

func (f finders) place(tv *typed.TypedValue, path fieldpath.Path) (place, bool) {
	if tv == nil {
		return place{}, false
	}
	root, ok := f[tv]
	if !ok {
		root = rootOf(tv)
		root.lists = listIndexes{}
		root.plain = withStringKeys(root.plain)
		f[tv] = root
	}
	return root.at(path)
}

// value is valueAt.
func (f finders) value(tv *typed.TypedValue, path fieldpath.Path) (any, bool) {
	p, ok := f.place(tv, path)
	return p.plain, ok
}

// defaultOf is defaultAt.
func (f finders) defaultOf(tv *typed.TypedValue, path fieldpath.Path) (any, bool) {
	if len(path) == 0 || path[len(path)-1].FieldName == nil {
		return nil, false
	}
	p, ok := f.place(tv, path[:len(path)-1])
	if !ok {
		return nil, false
	}
	def := p.field(*path[len(path)-1].FieldName).def
	return def, def != nil
}

// listIndexes are the indexes of lists, by where their first items are.
type listIndexes map[*any]*listIndex

// fewItems and fewLookups are what is not worth an index.
const fewItems, fewLookups = 16, 4

type listIndex struct {
	asked int
	items []namedItem
}

// find is where the item of an associative list is that element names.
func (x listIndexes) find(list *graph.List, items []any, element fieldpath.PathElement) (i int, found bool) {
	name, ok := engine.Named(list, element)
	if !ok {
		return 0, false
	}
	if x != nil && len(items) >= fewItems {
		index := x[&items[0]]
		if index == nil {
			index = &listIndex{}
			x[&items[0]] = index
		}
		if index.asked++; index.asked > fewLookups {
			return index.find(list, items, name)
		}
	}
	for i, item := range items {
		if engine.Names(list, &name, item) {
			return i, true
		}
	}
	return 0, false
}

func (x *listIndex) find(list *graph.List, items []any, name fieldpath.PathElement) (i int, found bool) {
	if x.items == nil {
		x.items = namedItems(list, items)
	}
	at, found := slices.BinarySearchFunc(x.items, name, namedItem.compare)
	if !found {
		return 0, false
	}
	return x.items[at].at, true
}

// namedItem is an item of an associative list by its identity.
type namedItem struct {
	name fieldpath.PathElement
	at   int
}

func (n namedItem) compare(name fieldpath.PathElement) int { return n.name.Compare(name) }

// namedItems are those of items that have an identity, sorted by it and by where they
// are.
func namedItems(list *graph.List, items []any) []namedItem {
	named := make([]namedItem, 0, len(items))
	for i, v := range items {
		if e, ok := engine.Identity(list, v); ok {
			named = append(named, namedItem{e, i})
		}
	}
	slices.SortStableFunc(named, func(a, b namedItem) int { return a.compare(b.name) })
	return named
}
