// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package operand

import (
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Merge returns the value with config, an applied configuration, laid over it, in maps
// and lists of its own.
func (o Value) Merge(config *Value) (*Value, diag.Findings) {
	out, _, found := o.merge(config, false)
	return out, found
}

// Overlay is Merge for callers that do not write to the result: all that config leaves
// alone is shared with o, unless either has maps whose keys are not strings, which a
// merge replaces. changed tells whether anything was not left alone.
func (o *Value) Overlay(config *Value) (out *Value, changed bool, found diag.Findings) {
	if out, changed, found = o.merge(config, true); out == nil && found == nil {
		out = o
	}
	return out, changed, found
}

// merge returns nil where the result is o: what it returned would have to be on the
// heap, and Merge has a copy that need not be.
func (o *Value) merge(config *Value, share bool) (out *Value, changed bool, found diag.Findings) {
	if found := o.SameType(config); found != nil {
		return nil, false, found
	}
	if share {
		if out, changed, ok := o.overlayOutline(config); ok {
			return out, changed, nil
		}
	}
	n, left, some, hasLeft := o.Branches()
	_, right, too, hasRight := config.Branches()
	only := some || too
	share = share && o.stringKeyed() && config.stringKeyed()
	known := o.memo.known() & config.memo.known()
	if n.Declarative {
		known &^= engine.Unique // else items are paired, so none is there twice
	}
	facts := uint32(known)
	if share {
		facts |= (o.memo.facts.Load() | config.memo.facts.Load()) & lowered
	}
	opts := engine.MergeOptions{
		LeftValid:  o.memo.is(engine.Valid),
		LeftUnique: o.memo.is(engine.Valid | engine.Unique),
		RightValid: config.memo.is(engine.Valid | engine.Unique),
		Share:      share,
		CloneLeft:  !share && o.lowered(),
		CloneRight: !share && config.lowered(),
		CopyRight:  share && o.memo.consumed,
		Branches:   only,
	}
	var r engine.Merged
	switch {
	case hasLeft && hasRight:
		r, found = engine.Merge(n, left, right, opts)
	case hasRight:
		r, found = engine.MergeOne(n, right, true, opts)
	case hasLeft:
		r, found = engine.MergeOne(n, left, false, opts)
	default:
		return nil, false, nothing()
	}
	if found != nil {
		return nil, false, found
	}
	if share && !r.Changed && hasLeft {
		if facts&lowered != 0 {
			return o.withBranches(left, facts, some), false, nil
		}
		return nil, false, nil
	}
	if only && !share {
		r.Value, only = data.WithLeaves(n, r.Value, true), false
	}
	out = o.withBranches(r.Value, facts, only)
	out.memo.consumed = opts.CopyRight && !config.lowered()
	out.memo.shared = share && o.memo.shared
	if r.Empty {
		out.value = nil
	}
	return out, true, nil
}

func nothing() diag.Findings {
	return diag.Newf(diag.Misuse, "at least one of lhs and rhs must be provided")
}

// overlayOutline is Overlay for a Consumed value of which no plain data was made yet:
// only the fields that config has are made plain, all of them if config changes anything.
// out is nil for o, as merge's is. ok is false if an outline does not do. A struct that
// is valid without being made plain is of a type that has a map.
func (o *Value) overlayOutline(config *Value) (out *Value, changed, ok bool) {
	m, n := o.memo, o.Node()
	known := engine.Valid | engine.StringKeyed
	if !m.consumed || m.existingPlain() != nil || !m.is(known) || !config.memo.is(known|engine.Unique) ||
		n.Declarative || n.Map.Atomic || config.lowered() {
		return nil, false, false
	}
	v, ok := o.value.(interface {
		Outline(over map[string]any, n *graph.Node) (tree map[string]any, complete func(other map[string]any) (some bool))
	})
	if !ok {
		return nil, false, false
	}
	_, right, _ := config.Plain()
	over, ok := right.(map[string]any)
	if !ok {
		return nil, false, false
	}
	tree, complete := v.Outline(over, n)
	if tree == nil {
		return nil, false, false
	}
	r, found := engine.Merge(n, tree, right, engine.MergeOptions{
		LeftValid:  true,
		LeftUnique: m.is(engine.Unique),
		RightValid: true,
		Share:      true,
		CopyRight:  true,
		Branches:   true,
	})
	merged, isMap := r.Value.(map[string]any)
	if found != nil || r.Changed && !isMap {
		return nil, false, false
	}
	if !r.Changed {
		m.ensurePlain().partial.Store(&partial{tree, complete})
		return nil, false, true
	}
	some := complete(merged)
	m.ensurePlain().keep(tree, some)
	out = o.withBranches(merged, uint32(m.known()&config.memo.known()), some)
	out.memo.consumed = true
	return out, true, true
}
