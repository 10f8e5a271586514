// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"math/rand"
	"testing"
)

// reaches reports whether a node for which has returns true is reachable from n. It is simple
// and slow.
func reaches(n *Node, has func(*Node) bool, seen map[*Node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	if has(n) {
		return true
	}
	found := false
	n.eachChild(func(below *Node) { found = found || reaches(below, has, seen) })
	return found
}

// reachesUnion reports whether a union is reachable from n without passing an atomic
// container.
func reachesUnion(n *Node, seen map[*Node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	found := n.Map != nil && len(n.Map.AllUnions()) > 0
	if n.Granular() {
		n.eachChild(func(below *Node) { found = found || reachesUnion(below, seen) })
	}
	return found
}

// randomGraph returns count nodes that refer to each other and to nodes in older.
func randomGraph(r *rand.Rand, count int, older []*Node) []*Node {
	nodes := make([]*Node, count)
	for i := range nodes {
		nodes[i] = &Node{Type: fmt.Sprint(len(older) + i)}
	}
	all := append(append([]*Node{}, older...), nodes...)
	pick := func() *Node { return all[r.Intn(len(all))] }
	def := func() any {
		if r.Intn(12) == 0 {
			return false
		}
		return nil
	}
	for _, n := range nodes {
		n.Default = def()
		if r.Intn(10) == 0 {
			n.Transition = Transition(1 + r.Intn(5))
		}
		switch r.Intn(10) {
		default:
			n.Scalar, n.List, n.Map = Untyped, &List{Item: pick()}, NewMap(nil, pick())
			n.Map.Open, n.Map.Undeclared = true, Kept
			if r.Intn(8) == 0 {
				n.Map.Undeclared = KeptShallow
			}
		case 0:
			n.Scalar = String
		case 1:
			n.List = &List{Item: pick(), ItemDefault: def(), Relation: Relation(r.Intn(8))}
			if r.Intn(4) == 0 {
				n.List.Keys = []Key{{Name: "k"}}
			}
		case 2:
			n.Map = NewMap(nil, pick())
			n.Map.Open, n.Map.ElemDefault = true, def()
		case 3:
			fields := make([]Field, r.Intn(3))
			for i := range fields {
				fields[i] = Field{Name: fmt.Sprint(i), Type: pick(), Default: def()}
			}
			n.Map = NewMap(fields, &Node{})
			switch r.Intn(6) {
			case 0:
				n.Map.Atomic = true
			case 1:
				n.Map.Unions = &[]Union{{}}
			}
		}
	}
	return nodes
}

func TestFactsLikeSlowVersion(t *testing.T) {
	with, without, reconciles, stable, drops, keeps, hasKeyedLists, marked, hasUnions, replaces, keepsNulls := 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	for seed := range int64(500) {
		r := rand.New(rand.NewSource(seed))
		old := randomGraph(r, 1+r.Intn(12), nil)
		FindFacts(old)
		fresh := randomGraph(r, 1+r.Intn(12), old)
		FindFacts(fresh)
		for _, n := range append(old, fresh...) {
			want := reaches(n, (*Node).ownDefaults, map[*Node]bool{})
			if n.HasDefaults != want {
				t.Fatalf("seed %d: node %s: got %v, want %v", seed, n.Type, n.HasDefaults, want)
			}
			if want := reaches(n, func(n *Node) bool { return !n.KeepsNull() }, map[*Node]bool{}); n.MayReplaceNulls != want {
				t.Fatalf("seed %d: node %s: replaces nulls %v, want %v", seed, n.Type, n.MayReplaceNulls, want)
			} else if want {
				replaces++
			} else {
				keepsNulls++
			}
			noType := n.Missing || n.Kinds() == 0
			if want := noType || reaches(n, (*Node).reconciles, map[*Node]bool{}); n.MayReconcile != want {
				t.Fatalf("seed %d: node %s: reconciles %v, want %v", seed, n.Type, n.MayReconcile, want)
			}
			if want := reaches(n, (*Node).drops, map[*Node]bool{}); n.MayPrune != want {
				t.Fatalf("seed %d: node %s: drops %v, want %v", seed, n.Type, n.MayPrune, want)
			}
			if n.MayPrune {
				drops++
			} else {
				keeps++
			}
			if want := reaches(n, func(n *Node) bool { return n.List.HasKeys() }, map[*Node]bool{}); n.HasKeyedLists != want {
				t.Fatalf("seed %d: node %s: has keyed lists %v, want %v", seed, n.Type, n.HasKeyedLists, want)
			} else if want {
				hasKeyedLists++
			}
			hasRule := func(n *Node) bool { return n.Transition != Free }
			if want := reaches(n, hasRule, map[*Node]bool{}); n.HasTransitions != want {
				t.Fatalf("seed %d: node %s: has transitions %v, want %v", seed, n.Type, n.HasTransitions, want)
			} else if want {
				marked++
			}
			if want := reachesUnion(n, map[*Node]bool{}); n.HasUnions != want {
				t.Fatalf("seed %d: node %s: has unions %v, want %v", seed, n.Type, n.HasUnions, want)
			} else if want {
				hasUnions++
			}
			if n.ReconciledItself && (n.reconciles() && (n.Map == nil || n.Map.Atomic || !n.ChildTypesExist) && n.Scalar == NoScalar) {
				t.Fatalf("seed %d: node %s is reconciled itself, but needs reconciliation", seed, n.Type)
			}
			if n.MayReconcile {
				reconciles++
			} else {
				stable++
			}
			if want {
				with++
			} else {
				without++
			}
		}
	}
	if with < 100 || without < 100 || reconciles < 100 || stable < 100 || drops < 100 || keeps < 100 || hasKeyedLists < 100 || marked < 100 || hasUnions < 100 || replaces < 100 || keepsNulls < 100 {
		t.Errorf("%d nodes with defaults, %d without, %d reconcile, %d stable, %d drop, %d keep, %d keyed, %d with rules, %d with unions, %d replace nulls, %d keep them: too few to test anything", with, without, reconciles, stable, drops, keeps, hasKeyedLists, marked, hasUnions, replaces, keepsNulls)
	}
}

func TestFindFactsIsLinear(t *testing.T) {
	const depth = 200_000
	nodes := make([]*Node, depth)
	for i := range nodes {
		nodes[i] = &Node{}
		if i > 0 {
			nodes[i].List = &List{Item: nodes[i-1]}
		}
	}
	nodes[0].Scalar, nodes[0].Default = String, "d"
	FindFacts(nodes)
	if !nodes[depth-1].HasDefaults {
		t.Error("the default did not reach the top")
	}
}

func TestChildTypesExist(t *testing.T) {
	text, empty, missing := &Node{Scalar: String}, &Node{}, &Node{Missing: true}
	field := func(n *Node) []Field { return []Field{{Name: "f", Type: n}} }
	open := func(n *Node) *Map { m := NewMap(nil, n); m.Open = true; return m }
	for name, c := range map[string]struct {
		node *Node
		want bool
	}{
		"scalar":                  {text, true},
		"list":                    {&Node{List: &List{Item: text}}, true},
		"list of nothing":         {&Node{List: &List{Item: empty}}, false},
		"list of a missing type":  {&Node{List: &List{Item: missing}}, false},
		"struct":                  {&Node{Map: NewMap(field(text), empty)}, true},
		"field of a missing type": {&Node{Map: NewMap(field(missing), empty)}, false},
		"field without a type":    {&Node{Map: NewMap(field(empty), empty)}, true},
		"field of an empty type":  {&Node{Map: NewMap(field(&Node{Type: "t"}), empty)}, false},
		"map":                     {&Node{Map: open(text)}, true},
		"map of nothing":          {&Node{Map: open(empty)}, false},
		"list beside a map":       {&Node{Map: open(text), List: &List{Item: missing}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			FindFacts([]*Node{c.node})
			if c.node.ChildTypesExist != c.want {
				t.Errorf("got %v, want %v", c.node.ChildTypesExist, c.want)
			}
		})
	}
}
