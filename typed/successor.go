// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/value"
)

// Successor returns the value of decoded JSON that is to take the place of tv, as
// FromUnstructured of tv's type does, with its errors. Where tv is valid it is read
// once for that and for the first tv.Compare, which most often follows: what is the
// same as in tv is valid. For the packages of this module.
func (tv *TypedValue) Successor(in any, opts ...ValidationOptions) (*TypedValue, error) {
	next := AsTypedUnvalidated(value.NewValueInterface(in), tv.schema, tv.typeRef)
	n, left, hasLeft := tv.Plain()
	_, right, _ := next.Plain()
	if hasLeft {
		d, untouched, facts, known := engine.Follow(n, left, right, tv.memo.known(), allowsDuplicates(opts))
		if known {
			next.memo.facts.Or(uint32(facts))
			tv.noteUntouched(next, untouched)
			next.memo.early.Store(&early{tv.memo, (*Comparison)(d)})
			return next, nil
		}
	}
	if err := next.Validate(opts...); err != nil {
		return nil, err
	}
	return next, nil
}

// early is how a value differs from another one, found before somebody asks.
type early struct {
	from *memo
	*Comparison
}

// takeEarly returns how rhs differs from tv if that was found already, to the first
// who asks; it is theirs. Otherwise nil.
func (tv *TypedValue) takeEarly(rhs *TypedValue) *Comparison {
	e := rhs.memo.early.Load()
	if e == nil || e.from != tv.memo || !rhs.memo.early.CompareAndSwap(e, nil) {
		return nil
	}
	return e.Comparison
}
