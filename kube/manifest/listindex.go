// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"strconv"
)

// fewToIndex and fewLookups are what is not worth an index.
const fewToIndex, fewLookups = 32, 4

// listIndex tells where the items of a list are by what they have for a key, of the keys
// that were asked for.
type listIndex struct {
	asked  int
	byName map[listKey]*keyIndex
}

// listKey is the name of a key, or stands for the items themselves.
type listKey struct {
	name string
	self bool
}

// keyIndex are items by their value for one key.
type keyIndex struct {
	of map[any][]int32
	// lacking are those that have none, which fit partly.
	lacking []int32
}

// candidates returns, in order, the items of a list that may fit keys, nil for all of
// them: messages about many items of one list look each of them up.
func (d *document) candidates(list []any, keys map[string]string) []int32 {
	if len(list) < fewToIndex {
		return nil
	}
	d.lists.Lock()
	defer d.lists.Unlock()
	if d.lists.asked == nil {
		d.lists.asked = map[*any]*listIndex{}
	}
	x := d.lists.asked[&list[0]]
	if x == nil {
		x = &listIndex{byName: map[listKey]*keyIndex{}}
		d.lists.asked[&list[0]] = x
	}
	if x.asked++; x.asked <= fewLookups {
		return nil
	}
	var few *keyIndex
	var found []int32
	for name, text := range keys {
		key := listKey{name, name == "" && len(keys) == 1}
		of := x.byName[key]
		if of == nil {
			of = indexOf(list, key)
			x.byName[key] = of
		}
		if these := of.of[scalarOf(text)]; few == nil || len(these)+len(of.lacking) < len(found)+len(few.lacking) {
			few, found = of, these
		}
	}
	switch n := len(found) + len(few.lacking); {
	case n > len(list)/8:
		return nil
	case n == 0:
		return []int32{}
	case len(few.lacking) == 0:
		return found
	}
	all := slices.Concat(found, few.lacking)
	slices.Sort(all)
	return all
}

func indexOf(list []any, key listKey) *keyIndex {
	x := &keyIndex{of: map[any][]int32{}}
	for i, item := range list {
		v := item
		if !key.self {
			fields, ok := item.(map[string]any)
			if !ok {
				continue
			}
			v = fields[key.name]
		}
		switch v := v.(type) {
		case nil:
			x.lacking = append(x.lacking, int32(i))
		case int64:
			x.of[float64(v)] = append(x.of[float64(v)], int32(i))
		case string, float64, bool:
			x.of[v] = append(x.of[v], int32(i))
		}
	}
	return x
}

// scalarOf is the value that sameScalar finds to be a text, integers as floats.
func scalarOf(text string) any {
	if s, err := strconv.Unquote(text); err == nil {
		return s
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f
	}
	if b, err := strconv.ParseBool(text); err == nil {
		return b
	}
	return nil
}
