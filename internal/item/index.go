// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"math"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Index finds the items of a list that a path element identifies. A path element from a stored set
// may lack a key that has a default. It then matches no item, so callers must complete it before
// the lookup (see NormalizeElement and CompleteElementKeys). An Index uses the scratch space of its
// Workspace.
type Index struct {
	w     *Workspace
	l     *graph.List
	items []any
	scan  bool       // true if a lookup compares all items instead of using a hash table
	t     data.Table // the hash table; filled by the first lookup with scan false
	next  int        // the index of the item that the next FindSameText tries first
}

// maxComparisons limits the comparisons of items without a hash table. If the expected lookups could
// together need more comparisons, an Index builds a hash table. For fewer comparisons, a table would
// save no time.
const maxComparisons = 64

// NewIndex returns an index of items for about n lookups. Lookups may push a hash table onto
// w.IntScratch, where it must stay until after the last lookup. The caller must then pop w.IntScratch to
// the length that it had before the first lookup.
func (w *Workspace) NewIndex(l *graph.List, items []any, n int) Index {
	return Index{w: w, l: l, items: items, scan: n*len(items) <= maxComparisons}
}

// FindFirst returns the position of the first item that pe identifies, or -1 if there is none.
// ambiguous is true if pe also identifies another item.
func (ix *Index) FindFirst(pe *fieldpath.PathElement) (at int, ambiguous bool) {
	at = -1
	ix.eachMatch(pe, func(i int) bool {
		if ambiguous = at >= 0; !ambiguous {
			at = i
		}
		return !ambiguous
	})
	return at, ambiguous
}

// eachMatch calls f for the items that pe identifies, in their order, until f returns false.
func (ix *Index) eachMatch(pe *fieldpath.PathElement, f func(i int) bool) {
	if ix.scan {
		for i := range ix.items {
			if matches(ix.l, pe, ix.items[i]) && !f(i) {
				return
			}
		}
		return
	}
	if ix.t.IsZero() {
		ix.t = data.NewTable(&ix.w.IntScratch, len(ix.items))
		ix.t.Add(len(ix.items), ix.hash)
	}
	h, ok := hashElement(&ix.t.Hashing, ix.l, pe)
	if ix.t.RebuildIfLoose(len(ix.items), ix.hash) {
		// The first float too large for exact comparison changes how integers are hashed (see
		// data.Hashing). The table was rebuilt, so hash the element again.
		h, ok = hashElement(&ix.t.Hashing, ix.l, pe)
	}
	if ok {
		// Table.Find ends when its function returns true.
		ix.t.Find(h, func(i int32) bool { return matchesIdentified(ix.l, pe, ix.items[i]) && !f(int(i)) })
	}
}

// hash returns the hash of item i. It returns false if the item has no identity.
func (ix *Index) hash(i int) (uint64, bool) {
	if !HasIdentity(ix.l, ix.items[i]) {
		return 0, false
	}
	return hashItem(&ix.t.Hashing, ix.l, ix.items[i]), true
}

// maxTextScan is the maximum number of items for which FindSameText compares the text of every item. For
// more items, it first finds the items that pe identifies, which a hash table makes faster.
const maxTextScan = 16

// FindSameText returns the position of an item whose path element has the same text as pe (see
// PathElement.String), or -1 if there is none. The caller can then use pe as the path element of
// the item. It is not enough that the two elements are equal: they could still have different
// texts, such as 1e+06 and 1000000, and error messages show the texts.
//
// FindSameText may also return -1 if pe and the item have the same number as different Go types (see
// sameValueText), or if they have a NaN. ids has the identities of all items. It is fastest to look up
// elements in the order of the items.
func (ix *Index) FindSameText(pe *fieldpath.PathElement, ids Identities) int {
	at := ix.next
	if at >= len(ix.items) || !ids.sameText(pe, ix.l, at) {
		at = -1
		if len(ix.items) > maxTextScan {
			ix.eachMatch(pe, func(i int) bool {
				if ids.sameText(pe, ix.l, i) {
					at = i
				}
				return at < 0
			})
		} else {
			for i := range ix.items {
				if ids.sameText(pe, ix.l, i) {
					at = i
					break
				}
			}
		}
	}
	ix.next = at + 1
	return at
}

// sameText reports whether pe is known to have the same text as the path element of item i. pe then
// identifies item i, unless it contains a NaN. sameText may return false negatives (see sameValueText).
func (ids Identities) sameText(pe *fieldpath.PathElement, l *graph.List, i int) bool {
	id := ids.At(i)
	if len(l.Keys) == 0 {
		return pe.Value != nil && sameValueText((*pe.Value).Unstructured(), id[0])
	}
	if pe.Key == nil {
		return false
	}
	rest := *pe.Key
	for k, v := range id {
		if v == noKey {
			continue
		}
		if len(rest) == 0 || !sameValueText(rest[0].Value.Unstructured(), v) || rest[0].Name != l.Keys[k].Name {
			return false
		}
		rest = rest[1:]
	}
	return len(rest) == 0
}

// sameValueText reports whether two values have the same text: stored, from a field set, and v,
// from an item. It usually returns false if their Go types differ. The exception is a float64 in
// the set and an int64 in the item, because all numbers of a decoded set are float64. But large
// numbers of these two types do not have the same text: a million is 1e+06 as a float64, and
// 1000000 as an integer.
func sameValueText(stored, v any) bool {
	f, isFloat := stored.(float64)
	if i, isInt := v.(int64); isFloat && isInt {
		return f == float64(i) && -1e6 < i && i < 1e6 && (i != 0 || !math.Signbit(f))
	}
	return data.Identical(stored, v)
}

// ListIndexes makes many lookups in the same lists fast. After the first few lookups in a long
// list, it builds a hash table of the list. The lists must not change. All lookups in a list
// must pass the same slice and the same list type, because ListIndexes identifies a list by the
// address of its first item. A nil ListIndexes also works, but builds no hash tables. ListIndexes is
// not safe for concurrent use.
type ListIndexes map[*any]*listIndex

// A list gets a hash table if it has at least minTableItems items, and after fewLookups lookups
// in the list.
const minTableItems, fewLookups = 16, 4

// listIndex is the Index of one list, with the number of lookups in this list so far.
type listIndex struct {
	Index
	lookups int
}

// FindPosition returns the position of the first item of an associative list that element identifies. If
// there is none, it returns -1 and false. The element need not be normalized.
func (x ListIndexes) FindPosition(list *graph.List, items []any, element fieldpath.PathElement) (at int, found bool) {
	pe, ok := NormalizeElement(list, element)
	if !ok {
		return -1, false
	}
	at, _ = x.indexForLookup(list, items).FindFirst(&pe)
	return at, at >= 0
}

// FindItems returns all items that element identifies, in their order. The element need not be
// normalized.
func (x ListIndexes) FindItems(list *graph.List, items []any, element fieldpath.PathElement) (found []any) {
	if pe, ok := NormalizeElement(list, element); ok {
		x.indexForLookup(list, items).eachMatch(&pe, func(i int) bool {
			found = append(found, items[i])
			return true
		})
	}
	return found
}

// indexForLookup returns the Index for the next lookup in a list. The lookup will use no hash table if
// x is nil, if the list is small, or if there were only a few lookups in the list so far.
func (x ListIndexes) indexForLookup(list *graph.List, items []any) *Index {
	if x == nil || len(items) < minTableItems {
		return &Index{l: list, items: items, scan: true}
	}
	ix := x[&items[0]]
	if ix == nil {
		ix = &listIndex{Index: Index{w: new(Workspace), l: list, items: items}}
		x[&items[0]] = ix
	}
	ix.lookups++
	ix.scan = ix.lookups <= fewLookups
	return &ix.Index
}
