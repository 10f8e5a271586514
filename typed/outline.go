// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// outline is the plain data of a Go struct without the fields that nobody has
// asked for yet, and what fills these in: in tree, and in what became of it.
type outline struct {
	tree     map[string]any
	complete func(other map[string]any)
}

// overlayOutline is Overlay for a Spent value of which no plain data was made yet:
// only the fields that pso has are made plain, all of them if pso changes anything.
// out is nil for tv, as merge's is. ok is false if an outline does not do. A struct that
// is valid without being made plain is of a type that has a map.
func (tv *TypedValue) overlayOutline(pso *TypedValue) (out *TypedValue, changed, ok bool) {
	m, n := tv.memo, tv.compiled()
	known := engine.Valid | engine.StringKeyed
	if !m.spent || m.made.Load() || m.outline.Load() != nil || !m.is(known) || !pso.memo.is(known|engine.Unique) ||
		n.Declarative || n.Map.Atomic || pso.lowered() {
		return nil, false, false
	}
	v, ok := tv.value.(interface {
		Outline(over map[string]any, granular func(name string) bool) (tree map[string]any, complete func(other map[string]any))
	})
	if !ok {
		return nil, false, false
	}
	_, right, _ := pso.Plain()
	over, ok := right.(map[string]any)
	if !ok {
		return nil, false, false
	}
	o := &outline{}
	o.tree, o.complete = v.Outline(over, func(name string) bool {
		m := n.Map.At(name).Map
		return m != nil && !m.Atomic
	})
	if o.tree == nil {
		return nil, false, false
	}
	r, found := engine.Merge(n, o.tree, right, engine.MergeOptions{
		LeftValid:  true,
		LeftUnique: m.is(engine.Unique),
		RightValid: true,
		Share:      true,
		UntieRight: true,
	})
	merged, isMap := r.Value.(map[string]any)
	if found != nil || r.Changed && !isMap {
		return nil, false, false
	}
	if !r.Changed {
		m.outline.Store(o)
		return nil, false, true
	}
	o.complete(merged)
	m.once.Do(func() {
		m.tree = o.tree
		m.made.Store(true)
	})
	out = tv.derived(merged, uint32(m.known()&pso.memo.known()))
	out.memo.spent = true
	return out, true, true
}

// Node returns the type of tv in compiled form, for the packages of this module.
func (tv TypedValue) Node() *graph.Node { return tv.compiled() }

// Hollow returns whether RemoveItems makes null of the value however little it
// removes. For the packages of this module.
func (tv TypedValue) Hollow() bool {
	n := tv.compiled()
	if tv.memo.outline.Load() != nil {
		return false // it has a field, whatever else it has
	}
	_, tree, _ := tv.Plain()
	return engine.Hollow(n, tree)
}

// unchanged is the comparison of a valid value with itself.
func unchanged() *engine.Differences {
	return &engine.Differences{Removed: fieldpath.NewSet(), Modified: fieldpath.NewSet(), Added: fieldpath.NewSet()}
}
