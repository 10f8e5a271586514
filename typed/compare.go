// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/engine"
)

// Compare returns how rhs differs from the value. Both must be of one type of
// one schema.
func (tv TypedValue) Compare(rhs *TypedValue) (c *Comparison, err error) {
	if err := tv.sameType(rhs); err != nil {
		return nil, err
	}
	if c := tv.takeEarly(rhs); c != nil {
		return c, nil
	}
	if tv.reflected() && rhs.reflected() {
		if d, found, ok := tv.compareReflected(rhs); ok {
			return comparison(d, found)
		}
	}
	n, left, hasLeft := tv.Plain()
	_, right, hasRight := rhs.Plain()
	var d *engine.Differences
	var found diag.Findings
	switch {
	case hasLeft && hasRight:
		var untouched bool
		d, untouched, found = engine.Compare(n, left, right, tv.memo.known()&rhs.memo.known())
		tv.noteUntouched(rhs, untouched)
	case hasRight:
		d, found = engine.CompareOne(n, right, true)
	case hasLeft:
		d, found = engine.CompareOne(n, left, false)
	default:
		return nil, errNothing()
	}
	return comparison(d, found)
}

// noteUntouched keeps for CheckTransition what a comparison tells of marks.
func (tv TypedValue) noteUntouched(rhs *TypedValue, untouched bool) {
	if untouched {
		rhs.memo.untouched.Store(tv.memo.asToken())
	}
}

func comparison(d *engine.Differences, found diag.Findings) (*Comparison, error) {
	if found != nil {
		return nil, errorsOf(found)
	}
	return (*Comparison)(d), nil
}

// compareReflected compares values that were made of Go values, as such. ok is false if
// their plain data does as well.
func (tv TypedValue) compareReflected(rhs *TypedValue) (d *engine.Differences, found diag.Findings, ok bool) {
	n, known := tv.compiled(), tv.memo.known()&rhs.memo.known()
	var untouched bool
	if known&engine.Valid != 0 {
		if tv.memo == rhs.memo {
			return unchanged(), nil, true
		}
		left, isLeft := tv.structure()
		right, isRight := rhs.structure()
		if isLeft && isRight && tv.memo.facts.Or(walked)&rhs.memo.facts.Or(walked)&(lowered|walked) == 0 {
			d, untouched, found, ok = engine.CompareStructs(n, left, right, known)
		}
	}
	if !ok {
		if n.Declarative {
			return nil, nil, false
		}
		d, untouched, found = engine.CompareReflected(n, tv.asReflected(), rhs.asReflected(), known)
	}
	tv.noteUntouched(rhs, untouched)
	return d, found, true
}

// asReflected returns the plain data of a Go value, as comparisons read it.
func (tv *TypedValue) asReflected() *engine.Reflected {
	r := tv.memo.reflected.Load()
	if r == nil {
		r = engine.Reflect(tv.value)
		tv.memo.reflected.Store(r)
	}
	return r
}
