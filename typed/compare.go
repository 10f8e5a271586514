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
	if tv.reflected() {
		if d, found, ok := tv.compareStructs(rhs); ok {
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

// compareStructs compares Go structs of which at least one was neither lowered
// nor compared before. ok is false if that is not what they are, or if they may
// not be valid.
func (tv TypedValue) compareStructs(rhs *TypedValue) (d *engine.Differences, found diag.Findings, ok bool) {
	if !tv.memo.is(engine.Valid) || !rhs.memo.is(engine.Valid) {
		return d, nil, false
	}
	if tv.memo == rhs.memo {
		return unchanged(), nil, true
	}
	left, ok := tv.structure()
	if !ok {
		return d, nil, false
	}
	right, ok := rhs.structure()
	if !ok {
		return d, nil, false
	}
	if tv.memo.facts.Or(walked)&rhs.memo.facts.Or(walked)&(lowered|walked) != 0 {
		return d, nil, false
	}
	d, untouched, found, ok := engine.CompareStructs(tv.compiled(), left, right, tv.memo.known()&rhs.memo.known())
	tv.noteUntouched(rhs, untouched)
	return d, found, ok
}
