// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

// Disjoint reports whether no path is in both sets. It is what Intersection
// being empty tells, without a set being made.
func (s *Set) Disjoint(s2 *Set) bool {
	for s != s2 {
		if x, y := s.Members.members, s2.Members.members; len(x) > 0 && len(y) > 0 && !disjointMembers(x, y) {
			return false
		}
		x, y := s.Children.members, s2.Children.members
		if len(x) < len(y) {
			x, y = y, x
		}
		switch len(y) {
		default:
			return disjointNodes(x, y)
		case 0:
			return true
		case 1:
			// One change of an object is a single path.
			at, found := findNode(x, &y[0].PathElement)
			if !found {
				return true
			}
			s, s2 = x[at].Set, y[0].Set
		}
	}
	return s.Empty()
}

// fewElements is up to how many elements looking for one that is equal is cheaper
// than going by their order.
const fewElements = 8

func disjointMembers(x, y []PathElement) bool {
	if len(x) < len(y) {
		x, y = y, x
	}
	if len(y) == 1 {
		_, found := findElement(x, &y[0])
		return !found
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		var found bool
		if j, found = seekElements(y, j, &x[i]); found {
			return false
		}
		if j < len(y) {
			if i, found = seekElements(x, i+1, &y[j]); found {
				return false
			}
		}
	}
	return true
}

func disjointNodes(x, y []SetNode) bool {
	for i, j := 0, 0; i < len(x) && j < len(y); {
		var found bool
		if j, found = seekNodes(y, j, &x[i].PathElement); found {
			if !x[i].Set.Disjoint(y[j].Set) {
				return false
			}
			i++
			j++
		} else if j < len(y) {
			i, _ = seekNodes(x, i+1, &y[j].PathElement)
		}
	}
	return true
}

// findElement returns where pe is in sorted elements.
func findElement(s []PathElement, pe *PathElement) (at int, found bool) {
	if name := pe.FieldName; name != nil && len(s) <= fewElements {
		for i := range s {
			if e := s[i].FieldName; e == name || e != nil && *e == *name {
				return i, true
			}
		}
		return 0, false
	}
	return seekElements(s, 0, pe)
}

// findNode is findElement over the children of a set.
func findNode(s []SetNode, pe *PathElement) (at int, found bool) {
	if name := pe.FieldName; name != nil && len(s) <= fewElements {
		for i := range s {
			if e := s[i].PathElement.FieldName; e == name || e != nil && *e == *name {
				return i, true
			}
		}
		return 0, false
	}
	return seekNodes(s, 0, pe)
}
