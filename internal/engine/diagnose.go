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

// Diagnose returns findings about data in config that is valid, but probably a mistake. config
// is a value of type n that a manager applies to live. There are two kinds of mistakes:
//
//   - An item lacks a key that has no default. It matches no live item, but exactly one live item has
//     this key and the same values in all other keys.
//   - A key is empty, 0, false or null, although its default is a different value. Keys that count as
//     missing (see item.CountsAsMissing) are no mistakes.
func Diagnose(n *graph.Node, live, config any) diag.Findings {
	w := newWorkspace()
	defer w.done()
	d := diagnoser{w: w}
	d.value(n, live, config, "")
	return d.findings
}

// FilledKeys returns a finding for each list key in v, a value of type n, that got its default.
// This happens if the key is absent or counts as missing (see item.CountsAsMissing). A finding has
// the path of the key, and the default in the field Found. FilledKeys does not look inside atomic maps
// and lists, nor at items without an identity.
func FilledKeys(n *graph.Node, v any) diag.Findings {
	w := newWorkspace()
	defer w.done()
	d := diagnoser{w: w, onlyFilledKeys: true}
	d.value(n, nil, v, "")
	return d.findings
}

// diagnoser does the work of Diagnose and FilledKeys.
type diagnoser struct {
	w *workspace
	// onlyFilledKeys is true for FilledKeys, and false for Diagnose. The walk then reports the
	// keys that got their defaults, instead of mistakes.
	onlyFilledKeys bool
	findings       diag.Findings
}

// value adds the findings about v, the part of the config at path. The argument live is the same
// part of the live object.
func (d *diagnoser) value(n *graph.Node, live, v any, path string) {
	switch data.KindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return
		}
		fields, liveFields := data.AsMap(v), data.AsMap(live)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			d.value(n.Map.At(name), liveFields[name], fields[name], path+"."+name)
		}
	case graph.ListKind:
		if n.List.IsAssociative() {
			d.items(n.List, data.AsList(live), data.AsList(v), path)
		}
	}
}

// items adds the findings about the items of an associative list.
func (d *diagnoser) items(l *graph.List, live, items []any, path string) {
	lists := listPair{d: d, l: l, live: live, items: items}
	matches := d.w.LastMatches(l, items, live)
	for i, it := range items {
		if !item.HasIdentity(l, it) {
			continue
		}
		at := path + d.w.Element(l, it).String()
		match := matches[i]
		if d.onlyFilledKeys {
			d.reportFilledKeys(l, i, it, at)
		} else {
			d.reportMistakes(&lists, i, data.AsMap(it), match != nil, at)
		}
		d.value(l.Item, match, it, at)
	}
}

// listPair has the items of a list in the config, and the items of the same list in the live
// object.
type listPair struct {
	d           *diagnoser
	l           *graph.List
	live, items []any
	// cached has the results of likelyMatches for each key.
	cached [][]map[string]any
}

// likelyMatch returns the live item that item i probably refers to. It must have the key that
// item i lacks, and the same values as item i in all other keys. likelyMatch returns nil if
// there is no such item, or more than one.
func (lists *listPair) likelyMatch(i, key int) map[string]any {
	if len(lists.live) == 0 {
		return nil
	}
	if lists.cached == nil {
		lists.cached = make([][]map[string]any, len(lists.l.Keys))
	}
	if lists.cached[key] == nil {
		lists.cached[key] = lists.likelyMatches(key)
	}
	return lists.cached[key][i]
}

// likelyMatches returns the result of likelyMatch for every item of the config. To find matches, it
// pairs the items of both lists by all keys except the given one.
func (lists *listPair) likelyMatches(key int) []map[string]any {
	var withKey []any // the live items that have the key
	for _, it := range lists.live {
		if fields := data.AsMap(it); fields != nil {
			if _, ok := item.KeyValue(fields, &lists.l.Keys[key]); ok {
				withKey = append(withKey, fields)
			}
		}
	}
	// otherKeys is the list without the given key. It accepts items that lack other keys, even if
	// the schema does not accept them, so that these items are paired, too.
	otherKeys := *lists.l
	otherKeys.Strict, otherKeys.KeyFault = false, ""
	otherKeys.Keys = slices.Delete(slices.Clone(lists.l.Keys), key, key+1)
	matches := make([]map[string]any, len(lists.items))
	only := func(candidates []any) map[string]any {
		if len(candidates) != 1 {
			return nil
		}
		return data.AsMap(candidates[0])
	}
	if len(otherKeys.Keys) == 0 {
		for i := range matches {
			matches[i] = only(withKey)
		}
		return matches
	}
	mark := lists.d.w.IntScratch.Len()
	defer lists.d.w.IntScratch.Pop(mark)
	p := lists.d.w.Pair(&otherKeys, lists.items, withKey, item.PairFacts{})
	var onlyThisKey []any // the live items that have the given key and no other
	for j, number := range p.RightNumber {
		if number < 0 {
			onlyThisKey = append(onlyThisKey, withKey[j])
		}
	}
	for i, number := range p.LeftNumber {
		switch {
		case number < 0:
			matches[i] = only(onlyThisKey)
		case p.RightCount[number] == 1:
			matches[i] = data.AsMap(withKey[p.FirstRight[number]])
		}
	}
	return matches
}

// reportFilledKeys adds a finding for each key that item i of a list got from its default. The
// argument it is this item, and at is its path.
func (d *diagnoser) reportFilledKeys(l *graph.List, i int, it any, at string) {
	for _, k := range keysFromDefaults(l, i, it) {
		d.report(at+"."+k.Name, k.Value, "filled from the schema default")
	}
}

// reportMistakes adds the findings about the keys of item i of the config. fields has the fields of
// this item, and at is its path. matched reports whether a live item has the same identity.
func (d *diagnoser) reportMistakes(lists *listPair, i int, fields map[string]any, matched bool, at string) {
	for key := range lists.l.Keys {
		k := &lists.l.Keys[key]
		v, written := fields[k.Name]
		_, hasValue := item.KeyValue(fields, k) // the value can be the default
		def, hasDefault := item.KeyDefault(k)
		switch {
		case !hasValue && !matched:
			if other := lists.likelyMatch(i, key); other != nil {
				d.report(at, other[k.Name], fmt.Sprintf("lacks the key %s, which has no default in the schema; the only live item with the same other keys has %s=%s",
					k.Name, k.Name, value.ToString(data.Shown(other[k.Name]))))
			}
		case written && hasDefault && (v == nil || item.IsZero(v)) && !item.CountsAsMissing(k, v) && !item.IsKeyDefault(k, v):
			is := "empty"
			if v != "" {
				is = value.ToString(data.Shown(v))
			}
			d.report(at, v, fmt.Sprintf("the key %s is %s, which is not the default %s; leave the key out to use the default",
				k.Name, is, value.ToString(data.Shown(def))))
		}
	}
}

// report adds a finding about the value found at path.
func (d *diagnoser) report(path string, found any, message string) {
	d.findings = append(d.findings, diag.Finding{Path: path, Code: diag.Suspicious, Message: message, Found: found})
}
