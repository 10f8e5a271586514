// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import "github.com/dovetail-ssa/dovetail/internal/graph"

// Follow is Compare and Validate in one walk, for a right value of which nothing is
// known and a left one, of the same type, of which facts are: what is the same in both
// is as valid as it was. also is what Validate would learn of right, or less. It says
// that two NaN are the same.
//
// known is false if something may be wrong with right, or if this walk cannot tell;
// then Validate has to.
func Follow(n *graph.Node, left, right any, facts Facts, allowDuplicates bool) (out *Differences, untouched bool, also Facts, known bool) {
	if facts&Valid == 0 || n.Declarative || !allowDuplicates && facts&Unique == 0 {
		return nil, false, 0, false
	}
	w := newWalker()
	defer w.done()
	va := validator{w: w, allowDuplicates: allowDuplicates, facts: facts}
	c := newComparer(w, n, facts)
	c.unread = &va
	differs, wrong := c.both(n, left, right)
	if wrong != nil || va.facts&Valid == 0 {
		return nil, false, 0, false
	}
	untouched = c.exact && !(differs && c.last().touches(n))
	return c.differences(nil), untouched, va.facts, true
}

// reads validates y, a right value that is yet to be, unless it is the same as x, and
// says whether the walk has to go on below: both are not the same, and y is valid.
func (c *comparer) reads(n *graph.Node, x, y any) bool {
	return !identical(x, y) && c.read(n, y)
}

// read validates a right value that is yet to be. If it is not valid, nothing of the
// walk is of use any more.
func (c *comparer) read(n *graph.Node, y any) bool {
	if c.unread.value(n, y) != nil {
		c.unread.facts &^= Valid
	}
	return c.unread.facts&Valid != 0
}
