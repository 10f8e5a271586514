// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

// components returns the parts in groups: those that can be reached from each
// other are in one, and no group leads to a later one. This is Tarjan's
// algorithm without recursion, since depth must not cost stack.
func (s *sharer) components() (groups [][]part) {
	const unseen = 0
	order := make(map[part]int, len(s.parts)) // 1 + when it was met, unseen if not
	low := make(map[part]int, len(s.parts))
	closed := make(map[part]bool, len(s.parts))
	var open []part
	type visit struct {
		of   part
		todo []part
	}
	var visits []visit
	enter := func(p part) {
		order[p] = len(order) + 1
		low[p] = order[p]
		open = append(open, p)
		visits = append(visits, visit{p, s.fresh(p)})
	}
	for _, start := range s.parts {
		if order[start] != unseen {
			continue
		}
		enter(start)
		for len(visits) > 0 {
			v := &visits[len(visits)-1]
			if len(v.todo) > 0 {
				next := v.todo[0]
				v.todo = v.todo[1:]
				if order[next] == unseen {
					enter(next)
				} else if !closed[next] {
					low[v.of] = min(low[v.of], order[next])
				}
				continue
			}
			p := v.of
			visits = visits[:len(visits)-1]
			if len(visits) > 0 {
				above := visits[len(visits)-1].of
				low[above] = min(low[above], low[p])
			}
			if low[p] != order[p] {
				continue
			}
			from := len(open) - 1
			for open[from] != p {
				from--
			}
			group := append([]part(nil), open[from:]...)
			open = open[:from]
			for _, member := range group {
				closed[member] = true
			}
			groups = append(groups, group)
		}
	}
	return groups
}

// fresh returns the parts below p that are being shared.
func (s *sharer) fresh(p part) (all []part) {
	p.eachBelow(func(below part) {
		if below.node == nil || s.node[below.node] != nil {
			all = append(all, below)
		}
	})
	return all
}
