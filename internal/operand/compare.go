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

// Compare returns how next differs from the value.
func (o Value) Compare(next *Value) (*engine.Differences, diag.Findings) {
	if found := o.SameType(next); found != nil {
		return nil, found
	}
	if d := o.takeEarly(next); d != nil {
		return d, nil
	}
	if o.reflected() && next.reflected() {
		if d, found, ok := o.compareReflected(next); ok {
			return d, found
		}
	}
	n, left, some, hasLeft := o.Branches()
	_, right, too, hasRight := next.Branches()
	switch {
	case hasLeft && hasRight && (some || too):
		d, _, found := engine.CompareMade(n, left, right, o.memo.known()&next.memo.known(), goLeaves{}, goLeaves{})
		return d, found
	case hasLeft && hasRight:
		d, untouched, found := engine.Compare(n, left, right, o.memo.known()&next.memo.known())
		o.noteUntouched(next, untouched)
		return d, found
	case hasRight:
		return engine.CompareOne(n, right, true)
	case hasLeft:
		return engine.CompareOne(n, left, false)
	}
	return nil, nothing()
}

// goLeaves compares what may have branches only.
type goLeaves struct{}

func (goLeaves) Equal(left, right any, _ engine.Origin) bool { return data.EqualBranches(left, right) }

// noteUntouched keeps for CheckTransition what a comparison tells of transition rules.
func (o Value) noteUntouched(next *Value, untouched bool) {
	if untouched {
		next.memo.asCompared().untouched.Store(o.memo.asToken())
	}
}

// compareReflected compares values that were made of Go values, as such. ok is false if
// their plain data does as well.
func (o Value) compareReflected(next *Value) (d *engine.Differences, found diag.Findings, ok bool) {
	n, known := o.Node(), o.memo.known()&next.memo.known()
	var untouched bool
	if known&engine.Valid != 0 {
		if o.memo == next.memo {
			return unchanged(), nil, true
		}
		left, isLeft := o.structure()
		right, isRight := next.structure()
		if isLeft && isRight && o.memo.facts.Or(walked)&next.memo.facts.Or(walked)&(lowered|walked) == 0 {
			d, untouched, found, ok = gostruct.Compare(n, left, right, known)
		}
	}
	if !ok {
		if n.Declarative {
			return nil, nil, false
		}
		d, untouched, found = gostruct.CompareReflected(n, o.asReflected(), next.asReflected(), known)
	}
	o.noteUntouched(next, untouched)
	return d, found, true
}

// unchanged is the comparison of a valid value with itself.
func unchanged() *engine.Differences {
	return &engine.Differences{Removed: fieldpath.NewSet(), Modified: fieldpath.NewSet(), Added: fieldpath.NewSet()}
}

// asReflected returns the plain data of a Go value, as comparisons read it.
func (o *Value) asReflected() *gostruct.Reflected {
	p := o.memo.ensurePlain()
	r := p.reflected.Load()
	if r == nil {
		r = gostruct.Reflect(o.value)
		p.reflected.Store(r)
	}
	return r
}

// Follow returns object, plain data that is to take the place of the valid value o, as a
// value of the same type. known says that it was validated on the way, where it differs
// from o, and is valid; otherwise it is yet to be validated.
func (o *Value) Follow(object any, allowDuplicates bool) (next *Value, known bool) {
	next = o.another(value.NewValueInterface(object))
	n, left, hasLeft := o.Plain()
	_, right, _ := next.Plain()
	if !hasLeft {
		return next, false
	}
	d, untouched, facts, known := engine.ValidateAndCompare(n, left, right, o.memo.known(), allowDuplicates)
	if known {
		next.memo.facts.Or(uint32(facts))
		o.noteUntouched(next, untouched)
		next.memo.asCompared().early.Store(&early{o.memo, d})
	}
	return next, known
}

// early is how a value differs from another one, kept for who asks first.
type early struct {
	from *memo
	*engine.Differences
}

// takeEarly returns how next differs from o if that is known, once: the caller may
// write to it.
func (o *Value) takeEarly(next *Value) *engine.Differences {
	c := next.memo.compared.Load()
	if c == nil {
		return nil
	}
	e := c.early.Load()
	if e == nil || e.from != o.memo || !c.early.CompareAndSwap(e, nil) {
		return nil
	}
	return e.Differences
}

// ComparedEarly returns whether it is known how the value differs from another one
// before somebody asks.
func (o *Value) ComparedEarly() bool {
	c := o.memo.compared.Load()
	return c != nil && c.early.Load() != nil
}

// CheckTransition returns the changes from the value to next that transition rules
// forbid, and what keeps from finding out.
func (o *Value) CheckTransition(next *Value, anyOrder bool) ([]transition.Violation, diag.Findings) {
	// Most values that are checked were compiled before.
	n := o.memo.node.Load()
	if n == nil || n != next.memo.node.Load() {
		if n = o.Node(); n != next.Node() {
			if found := o.SameType(next); found != nil {
				return nil, found
			}
		}
	}
	if !n.HasTransitions {
		return nil, nil
	}
	// Whoever updates has compared the two.
	if from, to := o.memo.compared.Load(), next.memo.compared.Load(); from != nil && to != nil {
		if known := to.untouched.Load(); known != nil && known == from.token.Load() {
			return nil, nil
		}
	}
	_, old, had := o.Plain()
	_, tree, has := next.Plain()
	if !had || !has {
		return nil, nil
	}
	return transition.Check(n, old, tree, anyOrder)
}
