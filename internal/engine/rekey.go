package engine

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// rekeyed returns set, which holds items of l, with the keys that its elements
// lack filled from the defaults of today, so that they name the items which
// they always meant. It is set itself if no element lacks any.
func rekeyed(l *graph.List, set *fieldpath.Set) *fieldpath.Set {
	hasDefault := slices.ContainsFunc(l.Keys, func(k graph.Key) bool { return k.Default != nil })
	if !hasDefault || !slices.ContainsFunc(set.Members.Sorted(), func(pe fieldpath.PathElement) bool { return lacksKey(l, pe) }) &&
		!slices.ContainsFunc(set.Children.Sorted(), func(c fieldpath.SetNode) bool { return lacksKey(l, c.PathElement) }) {
		return set
	}
	out := fieldpath.NewSet()
	for _, pe := range set.Members.Sorted() {
		out.Members.Insert(fillKey(l, pe))
	}
	for _, c := range set.Children.Sorted() {
		out = out.Union(fieldpath.FromSorted(nil, []fieldpath.SetNode{{PathElement: fillKey(l, c.PathElement), Set: c.Set}}))
	}
	return out
}

func lacksKey(l *graph.List, pe fieldpath.PathElement) bool {
	if pe.Key == nil {
		return false
	}
	for i := range l.Keys {
		if l.Keys[i].Default != nil && !hasKey(pe, &l.Keys[i]) {
			return true
		}
	}
	return false
}

// hasKey says whether pe has a value for key k; a null may be none.
func hasKey(pe fieldpath.PathElement, k *graph.Key) bool {
	for _, f := range *pe.Key {
		if f.Name == k.Name {
			return !missing(k, f.Value.Unstructured())
		}
	}
	return false
}

func fillKey(l *graph.List, pe fieldpath.PathElement) fieldpath.PathElement {
	if pe.Key == nil || !lacksKey(l, pe) {
		return pe
	}
	var key value.FieldList
	for i := range l.Keys {
		k := &l.Keys[i]
		if hasKey(pe, k) || k.Default == nil {
			for _, f := range *pe.Key {
				if f.Name == k.Name {
					key = append(key, f)
				}
			}
			continue
		}
		key = append(key, value.Field{Name: k.Name, Value: value.NewValueInterface(k.Default)})
	}
	return fieldpath.PathElement{Key: &key}
}
