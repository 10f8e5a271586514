// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import "hash/maphash"

// ring shares the parts of a cycle, or of cycles that meet, all of which can be
// reached from each other. Whatever else they lead to is shared already.
//
// A cycle is known by the walk over it from one of its nodes. Which one does
// not matter as long as equal cycles have equal ones: it is the one with the
// least name, and of several the first. Where that tells two equal cycles
// apart they are not shared, which is no harm.
func (s *sharer) ring(parts []part) {
	root := first(parts)
	if root == nil {
		return
	}
	number := make(map[part]int, len(parts))
	for _, p := range parts {
		number[p] = -1
	}
	var h maphash.Hash
	h.SetSeed(seed)
	walk := []part{{node: root}}
	number[walk[0]] = 0
	for i := 0; i < len(walk); i++ {
		walk[i].write(&h)
		walk[i].eachBelow(func(below part) {
			n, within := number[below]
			if !within {
				maphash.WriteComparable(&h, below)
				return
			}
			if n < 0 {
				n = len(walk)
				number[below] = n
				walk = append(walk, below)
			}
			maphash.WriteComparable(&h, n)
		})
	}
	var found map[part]part
	rings.Keep(root, h.Sum64(), func(kept *Node) bool {
		pairs, ok := pair(number, part{node: root}, part{node: kept})
		if ok {
			found = pairs
		}
		return ok
	})
	if found == nil {
		// Parts outside that lead into the cycle as its own parts do are the
		// same as those.
		for _, p := range parts {
			s.single(p)
		}
	}
	for p, kept := range found {
		switch {
		case p.node != nil:
			s.node[p.node] = kept.node
		case p.list != nil:
			s.list[p.list] = kept.list
		default:
			s.mapp[p.mapp] = kept.mapp
		}
	}
}

// first returns the node of parts to start from.
func first(parts []part) *Node {
	var least *Node
	for _, p := range parts {
		if n := p.node; n != nil && (least == nil || n.before(least)) {
			least = n
		}
	}
	return least
}

func (n *Node) before(other *Node) bool {
	if n.Type != other.Type {
		return n.Type < other.Type
	}
	if n.Nullable != other.Nullable {
		return other.Nullable
	}
	return n.Transition < other.Transition
}

// pair walks over a cycle and over the one that is kept, and returns which
// part of it is which, if all are the same. within are the parts of the cycle.
func pair(within map[part]int, root, kept part) (map[part]part, bool) {
	pairs := map[part]part{root: kept}
	for todo := []part{root}; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !p.same(pairs[p]) {
			return nil, false
		}
		mine, theirs := p.below(), pairs[p].below()
		if len(mine) != len(theirs) {
			return nil, false
		}
		for i, below := range mine {
			if _, ok := within[below]; !ok {
				if below != theirs[i] {
					return nil, false
				}
				continue
			}
			if known, ok := pairs[below]; ok {
				if known != theirs[i] {
					return nil, false
				}
				continue
			}
			pairs[below] = theirs[i]
			todo = append(todo, below)
		}
	}
	return pairs, true
}
