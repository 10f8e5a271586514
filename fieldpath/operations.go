// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import "github.com/dovetail-ssa/dovetail/internal/box"

// Union returns the paths that are in at least one of the sets. The result may share subtrees
// with both sets.
func (s *Set) Union(s2 *Set) *Set {
	a := newTightArena()
	members, _ := a.unionMembers(s.Members.members, s2.Members.members)
	nodes, _ := a.unionNodes(s.Children.members, s2.Children.members)
	return a.set(members, nodes)
}

// likeX and likeY are flags of a union of x and y. likeX means that the union is identical to x, so
// the result can be x itself. likeY means the same for y.
const (
	likeX = 1 << iota
	likeY
)

// union returns the union of x and y. If the union is identical to x or y, it returns that
// set itself.
func (a *arena) union(x, y *Set) *Set {
	if x == y {
		return x
	}
	members, likeMembers := a.unionMembers(x.Members.members, y.Members.members)
	nodes, likeNodes := a.unionNodes(x.Children.members, y.Children.members)
	switch like := likeMembers & likeNodes; {
	case like&likeX != 0:
		return x
	case like&likeY != 0:
		return y
	}
	return a.set(members, nodes)
}

// unionMembers returns the elements of x and y. If both have an equal element, the result has the
// element of y, as in structured-merge-diff. The result like says whether the result is identical
// to x or y.
func (a *arena) unionMembers(x, y []PathElement) (out []PathElement, like uint8) {
	if like = likeX | likeY; box.SameList(x, y) {
		return x, like
	}
	var room [spanRoom]span
	kept := room[:0]
	i, j := 0, 0
	for i < len(x) && j < len(y) {
		switch c, from := compareElements(&x[i], &y[j]), i; {
		case c == 0:
			if like&likeX != 0 && !interchangeable(&x[i], &y[j]) {
				like &^= likeX
			}
			kept = addSpan(kept, j, j+1, true)
			i++
			j++
		case c < 0:
			i, _ = seekElements(x, i+1, &y[j])
			kept = addSpan(kept, from, i, false)
			like &^= likeY
		default:
			from = j
			j, _ = seekElements(y, j+1, &x[i])
			kept = addSpan(kept, from, j, true)
			like &^= likeX
		}
	}
	if i < len(x) {
		kept = addSpan(kept, i, len(x), false)
		like &^= likeY
	}
	if j < len(y) {
		kept = addSpan(kept, j, len(y), true)
		like &^= likeX
	}
	switch {
	case like&likeX != 0:
		return x, like
	case like&likeY != 0:
		return y, like
	}
	return a.gather(kept, x, y), 0
}

// unionNodes returns the children of x and y. If both have a child with an equal element, the
// result has the element of x, as in structured-merge-diff. The result like says whether the result
// is identical to x or y.
func (a *arena) unionNodes(x, y []SetNode) (out []SetNode, like uint8) {
	if like = likeX | likeY; box.SameList(x, y) {
		return x, like
	}
	for i, j := 0, 0; i < len(x) || j < len(y); {
		atX, atY := i, j
		var run []SetNode // the children to append to the result
		var likeRun uint8
		var both [1]SetNode
		switch c := compareHeads(x[i:], y[j:]); {
		case c < 0:
			i = len(x)
			if j < len(y) {
				i, _ = seekNodes(x, atX+1, &y[j].PathElement)
			}
			run, likeRun = x[atX:i], likeX
		case c > 0:
			j = len(y)
			if i < len(x) {
				j, _ = seekNodes(y, atY+1, &x[i].PathElement)
			}
			run, likeRun = y[atY:j], likeY
		default:
			set := a.union(x[i].Set, y[j].Set)
			both[0] = SetNode{PathElement: x[i].PathElement, Set: set}
			run = both[:]
			if set == x[i].Set {
				likeRun |= likeX
			}
			if set == y[j].Set && interchangeable(&x[i].PathElement, &y[j].PathElement) {
				likeRun |= likeY
			}
			i++
			j++
		}
		if out == nil {
			if like&likeRun != 0 {
				like &= likeRun
				continue
			}
			head := x[:atX]
			if like&likeX == 0 {
				head = y[:atY]
			}
			like = 0
			out = append(a.nodes.Take(len(head) + len(run) + countUnion(x[i:], y[j:]))[:0], head...)
		}
		out = append(out, run...)
	}
	switch {
	case like&likeX != 0:
		return x, like
	case like&likeY != 0:
		return y, like
	}
	return out, 0
}

// compareHeads compares the first child of x with the first child of y. An empty list comes
// last.
func compareHeads(x, y []SetNode) int {
	switch {
	case len(x) == 0:
		return 1
	case len(y) == 0:
		return -1
	}
	return compareElements(&x[0].PathElement, &y[0].PathElement)
}

// countUnion returns the number of distinct elements in x and y.
func countUnion(x, y []SetNode) int {
	count := 0
	for len(x) > 0 && len(y) > 0 {
		c := compareElements(&x[0].PathElement, &y[0].PathElement)
		if c <= 0 {
			x = x[1:]
		}
		if c >= 0 {
			y = y[1:]
		}
		count++
	}
	return count + len(x) + len(y)
}

// Intersection returns the paths that are in both sets. If two elements are equal but not
// identical, such as 1 and 1.0, the result has the element of s.
func (s *Set) Intersection(s2 *Set) *Set {
	var a arena
	return a.set(
		a.choose(s.Members.members, s2.Members.members, true),
		a.intersectNodes(s.Children.members, s2.Children.members))
}

// intersect returns the intersection of x and y. It returns nil if the intersection is empty,
// and x itself if the intersection is identical to x.
func (a *arena) intersect(x, y *Set) *Set {
	members := a.choose(x.Members.members, y.Members.members, true)
	nodes := a.intersectNodes(x.Children.members, y.Children.members)
	if len(members)+len(nodes) == 0 {
		return nil
	}
	return a.setLike(x, members, nodes)
}

// choose returns a part of x. If inY is true, it returns the elements that are also in y. If inY is
// false, it returns the elements that are not in y.
func (a *arena) choose(x, y []PathElement, inY bool) []PathElement {
	switch {
	case inY && box.SameList(x, y), !inY && len(y) == 0:
		return x
	case box.SameList(x, y):
		return nil
	}
	var room [spanRoom]span
	kept := room[:0]
	i, j, start := 0, 0, 0
	for found := false; i < len(x) && j < len(y); {
		if i, found = seekElements(x, i, &y[j]); !found {
			if i < len(x) {
				j, _ = seekElements(y, j+1, &x[i])
			}
			continue
		}
		if inY {
			kept = addSpan(kept, i, i+1, false)
		} else {
			kept = addSpan(kept, start, i, false)
		}
		i++
		j++
		start = i
	}
	if !inY {
		kept = addSpan(kept, start, len(x), false)
	}
	return a.pick(kept, x)
}

func (a *arena) intersectNodes(x, y []SetNode) []SetNode {
	kept := nodePicker{from: x}
	i, j := 0, 0
	for found := false; i < len(x) && j < len(y); {
		if j, found = seekNodes(y, j, &x[i].PathElement); found {
			set := a.intersect(x[i].Set, y[j].Set)
			kept.put(a, i, set, min(len(x)-i, len(y)-j)-1)
			i++
			j++
		} else if j < len(y) {
			i, _ = seekNodes(x, i+1, &y[j].PathElement)
		}
	}
	return kept.result()
}

// Difference returns the paths of s that are not in s2. It keeps a path of s if s2 has only a
// parent of the path.
func (s *Set) Difference(s2 *Set) *Set {
	return s.subtract(s2, false)
}

// RecursiveDifference returns the paths of s that are neither in s2 nor below a path in s2.
func (s *Set) RecursiveDifference(s2 *Set) *Set {
	return s.subtract(s2, true)
}

func (s *Set) subtract(s2 *Set, recursive bool) *Set {
	var a arena
	return a.set(
		a.choose(s.Members.members, s2.Members.members, false),
		a.subtractNodes(s.Children.members, s2, recursive))
}

// subtract returns the paths of x that are not in y. If recursive is true, it also removes
// everything below a path in y. It returns nil if no path remains, and x itself if it removes
// nothing.
func (a *arena) subtract(x, y *Set, recursive bool) *Set {
	if x == y {
		return nil
	}
	members := a.choose(x.Members.members, y.Members.members, false)
	nodes := a.subtractNodes(x.Children.members, y, recursive)
	if len(members) == 0 && !a.containsLeft(nodes) && (&SetNodeMap{members: nodes}).Empty() {
		return nil
	}
	return a.setLike(x, members, nodes)
}

// containsLeft reports whether one of the children has the set a.left, which is known to have
// paths. If one has it, the caller need not search the children for paths. A search at every level
// of a tree would take time quadratic in the depth.
func (a *arena) containsLeft(nodes []SetNode) bool {
	for i := range nodes {
		if nodes[i].Set == a.left {
			return true
		}
	}
	return false
}

// compareNext compares the first member with the first child by their elements. An empty list
// counts as greater. At least one of the lists must have an element.
func compareNext(members []PathElement, nodes []SetNode) int {
	switch {
	case len(nodes) == 0:
		return -1
	case len(members) == 0:
		return 1
	}
	return compareElements(&members[0], &nodes[0].PathElement)
}

// subtractNodes returns the children x of a set, without the paths that are in y. If recursive is
// true, it also removes everything below a path in y. It keeps a child whose element is not in y,
// even if the child has no paths. It is fast if y is small, even if x is large.
func (a *arena) subtractNodes(x []SetNode, y *Set, recursive bool) []SetNode {
	members, nodes := y.Members.members, y.Children.members
	if !recursive {
		members = nil
	}
	kept := nodePicker{from: x}
	i := 0
	for i < len(x) && len(members)+len(nodes) > 0 {
		// Find the next element of y in x.
		order := compareNext(members, nodes)
		var pe *PathElement
		if order <= 0 {
			pe = &members[0]
		} else {
			pe = &nodes[0].PathElement
		}
		at, found := seekNodes(x, i, pe)
		kept.keep(a, i, at, len(x)-at)
		i = at
		switch {
		case !found && i == len(x):
		case !found:
			// Skip the elements of y that come before x[i].
			at, _ = seekElements(members, 0, &x[i].PathElement)
			members = members[at:]
			at, _ = seekNodes(nodes, 0, &x[i].PathElement)
			nodes = nodes[at:]
			continue
		case order > 0:
			left := a.subtract(x[i].Set, nodes[0].Set, recursive)
			if left != nil {
				a.left = left
			}
			kept.put(a, i, left, len(x)-i-1)
			i++
		default:
			i++
		}
		if order <= 0 {
			members = members[1:]
		}
		if order >= 0 {
			nodes = nodes[1:]
		}
	}
	kept.keep(a, i, len(x), 0)
	return kept.result()
}

// Disjoint reports whether the sets have no path in common. It returns the same as
// s.Intersection(s2).Empty(), but does not allocate memory.
func (s *Set) Disjoint(s2 *Set) bool {
	if s == s2 {
		return s.Empty()
	}
	return disjointMembers(s.Members.members, s2.Members.members) &&
		disjointNodes(s.Children.members, s2.Children.members)
}

func disjointMembers(x, y []PathElement) bool {
	if len(x) > len(y) {
		x, y = y, x // make x the shorter list, because often one of the lists has only one element
	}
	for len(x) > 0 && len(y) > 0 {
		at, found := seekElements(y, 0, &x[0])
		if found {
			return false
		}
		x, y = y[at:], x[1:] // y does not have x[0], so skip x[0] and all elements of y before x[0]
	}
	return true
}

func disjointNodes(x, y []SetNode) bool {
	if len(x) > len(y) {
		x, y = y, x
	}
	for len(x) > 0 && len(y) > 0 {
		at, found := seekNodes(y, 0, &x[0].PathElement)
		if !found {
			x, y = y[at:], x[1:]
			continue
		}
		if !x[0].Set.Disjoint(y[at].Set) {
			return false
		}
		x, y = x[1:], y[at+1:]
	}
	return true
}

// Leaves returns the paths of s below which s has no other path.
func (s *Set) Leaves() *Set {
	var a arena
	return a.set(a.leafMembers(s.Members.members, s.Children.members), a.leafNodes(s.Children.members))
}

func (a *arena) leafMembers(members []PathElement, nodes []SetNode) []PathElement {
	if len(members) == 0 || len(nodes) == 0 {
		return members
	}
	var room [spanRoom]span
	kept := room[:0]
	start, at := 0, 0
	for i := range nodes {
		var found bool
		at, found = seekElements(members, at, &nodes[i].PathElement)
		if found {
			kept = addSpan(kept, start, at, false)
			at++
			start = at
		}
	}
	kept = addSpan(kept, start, len(members), false)
	return a.pick(kept, members)
}

func (a *arena) leafNodes(x []SetNode) []SetNode {
	kept := nodePicker{from: x}
	for i := range x {
		set := x[i].Set
		members, nodes := set.Members.members, set.Children.members
		kept.put(a, i, a.setLike(set, a.leafMembers(members, nodes), a.leafNodes(nodes)), len(x)-i-1)
	}
	return kept.result()
}
