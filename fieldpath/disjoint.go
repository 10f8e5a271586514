package fieldpath

// Disjoint reports whether no path is in both sets. It is what Intersection
// being empty tells, without a set being made.
func (s *Set) Disjoint(s2 *Set) bool {
	if s == s2 {
		return s.Empty()
	}
	return disjointMembers(s.Members.members, s2.Members.members) &&
		disjointNodes(s.Children.members, s2.Children.members)
}

func disjointMembers(x, y []PathElement) bool {
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
