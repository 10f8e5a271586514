// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Validate returns what is wrong with the value as ValidationErrors, nil if
// nothing is.
func (tv TypedValue) Validate(opts ...ValidationOptions) error {
	allowDuplicates := allowsDuplicates(opts)
	if v, ok := tv.structure(); ok {
		if facts, ok := engine.ValidateStruct(tv.compiled(), v, allowDuplicates); ok {
			tv.memo.facts.Or(uint32(facts))
			return nil
		}
	}
	n, tree, ok := tv.Plain()
	if !ok {
		return errorsIn(engine.ValidateNone(n), tv.parseable())
	}
	facts, found := engine.Validate(n, tree, allowDuplicates)
	tv.memo.facts.Or(uint32(facts))
	if found == nil {
		return nil
	}
	return errorsIn(found, tv.parseable())
}

func allowsDuplicates(opts []ValidationOptions) bool {
	return slices.Contains(opts, AllowDuplicates)
}

// ToFieldSet returns the paths that the value sets: what an applier of it owns.
// It fails only if the schema lacks a type.
func (tv TypedValue) ToFieldSet() (*fieldpath.Set, error) { return tv.FieldSetLike(nil) }

// FieldSetLike is ToFieldSet. What of the result is the same in like is shared
// with it, all of it if the two are equal. For the packages of this module.
func (tv TypedValue) FieldSetLike(like *fieldpath.Set) (*fieldpath.Set, error) {
	n, tree, _ := tv.Plain()
	set, found := engine.FieldSet(n, tree, like)
	if found != nil {
		return nil, errorsOf(found)
	}
	return set, nil
}

// Merge returns the value with pso, an applied configuration, laid over it.
// Both must be of one type of one schema. Containers that are merged item by
// item are new in the result; leaves, atomic containers among them, are shared
// with tv and pso.
func (tv TypedValue) Merge(pso *TypedValue) (*TypedValue, error) {
	out, _, err := tv.merge(pso, false)
	return out, err
}

// Overlay is Merge for callers that do not write to the result, for the
// packages of this module: all that pso leaves alone is shared with tv, unless
// either has maps whose keys are not strings, which a merge replaces. changed
// tells whether anything was not left alone.
func (tv *TypedValue) Overlay(pso *TypedValue) (out *TypedValue, changed bool, err error) {
	if out, changed, err = tv.merge(pso, true); out == nil && err == nil {
		out = tv
	}
	return out, changed, err
}

// merge returns nil where the result is tv: what it returned would have to be on the
// heap, and Merge has a copy that need not be.
func (tv *TypedValue) merge(pso *TypedValue, share bool) (out *TypedValue, changed bool, err error) {
	if err := tv.sameType(pso); err != nil {
		return nil, false, err
	}
	if share {
		if out, changed, ok := tv.overlayOutline(pso); ok {
			return out, changed, nil
		}
	}
	n, left, hasLeft := tv.Plain()
	_, right, hasRight := pso.Plain()
	share = share && tv.stringKeyed() && pso.stringKeyed()
	known := tv.memo.known() & pso.memo.known()
	if n.Declarative {
		known &^= engine.Unique // else items are paired, so none is there twice
	}
	facts := uint32(known)
	if share {
		facts |= (tv.memo.facts.Load() | pso.memo.facts.Load()) & lowered
	}
	opts := engine.MergeOptions{
		LeftValid:  tv.memo.is(engine.Valid),
		LeftUnique: tv.memo.is(engine.Valid | engine.Unique),
		RightValid: pso.memo.is(engine.Valid | engine.Unique),
		Share:      share,
		CloneLeft:  !share && tv.lowered(),
		CloneRight: !share && pso.lowered(),
		UntieRight: share && tv.memo.spent,
	}
	var r engine.Merged
	var found diag.Findings
	switch {
	case hasLeft && hasRight:
		r, found = engine.Merge(n, left, right, opts)
	case hasRight:
		r, found = engine.MergeOne(n, right, true, opts)
	case hasLeft:
		r, found = engine.MergeOne(n, left, false, opts)
	default:
		return nil, false, errNothing()
	}
	if found != nil {
		return nil, false, errorsOf(found)
	}
	if share && !r.Changed && hasLeft {
		if facts&lowered != 0 {
			return tv.derived(left, facts), false, nil
		}
		return nil, false, nil
	}
	out = tv.derived(r.Value, facts)
	out.memo.spent = opts.UntieRight && !pso.lowered()
	out.memo.lent = share && tv.memo.lent
	if r.Empty {
		out.value = nil
	}
	return out, true, nil
}

func errNothing() error { return errorf("at least one of lhs and rhs must be provided") }

// Untied returns the value with containers of its own wherever it is more than
// one leaf, so that they can be written to. What is Lent is not copied.
func (tv *TypedValue) Untied() *TypedValue {
	n, tree, ok := tv.Plain()
	if !ok {
		return tv
	}
	if tv.memo.spent || tv.memo.lent && !tv.lowered() {
		return tv.derived(tree, uint32(tv.memo.known()))
	}
	return tv.derived(engine.UntieAsIs(n, tree, tv.lowered()), uint32(tv.memo.known()))
}

// lowered says whether the value, or a part of it, was made from a Go struct.
func (tv TypedValue) lowered() bool {
	tv.Plain()
	return tv.memo.facts.Load()&lowered != 0
}

// stringKeyed says whether no map of the value came from a decoder that lets
// keys be anything.
func (tv TypedValue) stringKeyed() bool {
	_, tree, _ := tv.Plain()
	if !tv.memo.is(engine.StringKeyed) {
		if !engine.HasStringKeys(tree) {
			return false
		}
		tv.memo.facts.Or(uint32(engine.StringKeyed))
	}
	return true
}

func (tv *TypedValue) sameType(other *TypedValue) error {
	if tv.schema != other.schema {
		return errorf("expected objects with types from the same schema")
	}
	if !tv.typeRef.Equals(&other.typeRef) {
		return errorf("expected objects of the same type, but got %v and %v", tv.typeRef, other.typeRef)
	}
	return nil
}

// RemoveItems returns the value without the given paths and what is below them.
// The result is a new map or list; what no path leads to is shared. A container that
// loses all it had becomes null; with declarative defaults it stays, empty.
func (tv TypedValue) RemoveItems(items *fieldpath.Set) *TypedValue {
	return tv.project(items, engine.Remove)
}

// RemoveKeepingKeys is RemoveItems that takes no key from an item which stays: the
// item would be another one, and merging the result back would make two of it. The
// keys of an item go with it when items has the item itself.
func (tv TypedValue) RemoveKeepingKeys(items *fieldpath.Set) *TypedValue {
	if keys, _ := keysIn(items); keys != nil {
		items = items.Difference(keys)
	}
	return tv.RemoveItems(items)
}

// Pruned is RemoveItems for what an applier gives up: with declarative defaults, an
// item that stays keeps its keys. The result shares with tv. For the packages of this
// module.
func (tv TypedValue) Pruned(items *fieldpath.Set) *TypedValue {
	n, tree, _ := tv.Plain()
	out, whole := engine.GiveUp(n, tree, items)
	facts := tv.memo.facts.Load()
	if !whole {
		facts &^= uint32(engine.Valid | engine.Unique)
	}
	pruned := tv.derived(out, facts)
	pruned.memo.spent, pruned.memo.lent = tv.memo.spent, tv.memo.lent
	return pruned
}

// Meant returns the value without the nulls that stand for nothing, tv itself if
// there are none. For the packages of this module.
func (tv *TypedValue) Meant() *TypedValue {
	n, tree, _ := tv.Plain()
	if !n.Declarative {
		return tv
	}
	out, changed := engine.Meant(n, tree)
	if !changed {
		return tv
	}
	return tv.derived(out, tv.memo.facts.Load())
}

// Revised returns tree, which may share with tv, as a value of the same type. For
// the packages of this module.
func (tv TypedValue) Revised(tree any) *TypedValue {
	return tv.derived(tree, tv.memo.facts.Load()&lowered)
}

// Knows returns whether all of facts are known of the value. For the packages of
// this module.
func (tv TypedValue) Knows(facts engine.Facts) bool { return tv.memo.is(facts) }

func (tv TypedValue) project(items *fieldpath.Set, op func(*graph.Node, any, *fieldpath.Set) any) *TypedValue {
	n, tree, _ := tv.Plain()
	out := op(n, tree, items)
	if tv.lowered() {
		out = engine.Clone(out)
	}
	return tv.derived(out, 0)
}

// ReconcileFieldSetWithSchema returns fieldset as it reads under the schema of
// tv: what it has below a container that is atomic there becomes the container.
// It returns nil if nothing changes, and an error if the schema lacks a type.
func ReconcileFieldSetWithSchema(fieldset *fieldpath.Set, tv *TypedValue) (*fieldpath.Set, error) {
	out, found := engine.Reconcile(tv.compiled(), fieldset)
	if found != nil {
		return nil, fmt.Errorf("errors reconciling field set with schema: %s", errorsOf(found))
	}
	return out, nil
}
