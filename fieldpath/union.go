// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

// Union returns the paths of either set.
func (s *Set) Union(s2 *Set) *Set {
	var a arena
	out := a.sets.one()
	members, _ := a.unionMembers(s.Members.members, s2.Members.members)
	nodes, _ := a.unionNodes(s.Children.members, s2.Children.members)
	a.fill(out, members, nodes)
	return out
}

// likeX and likeY tell that a union is what one operand already was, down to
// how it is written, so that the operand can be shared.
const (
	likeX = 1 << iota
	likeY
)

// union returns x or y itself where that is the result.
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

// unionMembers takes equal elements from y, as upstream does.
func (a *arena) unionMembers(x, y []PathElement) (out []PathElement, like uint8) {
	switch {
	case same(x, y):
		return x, likeX | likeY
	case len(y) == 0:
		return x, likeX
	case len(x) == 0:
		return y, likeY
	}
	like = likeX | likeY
	var room [spanRoom]span
	kept := room[:0]
	i, j := 0, 0
	for c := compareElements(&x[0], &y[0]); ; {
		if c == 0 {
			if like&likeX != 0 && !interchangeable(&x[i], &y[j]) {
				like &^= likeX
			}
			kept = addSpan(kept, j, j+1, true)
			i++
			j++
			if i == len(x) || j == len(y) {
				break
			}
			c = compareElements(&x[i], &y[j])
			continue
		}
		from, found := i, false
		if c < 0 {
			i, found = seekElements(x, i+1, &y[j])
			kept = addSpan(kept, from, i, false)
			like &^= likeY
			c = 1
		} else {
			from = j
			j, found = seekElements(y, j+1, &x[i])
			kept = addSpan(kept, from, j, true)
			like &^= likeX
			c = -1
		}
		if i == len(x) || j == len(y) {
			break
		}
		if found {
			c = 0
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

// unionNodes takes the elements of common children from x, as upstream does.
func (a *arena) unionNodes(x, y []SetNode) (out []SetNode, like uint8) {
	switch {
	case same(x, y):
		return x, likeX | likeY
	case len(y) == 0:
		return x, likeX
	case len(x) == 0:
		return y, likeY
	}
	like = likeX | likeY
	for i, j := 0, 0; i < len(x) || j < len(y); {
		atX, atY := i, j
		var run []SetNode // what the result goes on with
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
			out = append(a.nodes.take(len(head) + len(run) + countUnion(x[i:], y[j:]))[:0], head...)
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

// compareHeads compares the first children; an exhausted list comes last.
func compareHeads(x, y []SetNode) int {
	switch {
	case len(x) == 0:
		return 1
	case len(y) == 0:
		return -1
	}
	return compareElements(&x[0].PathElement, &y[0].PathElement)
}

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
