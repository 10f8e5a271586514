// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package operand

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/gostruct"
	"github.com/dovetail-ssa/dovetail/internal/transition"
	"github.com/dovetail-ssa/dovetail/value"
)

// Compare returns the differences between o and next.
func (o Value) Compare(next *Value) (*engine.Differences, diag.Findings) {
	if findings := o.SameType(next); findings != nil {
		return nil, findings
	}
	if d := o.takeComparison(next); d != nil {
		return d, nil
	}
	if o.reflected() && next.reflected() {
		if d, findings, ok := o.compareReflected(next); ok {
			return d, findings
		}
	}
	if findings := o.checkDepths(next); findings != nil {
		return nil, findings
	}
	n, left, leftOnlyBranches, hasLeft := o.Branches()
	_, right, rightOnlyBranches, hasRight := next.Branches()
	switch {
	case hasLeft && hasRight && (leftOnlyBranches || rightOnlyBranches):
		d, _, findings := engine.CompareWithOrigins(n, left, right, o.memo.known()&next.memo.known(), goLeaves{}, goLeaves{})
		return d, findings
	case hasLeft && hasRight:
		d, rulesProven, findings := engine.Compare(n, left, right, o.memo.known()&next.memo.known())
		o.noteRulesProven(next, rulesProven)
		return d, findings
	case hasRight:
		return engine.CompareWithAbsent(n, right, true)
	case hasLeft:
		return engine.CompareWithAbsent(n, left, false)
	}
	return nil, noOperands()
}

// goLeaves is the engine.Origin of plain data in which some lists and strings may not be
// converted yet (see Branches).
type goLeaves struct{}

func (goLeaves) Equal(left, right any, _ engine.Origin) bool { return data.EqualBranches(left, right) }

// noteRulesProven records that an update from o to next breaks no transition rule, so that
// CheckTransition need not check it. It does nothing if rulesProven is false.
func (o Value) noteRulesProven(next *Value, rulesProven bool) {
	if rulesProven {
		next.memo.ensureCompared().rulesProvenFrom.Store(o.memo.ensureToken())
	}
}

// compareReflected compares two values that wrap Go values. If both are valid structs, it
// usually need not convert them. ok is false if the caller must compare the plain data of the
// values instead.
func (o Value) compareReflected(next *Value) (d *engine.Differences, findings diag.Findings, ok bool) {
	n, known := o.Node(), o.memo.known()&next.memo.known()
	var rulesProven bool
	if known&engine.Valid != 0 {
		if o.memo == next.memo {
			return noDifferences(), nil, true
		}
		left, isLeft := o.goStruct()
		right, isRight := next.goStruct()
		if isLeft && isRight && o.memo.facts.Or(usedAsStruct)&next.memo.facts.Or(usedAsStruct)&(converted|usedAsStruct) == 0 {
			d, rulesProven, findings, ok = gostruct.Compare(n, left, right, known)
		}
	}
	if !ok {
		if n.Declarative {
			return nil, nil, false
		}
		d, rulesProven, findings = gostruct.CompareReflected(n, o.reflectedPlain(), next.reflectedPlain(), known)
	}
	o.noteRulesProven(next, rulesProven)
	return d, findings, true
}

// noDifferences returns the result of comparing a valid value with itself.
func noDifferences() *engine.Differences {
	return &engine.Differences{Removed: fieldpath.NewSet(), Modified: fieldpath.NewSet(), Added: fieldpath.NewSet()}
}

// reflectedPlain returns the plain data of a Go value together with the Go slices that it came
// from (see gostruct.Reflected).
func (o *Value) reflectedPlain() *gostruct.Reflected {
	p := o.memo.ensurePlain()
	r := p.reflected.Load()
	if r == nil {
		r = gostruct.Reflect(o.value)
		p.reflected.Store(r)
	}
	return r
}

// Successor returns object as a value of the same type as o. object is plain data that replaces
// the valid value o in an update. Successor validates only the parts of object that differ from
// o. If valid is true, object is valid, and Compare will return its differences from o without
// a second comparison. If valid is false, the caller must validate the result.
func (o *Value) Successor(object any, allowDuplicates bool) (next *Value, valid bool) {
	next = o.sameType(value.NewValueInterface(object))
	n, left, hasLeft := o.Plain()
	_, right, _ := next.Plain()
	if !hasLeft {
		return next, false
	}
	d, rulesProven, facts, valid := engine.ValidateAndCompare(n, left, right, o.memo.known(), allowDuplicates)
	if valid {
		next.memo.facts.Or(uint32(facts))
		o.noteRulesProven(next, rulesProven)
		next.memo.ensureCompared().next.Store(&comparison{o.memo, d})
	}
	return next, valid
}

// comparison has the differences between an older value and the value that caches them. The field
// from is the memo of the older value, which identifies the older value.
type comparison struct {
	from *memo
	*engine.Differences
}

// takeComparison returns the cached differences between o and next, or nil if there are none.
// It returns them only once, because the caller may modify them.
func (o *Value) takeComparison(next *Value) *engine.Differences {
	c := next.memo.compared.Load()
	if c == nil {
		return nil
	}
	e := c.next.Load()
	if e == nil || e.from != o.memo || !c.next.CompareAndSwap(e, nil) {
		return nil
	}
	return e.Differences
}

// HasComparison reports whether the differences between an older value and o are cached for
// Compare.
func (o *Value) HasComparison() bool {
	c := o.memo.compared.Load()
	return c != nil && c.next.Load() != nil
}

// RulesProven reports whether an earlier comparison of o and next has found that an update from o to next
// breaks no transition rule. It does not compare the values itself, so false may mean that they were not
// compared yet. If the result is true, it also holds after both values are pruned and defaulted, because
// they are equal in all parts that have rules.
func (o *Value) RulesProven(next *Value) bool {
	from, to := o.memo.compared.Load(), next.memo.compared.Load()
	if from == nil || to == nil {
		return false
	}
	known := to.rulesProvenFrom.Load()
	return known != nil && known == from.token.Load()
}

// CheckTransition returns the changes from o to next that transition rules forbid. If anyOrder
// is true, the order of items in keyed lists does not matter. If CheckTransition cannot check
// the values, it returns findings that explain why.
func (o *Value) CheckTransition(next *Value, anyOrder bool) ([]transition.Violation, diag.Findings) {
	// Usually both values already have the same compiled type. If not, compare the types.
	n := o.memo.node.Load()
	if n == nil || n != next.memo.node.Load() {
		if n = o.Node(); n != next.Node() {
			if findings := o.SameType(next); findings != nil {
				return nil, findings
			}
		}
	}
	if !n.HasTransitions {
		return nil, nil
	}
	if o.RulesProven(next) {
		return nil, nil
	}
	_, old, had := o.Plain()
	_, tree, has := next.Plain()
	if !had || !has {
		return nil, nil
	}
	return transition.Check(n, old, tree, anyOrder)
}
