// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

type leafy struct {
	Name   string            `json:"name"`
	Count  int32             `json:"count,omitempty"`
	Size   uint8             `json:"size,omitempty"`
	Share  float64           `json:"share,omitempty"`
	On     *bool             `json:"on,omitempty"`
	Raw    []byte            `json:"raw,omitempty"`
	Texts  []string          `json:"texts,omitempty"`
	Leaf   []leafy           `json:"leaf,omitempty"`
	Ptrs   []*leafy          `json:"ptrs"`
	Lists  [][]string        `json:"lists,omitempty"`
	Items  []leafy           `json:"items,omitempty"`
	Map    map[string]leafy  `json:"map,omitempty"`
	Any    any               `json:"any,omitempty"`
	Anys   []any             `json:"anys,omitempty"`
	Within *leafy            `json:"within,omitempty"`
	Bytes  map[string][]byte `json:"bytes,omitempty"`
	Named  map[string]string `json:"named,omitempty"`
	Own    *itself           `json:"own,omitempty"`
	Owns   []itself          `json:"owns,omitempty"`
}

// itself has a MarshalJSON method.
type itself struct{ text string }

func (i itself) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]any{"text": i.text}) }

// leafyType returns a type with atomic lists and one granular list, in the field items.
func leafyType() *graph.Node {
	scalar := &graph.Node{Scalar: graph.Untyped}
	n := &graph.Node{}
	leaf := &graph.Node{List: &graph.List{Item: n, Relation: graph.Atomic}, ChildTypesExist: true}
	var fields []graph.Field
	for _, name := range []string{"any", "anys", "bytes", "count", "items", "leaf", "lists", "map", "name", "named", "on", "own", "owns", "ptrs", "raw", "share", "size", "texts", "within"} {
		t := scalar
		switch name {
		case "anys", "leaf", "lists", "owns", "ptrs", "texts":
			t = leaf
		case "items":
			t = &graph.Node{List: &graph.List{Item: n, Relation: graph.Separable}}
		case "bytes", "named":
			t = &graph.Node{Map: &graph.Map{Elem: scalar, Open: true}}
		case "map":
			t = &graph.Node{Map: &graph.Map{Elem: n, Open: true}}
		case "own", "within":
			t = n
		}
		fields = append(fields, graph.Field{Name: name, Type: t})
	}
	n.Map = graph.NewMap(fields, scalar)
	return n
}

func randomLeafy(r *rand.Rand, depth int) leafy {
	x := leafy{Name: []string{"a", "b"}[r.IntN(2)], Count: int32(r.IntN(2)), Size: uint8(r.IntN(2)), Share: []float64{0, 1, 1.5}[r.IntN(3)]}
	on := r.IntN(2) == 0
	x.On = []*bool{nil, &on}[r.IntN(2)]
	x.Raw = [][]byte{nil, {}, []byte("x")}[r.IntN(3)]
	x.Texts = [][]string{nil, {}, {"t"}}[r.IntN(3)]
	x.Lists = [][][]string{nil, {nil}, {{}}, {{"a"}}}[r.IntN(4)]
	x.Any = []any{nil, 1, int64(1), 1.0, "a", map[string]any{"k": 1.0}, map[string]any(nil)}[r.IntN(7)]
	x.Anys = [][]any{nil, {}, {nil}, {1}, {1.0}, {map[string]any{}}, {[]any{}}}[r.IntN(7)]
	if r.IntN(2) == 0 {
		b := make([]byte, []int{0, 1, 127, 128, 129, 767, 768, 769, 1536, 2000}[r.IntN(10)])
		if len(b) > 0 {
			b[[]int{0, len(b) - 1}[r.IntN(2)]] = byte(r.IntN(2))
		}
		x.Bytes, x.Named = map[string][]byte{"b": b, "nil": nil, "same": make([]byte, 200)}, map[string]string{"a": "b"}
	}
	x.Own = []*itself{nil, {"a"}, {"b"}}[r.IntN(3)]
	x.Owns = [][]itself{nil, {{"a"}}, {{"b"}}}[r.IntN(3)]
	if depth == 0 {
		return x
	}
	below := func() leafy { return randomLeafy(r, depth-1) }
	for range r.IntN(3) {
		b := below()
		x.Leaf, x.Items = append(x.Leaf, below()), append(x.Items, below())
		x.Ptrs = append(x.Ptrs, []*leafy{nil, &b}[r.IntN(2)])
	}
	if r.IntN(2) == 0 {
		b := below()
		x.Map, x.Within = map[string]leafy{"k": below()}, &b
	}
	return x
}

func branchesOf(t *testing.T, n *graph.Node, x *leafy) (plain, branches any, some bool) {
	v, err := value.NewValueReflect(x)
	if err != nil {
		t.Fatal(err)
	}
	branches, some = v.(interface {
		Branches(*graph.Node) (any, bool)
	}).Branches(n)
	return v.Unstructured(), branches, some
}

// TestBranches checks branches, which are plain data in which some parts of a Go struct are
// not converted yet. WithLeaves must convert them to the plain data of the struct.
// Comparisons of branches must have the same results as comparisons of plain data.
func TestBranches(t *testing.T) {
	n := leafyType()
	equal, left := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		a := randomLeafy(r, 2)
		b := randomLeafy(rand.New(rand.NewPCG(seed+seed%2, 1)), 2)
		x, xs, some := branchesOf(t, n, &a)
		y, ys, _ := branchesOf(t, n, &b)
		if some {
			left++
		}
		if some == reflect.DeepEqual(x, xs) || !reflect.DeepEqual(x, WithLeaves(n, xs, false)) || !Identical(x, WithLeaves(n, xs, false)) {
			t.Fatalf("%d: %+v: WithLeaves(%v) = %v, want %v", seed, a, xs, WithLeaves(n, xs, false), x)
		}
		if !some && !SameMemory(WithLeaves(n, xs, false), xs) {
			t.Fatalf("%d: WithLeaves copied data without unconverted parts", seed)
		}
		for _, same := range []struct {
			name           string
			plain, partial func(a, b any) bool
		}{{"equal", value.EqualUnstructured, EqualBranches}, {"identical", Identical, IdenticalBranches}} {
			want := same.plain(x, y)
			if want {
				equal++
			}
			for _, pair := range [][2]any{{x, y}, {xs, y}, {x, ys}, {xs, ys}} {
				if got := same.partial(pair[0], pair[1]); got != want {
					t.Fatalf("%d: %s: %v and %v: got %v, want %v", seed, same.name, pair[0], pair[1], got, want)
				}
			}
			if !same.partial(xs, xs) {
				t.Fatalf("%d: %s: %v does not equal itself", seed, same.name, x)
			}
		}
	}
	if equal < 3000 || left < 1500 {
		t.Errorf("too few cases: %d are equal, %d have unconverted parts", equal, left)
	}
}

// TestLeavesInPlace checks that WithLeaves changes the branches in place if own is true.
func TestLeavesInPlace(t *testing.T) {
	n := leafyType()
	for seed := range uint64(300) {
		x := randomLeafy(rand.New(rand.NewPCG(seed, 2)), 2)
		plain, branches, _ := branchesOf(t, n, &x)
		got := WithLeaves(n, branches, true)
		if !SameMemory(got, branches) || !Identical(got, plain) {
			t.Fatalf("%d: got %v, want %v", seed, got, plain)
		}
	}
}

// TestSetLeaf checks that each call converts a leaf again, unless SetLeaf has set its
// converted form.
func TestSetLeaf(t *testing.T) {
	n := leafyType()
	x, branches, _ := branchesOf(t, n, &leafy{Leaf: []leafy{{Name: "a"}}})
	leafIn := func(v any) []any { return v.(map[string]any)["leaf"].([]any) }
	if a, b := leafIn(WithLeaves(n, branches, false)), leafIn(WithLeaves(n, branches, false)); SameMemory(a, b) {
		t.Error("two calls returned the same list")
	}
	SetLeaf(leafIn(branches), leafIn(branches))
	if !Identical(WithLeaves(n, branches, false), x) {
		t.Error("SetLeaf made a leaf refer to itself")
	}
	SetLeaf(leafIn(branches), leafIn(x))
	if !SameMemory(leafIn(WithLeaves(n, branches, false)), leafIn(x)) {
		t.Error("the list of SetLeaf is not used")
	}

	x, branches, _ = branchesOf(t, n, &leafy{Bytes: map[string][]byte{"k": make([]byte, 200)}})
	textIn := func(v any) any { return v.(map[string]any)["bytes"].(map[string]any)["k"] }
	SetLeaf(textIn(branches), textIn(branches))
	SetLeaf(textIn(branches), textIn(x))
	if made, want := textIn(WithLeaves(n, branches, false)).(string), textIn(x).(string); unsafe.StringData(made) != unsafe.StringData(want) {
		t.Error("the string of SetLeaf is not used")
	}
}
