// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

// Unions are the unions of a type and of all that can stand below it. They are
// apart from the nodes, which nobody who knows of no unions should pay for.
type Unions struct {
	// Node is the type, which is neither an atomic map nor an atomic list.
	Node *Node
	// Here are the unions of the map itself.
	Here []Union
	// Fields are the declared fields that lead to unions, Elem and Item what does so
	// of undeclared fields and items; nil if that does not.
	Fields     map[string]*Unions
	Elem, Item *Unions
}

// Union is a group of fields of a map of which one is meant to be set.
type Union struct {
	// Discriminator is the field that says which, empty if there is none, and
	// Default what it stands for when it is absent.
	Discriminator string
	Default       any
	Members       []Member
}

// Member is a field of a union, which the discriminator names with Value.
type Member struct{ Name, Value string }

// PruneUnions takes away what does not lead to a union and returns root, nil if it
// does not. users are, for each Unions, those that it stands right below.
func PruneUnions(root *Unions, all []*Unions, users map[*Unions][]*Unions) *Unions {
	leads := make(map[*Unions]bool, len(all))
	var here []*Unions
	for _, u := range all {
		if len(u.Here) > 0 {
			leads[u] = true
			here = append(here, u)
		}
	}
	Spread(here, users, func(u *Unions) bool {
		had := leads[u]
		leads[u] = true
		return !had
	})
	if !leads[root] {
		return nil
	}
	for _, u := range all {
		for name, below := range u.Fields {
			if !leads[below] {
				delete(u.Fields, name)
			}
		}
		if !leads[u.Elem] {
			u.Elem = nil
		}
		if !leads[u.Item] {
			u.Item = nil
		}
	}
	return root
}
