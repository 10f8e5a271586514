package engine

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/graph"
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
	switch kindFor(n, v) {
	case graph.MapKind:
		x, l := asMap(v), asMap(live)
		if n.Map.Atomic {
			return
		}
		for _, name := range sortedNames(x) {
			d.value(n.Map.At(name), l[name], x[name], path+"."+name)
		}
	case graph.ListKind:
		if n.List.Relation == graph.Associative {
			d.items(n.List, asList(live), asList(v), path)
		}
	}
}

func (d *diagnoser) items(l *graph.List, live, items []any, path string) {
	for _, it := range items {
		if !identified(l, it) {
			continue
		}
		at := path + d.w.element(l, it).String()
		var match any
		for _, other := range live {
			if identified(l, other) && sameItem(l, it, other) {
				match = other
			}
		}
		if len(l.Keys) > 0 {
			d.keys(l, live, asMap(it), match != nil, at)
		}
		d.value(l.Item, match, it, at)
	}
}

func (d *diagnoser) keys(l *graph.List, live []any, item map[string]any, matched bool, at string) {
	for i := range l.Keys {
		k := &l.Keys[i]
		v, written := item[k.Name]
		_, known := keyOf(item, k)
		def, hasDefault := keyDefault(k)
		switch {
		case d.filled:
			if known && (!written || missing(k, v)) {
				d.note(at+"."+k.Name, def, "filled from the schema default")
			}
		case !known && !matched:
			if other := onlyOther(l, live, item, k); other != nil {
				d.note(at, other[k.Name], fmt.Sprintf("lacks the key %s, for which the schema has no default; did you mean %s=%s, as the one live item with the same other keys has it?",
					k.Name, k.Name, value.ToString(shown(other[k.Name]))))
			}
		case written && hasDefault && isZero(v) && !k.ZeroIsMissing:
			d.note(at, v, fmt.Sprintf("the key %s is empty, which is not the default %s; leave the key out to mean the default",
				k.Name, value.ToString(shown(def))))
		}
	}
}

func (d *diagnoser) note(path string, found any, message string) {
	d.found = append(d.found, diag.Finding{Path: path, Code: diag.Suspicious, Message: message, Found: found})
}

// onlyOther returns the one live item that has key k and agrees with item on
// all other keys, nil if there is none or more than one.
func onlyOther(l *graph.List, live []any, item map[string]any, k *graph.Key) map[string]any {
	var only map[string]any
	for _, it := range live {
		other := asMap(it)
		if other == nil {
			continue
		}
		if _, ok := keyOf(other, k); !ok || !agree(l, item, other, k) {
			continue
		}
		if only != nil {
			return nil
		}
		only = other
	}
	return only
}

func agree(l *graph.List, a, b map[string]any, but *graph.Key) bool {
	for i := range l.Keys {
		k := &l.Keys[i]
		if k == but {
			continue
		}
		v, ok := keyOf(a, k)
		u, has := keyOf(b, k)
		if ok != has || ok && !value.EqualUnstructured(v, u) {
			return false
		}
	}
	return true
}

func sortedNames(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
