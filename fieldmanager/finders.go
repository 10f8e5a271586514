package fieldmanager

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
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

// find finds what item finds, by the index; sure is false if the index does not tell.
func (x listIndexes) find(list *schema.List, item place, items []any, element fieldpath.PathElement) (i int, found, sure bool) {
	if x == nil || list == nil || len(items) < fewItems || !isIdentity(list, element) {
		return 0, false, false
	}
	index := x[&items[0]]
	if index == nil {
		index = &listIndex{}
		x[&items[0]] = index
	}
	if index.asked++; index.asked <= fewLookups {
		return 0, false, false
	}
	if index.items == nil {
		index.items = namedItems(list, item, items)
	}
	at, found := slices.BinarySearchFunc(index.items, element, namedItem.compare)
	if !found {
		return 0, false, true
	}
	return index.items[at].at, true, true
}

// isIdentity says whether element is how an item is named that has all of its keys.
func isIdentity(list *schema.List, element fieldpath.PathElement) bool {
	if list.ElementRelationship != schema.Associative {
		return false
	}
	if element.Key == nil {
		return element.Value != nil && len(list.Keys) == 0 && !(*element.Value).IsNull() &&
			!(*element.Value).IsMap() && !(*element.Value).IsList()
	}
	if len(list.Keys) == 0 || len(*element.Key) != len(list.Keys) {
		return false
	}
	for _, k := range *element.Key {
		if k.Value.IsNull() || !slices.Contains(list.Keys, k.Name) {
			return false
		}
	}
	return true
}

// namedItem is an item of an associative list by its identity.
type namedItem struct {
	name fieldpath.PathElement
	at   int
}

func (n namedItem) compare(name fieldpath.PathElement) int { return n.name.Compare(name) }

// namedItems are those of items that have an identity, sorted by it and by where they
// are. item is their place, without a value.
func namedItems(list *schema.List, item place, items []any) []namedItem {
	n := &namer{list: list}
	named := make([]namedItem, 0, len(items))
	for i, v := range items {
		item.plain = v
		if e, ok := n.identity(item); ok {
			named = append(named, namedItem{e, i})
		}
	}
	slices.SortStableFunc(named, func(a, b namedItem) int { return a.compare(b.name) })
	return named
}
