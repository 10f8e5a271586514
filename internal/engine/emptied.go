package engine

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Emptied says what becomes of the containers that lost all they had when
// before was pruned to after, both of type n: Prune leaves null for each.
//
//	applied as null, nullable               null
//	applied as empty, or owned by others    empty
//	else                                    gone
//
// config is what is applied, and others are the sets of the other managers. ok
// is false if nothing is left. after is not changed.
func Emptied(n *graph.Node, before, after, config any, others []*fieldpath.Set) (out any, ok bool) {
	w := newWalker()
	defer w.done()
	e := emptier{w: w}
	return e.value(n, before, after, applied{config, true}, others, true)
}

// applied is what is applied at a place, if anything.
type applied struct {
	value any
	has   bool
}

type emptier struct{ w *walker }

func (e *emptier) value(n *graph.Node, before, after any, config applied, keep []*fieldpath.Set, owned bool) (any, bool) {
	switch classOf(before) {
	case mapping:
		b, a := asMap(before), asMap(after)
		if isEmptyMap(before) {
			return before, true
		}
		if n.Map == nil || n.Map.Atomic || sameHeader(before, after) {
			return after, true
		}
		if a != nil {
			a = e.fields(n.Map, b, a, asMap(config.value), keep)
		}
		if len(a) > 0 {
			return a, true
		}
		return e.empty(n, map[string]any{}, config, owned)
	case list:
		b, a := asList(before), asList(after)
		if len(b) == 0 {
			return before, true
		}
		if n.List == nil || n.List.Relation != graph.Associative || sameHeader(before, after) {
			return after, true
		}
		if len(a) > 0 {
			return e.items(n.List, b, a, asList(config.value), keep), true
		}
		return e.empty(n, []any{}, config, owned)
	}
	return after, true
}

func (e *emptier) empty(n *graph.Node, empty any, config applied, owned bool) (any, bool) {
	switch {
	case config.has && config.value == nil && nullable(n):
		return nil, true
	case config.has && config.value != nil || owned:
		return empty, true
	}
	return nil, false
}

func (e *emptier) fields(m *graph.Map, before, after, config map[string]any, keep []*fieldpath.Set) map[string]any {
	out := after
	own := false
	for name, b := range before {
		a, ok := after[name]
		if !ok {
			continue
		}
		pe := e.w.field(m, name)
		below, owned := narrow(keep, pe, false)
		u, has := config[name]
		v, ok := e.value(m.At(name), b, a, applied{u, has}, below, owned)
		if ok && sameHeader(v, a) {
			continue
		}
		if !own {
			own = true
			out = make(map[string]any, len(after))
			for k, c := range after {
				out[k] = c
			}
		}
		if ok {
			out[name] = v
		} else {
			delete(out, name)
		}
	}
	return out
}

// items keeps all items: an item has its keys, or else is gone already.
func (e *emptier) items(l *graph.List, before, after, config []any, keep []*fieldpath.Set) []any {
	out := make([]any, 0, len(after))
	ints := e.w.ints.len()
	defer e.w.ints.pop(ints)
	nb := e.w.number(l, after, config, known{})
	i := 0
	for j, a := range after {
		for i < len(before) && !sameItem(l, before[i], a) {
			i++
		}
		if i == len(before) {
			// Its identity does not equal itself: NaN.
			return after
		}
		var mine applied
		if id := nb.left[j]; id >= 0 && nb.rights[id] > 0 {
			mine = applied{config[nb.rightAt[id]], true}
		}
		below, _ := narrow(keep, e.w.element(l, a), false)
		v, _ := e.value(l.Item, before[i], a, mine, below, true)
		out = append(out, v)
		i++
	}
	return out
}
