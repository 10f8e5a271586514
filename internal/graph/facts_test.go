// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// reaches is the slow obvious version: whether a node that has a fact itself can
// be reached from n.
func reaches(n *Node, has func(*Node) bool, seen map[*Node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	if has(n) {
		return true
	}
	found := false
	n.eachBelow(func(below *Node) { found = found || reaches(below, has, seen) })
	return found
}

// randomGraph makes count nodes with references among them and to older ones.
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
		}
	}
	return nodes
}

func TestMarkAgreesWithTheSlowWay(t *testing.T) {
	with, without, restless, calm, drops, keeps, keyed, marked, leading := 0, 0, 0, 0, 0, 0, 0, 0, 0
	for seed := range int64(500) {
		r := rand.New(rand.NewSource(seed))
		old := randomGraph(r, 1+r.Intn(12), nil)
		Mark(old)
		fresh := randomGraph(r, 1+r.Intn(12), old)
		Mark(fresh)
		for _, n := range append(old, fresh...) {
			want := reaches(n, (*Node).ownDefaults, map[*Node]bool{})
			if n.Defaults != want {
				t.Fatalf("seed %d: node %s: got %v, want %v", seed, n.Type, n.Defaults, want)
			}
			nowhere := n.Missing || n.Kinds() == 0
			if want := nowhere || reaches(n, (*Node).restless, map[*Node]bool{}); n.Restless != want {
				t.Fatalf("seed %d: node %s: restless %v, want %v", seed, n.Type, n.Restless, want)
			}
			if want := reaches(n, (*Node).drops, map[*Node]bool{}); n.Drops != want {
				t.Fatalf("seed %d: node %s: drops %v, want %v", seed, n.Type, n.Drops, want)
			}
			if n.Drops {
				drops++
			} else {
				keeps++
			}
			if want := reaches(n, func(n *Node) bool { return n.List.HasKeys() }, map[*Node]bool{}); n.Keyed != want {
				t.Fatalf("seed %d: node %s: keyed %v, want %v", seed, n.Type, n.Keyed, want)
			} else if want {
				keyed++
			}
			isMarked := func(n *Node) bool { return n.Transition != Free }
			if want := reaches(n, isMarked, map[*Node]bool{}); n.Marked != want {
				t.Fatalf("seed %d: node %s: marked %v, want %v", seed, n.Type, n.Marked, want)
			} else if want {
				marked++
			}
			if n.Steady && (n.restless() && (n.Map == nil || n.Map.Atomic || !n.Sound) && n.Scalar == NoScalar) {
				t.Fatalf("seed %d: node %s is steady and restless by itself", seed, n.Type)
			}
			if n.Map != nil {
				var fields []int32
				for i, f := range n.Map.Fields {
					if f.Type.Restless {
						fields = append(fields, int32(i))
					}
				}
				many := len(fields) > FewRestless
				if n.Map.ManyRestless != many || !many && !slices.Equal(n.Map.Restless, fields) {
					t.Fatalf("seed %d: node %s: restless fields %v, many: %v, want %v", seed, n.Type, n.Map.Restless, n.Map.ManyRestless, fields)
				}
				leading += len(fields)
			}
			if n.Restless {
				restless++
			} else {
				calm++
			}
			if want {
				with++
			} else {
				without++
			}
		}
	}
	if with < 100 || without < 100 || restless < 100 || calm < 100 || drops < 100 || keeps < 100 || keyed < 100 || marked < 100 || leading < 30 {
		t.Errorf("%d nodes with defaults, %d without, %d restless, %d calm, %d drop, %d keep, %d keyed, %d marked, %d restless fields: the test says nothing", with, without, restless, calm, drops, keeps, keyed, marked, leading)
	}
}

func TestMarkIsLinear(t *testing.T) {
	const depth = 200_000
	nodes := make([]*Node, depth)
	for i := range nodes {
		nodes[i] = &Node{}
		if i > 0 {
			nodes[i].List = &List{Item: nodes[i-1]}
		}
	}
	nodes[0].Scalar, nodes[0].Default = String, "d"
	Mark(nodes)
	if !nodes[depth-1].Defaults {
		t.Error("the default did not reach the top")
	}
}

func TestSound(t *testing.T) {
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
		"list beside a sound map": {&Node{Map: open(text), List: &List{Item: missing}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			Mark([]*Node{c.node})
			if c.node.Sound != c.want {
				t.Errorf("got %v", c.node.Sound)
			}
		})
	}
}
