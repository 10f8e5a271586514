// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/value"
)

// Diagnose returns what is probably not meant in config, a value of type n that
// is to be applied to live: items that lack a key without default while one
// live item agrees with them on all other keys, and keys that are empty though
// there is a default. Neither is an error.
func Diagnose(n *graph.Node, live, config any) diag.Findings {
	w := newWalker()
	defer w.done()
	d := diagnoser{w: w}
	d.value(n, live, config, "")
	return d.found
}

// FilledKeys returns the paths of the keys of list items of v, a value of type
// n, that were not written but taken from a default, each with that default.
func FilledKeys(n *graph.Node, v any) diag.Findings {
	w := newWalker()
	defer w.done()
	d := diagnoser{w: w, filled: true}
	d.value(n, nil, v, "")
	return d.found
}

type diagnoser struct {
	w      *walker
	filled bool
	found  diag.Findings
}

func (d *diagnoser) value(n *graph.Node, live, v any, path string) {
	switch data.KindFor(n, v) {
	case graph.MapKind:
		x, l := data.AsMap(v), data.AsMap(live)
		if n.Map.Atomic {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			d.value(n.Map.At(name), l[name], x[name], path+"."+name)
		}
	case graph.ListKind:
		if n.List.IsAssociative() {
			d.items(n.List, data.AsList(live), data.AsList(v), path)
		}
	}
}

func (d *diagnoser) items(l *graph.List, live, items []any, path string) {
	lists := diagnosed{d: d, l: l, live: live, items: items}
	matches := lists.matches()
	for i, it := range items {
		if !item.Identified(l, it) {
			continue
		}
		at := path + d.w.Element(l, it).String()
		var match any
		if matches != nil {
			match = matches[i]
		}
		if len(l.Keys) > 0 {
			d.keys(&lists, i, data.AsMap(it), match != nil, at)
		}
		d.value(l.Item, match, it, at)
	}
}

// diagnosed are the items of a list in the config and in the live object.
type diagnosed struct {
	d           *diagnoser
	l           *graph.List
	live, items []any
	// others has the answers of onlyOther by key, made when first asked for.
	others [][]map[string]any
}

// matches returns for each item the last live one with its identity, if any.
func (x *diagnosed) matches() []any {
	if len(x.live) == 0 {
		return nil
	}
	mark := x.d.w.Ints.Len()
	defer x.d.w.Ints.Pop(mark)
	nb := x.d.w.Pair(x.l, x.items, x.live, item.Known{})
	last := make([]any, nb.Numbers)
	for j, id := range nb.RightNumber {
		if id >= 0 {
			last[id] = x.live[j]
		}
	}
	found := make([]any, len(x.items))
	for i, id := range nb.LeftNumber {
		if id >= 0 {
			found[i] = last[id]
		}
	}
	return found
}

// onlyOther returns the one live item that has a key of the list, which item i lacks, and
// agrees with it on all other keys; nil if there is none or more than one.
func (x *diagnosed) onlyOther(i, key int) map[string]any {
	if len(x.live) == 0 {
		return nil
	}
	if x.others == nil {
		x.others = make([][]map[string]any, len(x.l.Keys))
	}
	if x.others[key] == nil {
		x.others[key] = x.onlyOthers(key)
	}
	return x.others[key][i]
}

// onlyOthers returns onlyOther of every item: items agree if they are one in a list
// without that key.
func (x *diagnosed) onlyOthers(key int) []map[string]any {
	var having []any // live items that have the key
	for _, it := range x.live {
		if m := data.AsMap(it); m != nil {
			if _, ok := item.KeyOf(m, &x.l.Keys[key]); ok {
				having = append(having, m)
			}
		}
	}
	without := *x.l
	without.Strict, without.KeyFault = false, ""
	without.Keys = slices.Delete(slices.Clone(x.l.Keys), key, key+1)
	answers := make([]map[string]any, len(x.items))
	only := func(among []any) map[string]any {
		if len(among) != 1 {
			return nil
		}
		return data.AsMap(among[0])
	}
	if len(without.Keys) == 0 {
		for i := range answers {
			answers[i] = only(having)
		}
		return answers
	}
	mark := x.d.w.Ints.Len()
	defer x.d.w.Ints.Pop(mark)
	nb := x.d.w.Pair(&without, x.items, having, item.Known{})
	var keyless []any // live items with none of the other keys, which agree, too
	for j, id := range nb.RightNumber {
		if id < 0 {
			keyless = append(keyless, having[j])
		}
	}
	for i, id := range nb.LeftNumber {
		switch {
		case id < 0:
			answers[i] = only(keyless)
		case nb.RightCount[id] == 1:
			answers[i] = data.AsMap(having[nb.FirstRight[id]])
		}
	}
	return answers
}

func (d *diagnoser) keys(x *diagnosed, i int, m map[string]any, matched bool, at string) {
	for key := range x.l.Keys {
		k := &x.l.Keys[key]
		v, written := m[k.Name]
		_, known := item.KeyOf(m, k)
		def, hasDefault := item.KeyDefault(k)
		switch {
		case d.filled:
			if known && (!written || item.IsMissing(k, v)) {
				d.note(at+"."+k.Name, def, "filled from the schema default")
			}
		case !known && !matched:
			if other := x.onlyOther(i, key); other != nil {
				d.note(at, other[k.Name], fmt.Sprintf("lacks the key %s, for which the schema has no default; did you mean %s=%s, as the one live item with the same other keys has it?",
					k.Name, k.Name, value.ToString(data.Shown(other[k.Name]))))
			}
		case written && hasDefault && item.IsZero(v) && !k.ZeroIsMissing:
			d.note(at, v, fmt.Sprintf("the key %s is empty, which is not the default %s; leave the key out to mean the default",
				k.Name, value.ToString(data.Shown(def))))
		}
	}
}

func (d *diagnoser) note(path string, found any, message string) {
	d.found = append(d.found, diag.Finding{Path: path, Code: diag.Suspicious, Message: message, Found: found})
}
