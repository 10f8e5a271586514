// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package operand

import (
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Merge merges config, an applied configuration, into o and returns the result. All maps and
// lists of the result are new, except atomic ones.
func (o Value) Merge(config *Value) (*Value, diag.Findings) {
	out, _, findings := o.merge(config, false)
	return out, findings
}

// Overlay does the same as Merge, for callers that do not modify the result. The result shares
// all unchanged parts with o. If changed is false, the result equals o.
//
// A merge replaces maps that have keys other than strings. So if o or config has such maps,
// Overlay always copies the result, and changed is true even if the result equals o.
func (o *Value) Overlay(config *Value) (out *Value, changed bool, findings diag.Findings) {
	if out, changed, findings = o.merge(config, true); out == nil && findings == nil {
		out = o
	}
	return out, changed, findings
}

// merge implements Merge and, if share is true, Overlay. If the result is o itself, merge returns
// nil as out. This allows the compiler to keep o on the stack in Merge, where o is a copy of the
// receiver.
func (o *Value) merge(config *Value, share bool) (out *Value, changed bool, findings diag.Findings) {
	if findings := o.SameType(config); findings != nil {
		return nil, false, findings
	}
	if share {
		if out, changed, ok := o.overlayOutline(config); ok {
			return out, changed, nil
		}
	}
	if findings := o.checkDepths(config); findings != nil {
		return nil, false, findings
	}
	n, left, leftOnlyBranches, hasLeft := o.Branches()
	_, right, rightOnlyBranches, hasRight := config.Branches()
	onlyBranches := leftOnlyBranches || rightOnlyBranches
	share = share && o.stringKeyed() && config.stringKeyed()
	known := o.memo.known() & config.memo.known()
	if n.Declarative {
		known &^= engine.Unique // so that later merges look for duplicates in the result
	}
	facts := uint32(known) | bounded
	if share {
		facts |= (o.memo.facts.Load() | config.memo.facts.Load()) & converted
	}
	opts := engine.MergeOptions{
		LeftValid:        o.memo.knows(engine.Valid),
		LeftUnique:       o.memo.knows(engine.Valid | engine.Unique),
		RightValidUnique: config.memo.knows(engine.Valid | engine.Unique),
		Share:            share,
		CloneLeft:        !share && o.converted(),
		CloneRight:       !share && config.converted(),
		UnshareRight:     share && o.memo.singleUse,
		Unconverted:      onlyBranches,
	}
	var r engine.Merged
	switch {
	case hasLeft && hasRight:
		r, findings = engine.Merge(n, left, right, opts)
	case hasRight:
		r, findings = engine.MergeWithAbsent(n, right, true, opts)
	case hasLeft:
		r, findings = engine.MergeWithAbsent(n, left, false, opts)
	default:
		return nil, false, noOperands()
	}
	if findings != nil {
		return nil, false, findings
	}
	if share && !r.Changed && hasLeft {
		if facts&converted != 0 {
			return o.withBranches(left, facts, leftOnlyBranches), false, nil
		}
		return nil, false, nil
	}
	if onlyBranches && !share {
		r.Value, onlyBranches = data.WithLeaves(n, r.Value, true), false
	}
	out = o.withBranches(r.Value, facts, onlyBranches)
	out.memo.singleUse = opts.UnshareRight && !config.converted()
	out.memo.shared = share && o.memo.shared
	if r.Absent {
		out.value = nil
	}
	return out, true, nil
}

// noOperands returns the finding for an operation in which no operand has a value.
func noOperands() diag.Findings {
	return diag.Newf(diag.Misuse, "at least one of lhs and rhs must be provided")
}

// overlayOutline is a fast path of Overlay for a value from ForOneUse whose Go struct is not
// converted yet. It converts only the fields that the merge needs (see Outline in package value).
// If config changes anything, it also converts the other fields. As in merge, out is nil if the
// result is o itself. ok is false if overlayOutline cannot handle o or config.
func (o *Value) overlayOutline(config *Value) (out *Value, changed, ok bool) {
	m, n := o.memo, o.Node()
	known := engine.Valid | engine.StringKeyed
	// The value is a valid struct, so its type allows maps, and n.Map is not nil.
	if !m.singleUse || m.existingPlain() != nil || !m.knows(known) || !config.memo.knows(known|engine.Unique) ||
		n.Declarative || n.Map.Atomic || config.converted() {
		return nil, false, false
	}
	v, ok := o.value.(interface {
		Outline(over map[string]any, n *graph.Node) (tree map[string]any, complete func(other map[string]any) (onlyBranches bool))
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
	r, findings := engine.Merge(n, tree, right, engine.MergeOptions{
		LeftValid:        true,
		LeftUnique:       m.knows(engine.Unique),
		RightValidUnique: true,
		Share:            true,
		UnshareRight:     true,
		Unconverted:      true,
	})
	merged, isMap := r.Value.(map[string]any)
	if findings != nil || r.Changed && !isMap {
		return nil, false, false
	}
	if !r.Changed {
		m.ensurePlain().partial.Store(&partial{tree, complete})
		return nil, false, true
	}
	onlyBranches := complete(merged)
	m.ensurePlain().keep(tree, onlyBranches)
	out = o.withBranches(merged, uint32(m.known()&config.memo.known()), onlyBranches)
	out.memo.singleUse = true
	return out, true, true
}
