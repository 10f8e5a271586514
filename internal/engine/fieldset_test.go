// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// ports returns a map type with a list of ports. The keys are port and protocol.
func ports(relation graph.Relation) *graph.Node {
	text, number := &graph.Node{Scalar: graph.String}, &graph.Node{Scalar: graph.Numeric}
	item := &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "port", Type: number}, {Name: "protocol", Type: text}}, &graph.Node{})}
	list := &graph.Node{List: &graph.List{Item: item, Relation: relation, Keys: []graph.Key{{Name: "port"}, {Name: "protocol"}}, KeyNames: []string{"port", "protocol"}}}
	root := &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "ports", Type: list}}, &graph.Node{})}
	graph.FindFacts([]*graph.Node{text, number, item, list, root, item.Map.Elem, root.Map.Elem})
	return root
}

func portItem(port int64, protocol ...any) any {
	m := map[string]any{"port": port}
	for _, p := range protocol {
		m["protocol"] = p
	}
	return m
}

func TestFieldSetOfItems(t *testing.T) {
	for _, c := range []struct {
		name     string
		relation graph.Relation
		items    []any
		want     string
	}{
		{"in order", graph.Associative, []any{portItem(1, "a"), portItem(2, "a")}, `
.ports[port=1,protocol="a"]
.ports[port=1,protocol="a"].port
.ports[port=1,protocol="a"].protocol
.ports[port=2,protocol="a"]
.ports[port=2,protocol="a"].port
.ports[port=2,protocol="a"].protocol`},
		{"out of order", graph.Associative, []any{portItem(2, "a"), portItem(1, "b"), portItem(1, "a")}, `
.ports[port=1,protocol="a"]
.ports[port=1,protocol="a"].port
.ports[port=1,protocol="a"].protocol
.ports[port=1,protocol="b"]
.ports[port=1,protocol="b"].port
.ports[port=1,protocol="b"].protocol
.ports[port=2,protocol="a"]
.ports[port=2,protocol="a"].port
.ports[port=2,protocol="a"].protocol`},
		{"a key is absent", graph.Associative, []any{portItem(2), portItem(1, "a"), portItem(1)}, `
.ports[port=1]
.ports[port=1].port
.ports[port=1,protocol="a"]
.ports[port=1,protocol="a"].port
.ports[port=1,protocol="a"].protocol
.ports[port=2]
.ports[port=2].port`},
		{"three times", graph.Associative, []any{portItem(2, "a"), portItem(1, "a"), portItem(2, "a"), portItem(2, "a")}, `
.ports[port=1,protocol="a"]
.ports[port=1,protocol="a"].port
.ports[port=1,protocol="a"].protocol
.ports[port=2,protocol="a"]`},
		{"items of a list without a list type have no identity", graph.Unknown, []any{portItem(2, "a")}, `
.ports?
.ports?.port
.ports?.protocol`},
	} {
		set, findings := FieldSet(ports(c.relation), map[string]any{"ports": c.items}, nil)
		got, want := strings.Split(strings.ReplaceAll(set.String(), "{{invalid path element}}", "?"), "\n"), strings.Fields(c.want)
		slices.Sort(want)
		if slices.Sort(got); findings != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v got %q, want %q", c.name, findings, got, want)
		}
	}
}

// TestFieldSetWithUndeclaredFields checks that an undeclared field is itself a path of the
// set. A declared field is not a path of the set, even next to undeclared fields. For a
// declared field, the set has only the paths below the field.
func TestFieldSetWithUndeclaredFields(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	sub := func() *graph.Node { return fieldsOf(false, graph.Field{Name: "x", Type: text}) }
	n := &graph.Node{Map: graph.NewMap([]graph.Field{{Name: "first", Type: sub()}, {Name: "second", Type: sub()}}, sub())}
	x := map[string]any{"x": "a"}
	set, findings := FieldSet(n, map[string]any{"first": x, "second": x, "third": x}, nil)
	path := fieldpath.MakePathOrDie
	if want := fieldpath.NewSet(path("first", "x"), path("second", "x"), path("third"), path("third", "x")); findings != nil || !set.Equals(want) {
		t.Errorf("%v got\n%v\nwant\n%v", findings, set, want)
	}
}

// TestFieldSetOfEqualNumbers checks that the set has the path element of the second item if
// several items have the same identity.
func TestFieldSetOfEqualNumbers(t *testing.T) {
	for n := 4; n < 50; n++ {
		items := make([]any, n)
		for i := range items {
			items[i] = map[string]any{"port": 1e6 * float64(1+i%2)}
		}
		items[2], items[3] = portItem(1_000_000), portItem(2_000_000)
		set, findings := FieldSet(ports(graph.Associative), map[string]any{"ports": items}, nil)
		if got := set.String(); findings != nil || got != ".ports[port=1000000]\n.ports[port=2000000]" {
			t.Fatalf("%d items: %v got %s", n, findings, got)
		}
	}
}

// TestFieldSetReuse checks that FieldSet returns the previous set itself if nothing changes.
// Otherwise the result must share the parts that do not change.
func TestFieldSetReuse(t *testing.T) {
	n := ports(graph.Associative)
	for _, size := range []int{1, 5, 40, 400} {
		object := func(change int) map[string]any {
			items := make([]any, size)
			for i := range items {
				items[(i*7)%size] = portItem(int64(i), "a")
				if size%7 == 0 {
					t.Fatal("the size must have no common factor with 7")
				}
			}
			if change >= 0 {
				delete(items[change].(map[string]any), "protocol")
			}
			return map[string]any{"ports": items}
		}
		like, _ := FieldSet(n, object(-1), nil)
		if again, _ := FieldSet(n, object(-1), like); again != like {
			t.Errorf("%d items: the set is equal but was not reused", size)
		}
		changed, _ := FieldSet(n, object(size/2), like)
		fresh, _ := FieldSet(n, object(size/2), nil)
		if !changed.Equals(fresh) {
			t.Errorf("%d items: got\n%v\nwant\n%v", size, changed, fresh)
		}
		if got := sharedItems(changed, like); got != size-1 {
			t.Errorf("%d items: %d of them are shared, want all but one", size, got)
		}
		for _, float := range []any{map[string]any{"ports": []any{map[string]any{"port": 0.0, "protocol": "a"}}}} {
			if one, _ := FieldSet(n, float, like); size == 1 && one == like {
				t.Error("the element of 0 was reused for 0.0")
			}
		}
	}
}

// TestFieldSetReuseWithMissingKeys checks items that lack some of their keys. Their field
// set may reuse the previous set only if the path elements in both have the same keys.
func TestFieldSetReuseWithMissingKeys(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	l := &graph.List{Relation: graph.Associative}
	var fields []graph.Field
	for _, name := range []string{"a", "b", "c"} {
		fields = append(fields, graph.Field{Name: name, Type: text})
		l.Keys, l.KeyNames = append(l.Keys, graph.Key{Name: name}), append(l.KeyNames, name)
	}
	l.Item = fieldsOf(false, fields...)
	n := &graph.Node{List: l}
	var all []map[string]any
	for has := 1; has < 8; has++ {
		item := map[string]any{}
		for i, name := range l.KeyNames {
			if has>>i&1 != 0 {
				item[name] = "x"
			}
		}
		all = append(all, item)
	}
	for _, was := range all {
		like, _ := FieldSet(n, []any{was}, nil)
		for _, is := range all {
			fresh, _ := FieldSet(n, []any{is}, nil)
			got, findings := FieldSet(n, []any{is}, like)
			if same := maps.Equal(was, is); findings != nil || !got.Equals(fresh) || (got == like) != same {
				t.Errorf("%v after %v: %v got\n%v\nthe same: %v", is, was, findings, got, got == like)
			}
		}
	}
}

// TestFieldSetReuseOfSets checks that the order of the items of a set makes no difference,
// for any number of items.
func TestFieldSetReuseOfSets(t *testing.T) {
	for _, size := range []int{1, 5, 40, 400} {
		values := make([]any, size)
		for i := range values {
			values[i] = int64(i)
		}
		like, _ := FieldSet(set, values, nil)
		again := slices.Clone(values)
		slices.Reverse(again)
		if got, findings := FieldSet(set, again, like); findings != nil || got != like {
			t.Errorf("%d values: the set is equal but was not reused", size)
		}
		again[0] = "another"
		fresh, _ := FieldSet(set, again, nil)
		if got, findings := FieldSet(set, again, like); findings != nil || got == like || !got.Equals(fresh) {
			t.Errorf("%d values, one of them changed: got\n%v\nwant\n%v", size, got, fresh)
		}
	}
}

// TestFieldSetReuseOfDecodedSet checks that FieldSet also reuses a decoded set, in which all
// numbers are float64. FieldSet must not reuse the decoded set if the numbers print
// differently.
func TestFieldSetReuseOfDecodedSet(t *testing.T) {
	n := ports(graph.Associative)
	for _, c := range []struct {
		stored float64
		port   int64
		same   bool
	}{
		{80, 80, true}, {0, 0, true}, {-5, -5, true}, {999_999, 999_999, true}, {-999_999, -999_999, true},
		{1_000_000, 1_000_000, false}, {-1_000_000, -1_000_000, false}, {math.Copysign(0, -1), 0, false},
		{80, 81, false}, {80.5, 80, false},
	} {
		like, _ := FieldSet(n, map[string]any{"ports": []any{map[string]any{"port": c.stored, "protocol": "a"}}}, nil)
		fresh, _ := FieldSet(n, map[string]any{"ports": []any{portItem(c.port, "a")}}, nil)
		got, findings := FieldSet(n, map[string]any{"ports": []any{portItem(c.port, "a")}}, like)
		if findings != nil || (got == like) != c.same || !got.Equals(fresh) || got.String() != fresh.String() {
			t.Errorf("%v in a set, %d in the object: got\n%v\nthe same: %v", c.stored, c.port, got, got == like)
		}
	}
}

// sharedItems returns the number of items whose child set is the same in memory in both
// sets.
func sharedItems(a, b *fieldpath.Set) (n int) {
	ports := fieldpath.FieldNameElement("ports")
	for _, c := range a.WithPrefix(ports).Children.Sorted() {
		if b.WithPrefix(ports).WithPrefix(c.PathElement) == c.Set {
			n++
		}
	}
	return n
}

// TestFieldSetChunks checks large sets, which consist of several chunks of memory.
func TestFieldSetChunks(t *testing.T) {
	n := ports(graph.Associative)
	for _, size := range []int{maxChunk/3 - 1, maxChunk / 3, maxChunk/3 + 1, maxChunk, 3 * maxChunk} {
		items := make([]any, size)
		want := fieldpath.NewSet()
		for i := range items {
			items[i] = portItem(int64(i), fmt.Sprint(i))
			of := fieldpath.KeyByFields("port", int64(i), "protocol", fmt.Sprint(i))
			want.Insert(fieldpath.MakePathOrDie("ports", of))
			want.Insert(fieldpath.MakePathOrDie("ports", of, "port"))
			want.Insert(fieldpath.MakePathOrDie("ports", of, "protocol"))
		}
		if got, findings := FieldSet(n, map[string]any{"ports": items}, nil); findings != nil || !got.Equals(want) {
			t.Errorf("%d items: the set is wrong", size)
		}
	}
}

// TestFieldSetMemory limits the memory of the set of a large list. It tries sizes below and
// above the limit of scratch space.
func TestFieldSetMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	n := ports(graph.Associative)
	for _, c := range []struct{ size, most uint64 }{{1000, 450}, {10_000, 500}, {100_000, 900}} {
		items := make([]any, c.size)
		for i := range items {
			items[i] = portItem(int64(i), fmt.Sprint(i))
		}
		object := map[string]any{"ports": items}
		least := uint64(math.MaxUint64)
		for range 16 { // repeated, because a sync.Pool does not always return the memory that was put into it
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, findings := FieldSet(n, object, nil)
			runtime.ReadMemStats(&after)
			if findings != nil {
				t.Fatal(findings)
			}
			least = min(least, (after.TotalAlloc-before.TotalAlloc)/c.size)
		}
		if least > c.most {
			t.Errorf("%d items: %d bytes each, want at most %d", c.size, least, c.most)
		}
	}
}

// TestFieldSetReuseIsFieldSet checks that a field set is the same with and without a previous
// set.
func TestFieldSetReuseIsFieldSet(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := ports([]graph.Relation{graph.Associative, graph.Associative, graph.Atomic}[r.IntN(3)])
		object := func() map[string]any {
			var items []any
			for range r.IntN(4) * r.IntN(12) {
				item := map[string]any{"port": []any{int64(r.IntN(40)), float64(r.IntN(40)), int64(2_000_000)}[r.IntN(3)]}
				if r.IntN(2) == 0 {
					item["protocol"] = []any{"a", "b", nil}[r.IntN(3)]
				}
				items = append(items, item)
			}
			return map[string]any{"ports": items}
		}
		a, b := object(), object()
		if shorter := a["ports"].([]any); r.IntN(2) == 0 && len(shorter) > 0 {
			b = map[string]any{"ports": slices.Clone(shorter[r.IntN(len(shorter)):])}
		}
		like, _ := FieldSet(n, a, nil)
		want, _ := FieldSet(n, b, nil)
		got, findings := FieldSet(n, b, like)
		if findings != nil || !got.Equals(want) {
			t.Fatalf("%d: like\n%v\ngot\n%v, %v\nwant\n%v", seed, like, got, findings, want)
		}
		x, _ := got.ToJSON()
		if y, _ := want.ToJSON(); string(x) != string(y) {
			t.Fatalf("%d: JSON %s, want %s", seed, x, y)
		}
	}
}

// TestFieldBitsAreSortedFields checks that a set that was built from bits equals the set of
// the same fields built from sorted entries.
func TestFieldBitsAreSortedFields(t *testing.T) {
	text := &graph.Node{Scalar: graph.String}
	var fields []graph.Field
	names := []string{"a", "aa", "b", "c", "d", "e"}
	for _, name := range names {
		fields = append(fields, graph.Field{Name: name, Type: text})
	}
	inner := &graph.Node{Map: graph.NewMap(fields, &graph.Node{})}
	for i := range fields[:3] {
		fields[i].Type = inner
	}
	m := graph.NewMap(fields, &graph.Node{})
	root := &graph.Node{Map: m}
	graph.FindFacts([]*graph.Node{text, inner, inner.Map.Elem, root, m.Elem})
	var random func(r *rand.Rand, m *graph.Map) map[string]any
	random = func(r *rand.Rand, m *graph.Map) map[string]any {
		x := map[string]any{}
		for _, f := range m.Fields {
			switch r.IntN(4) {
			case 0:
				x[f.Name] = nil
			case 1:
				x[f.Name] = "x"
				if f.Type.Map != nil {
					x[f.Name] = random(r, f.Type.Map)
				}
			}
		}
		return x
	}
	built := func(build func(b *fieldSetWalker) setRef) *fieldpath.Set {
		w := newWorkspace()
		defer w.done()
		b := fieldSetWalker{w: w, setBuilder: &w.builder}
		return orEmpty(b.finish(build(&b)))
	}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		x := random(r, m)
		var like *fieldpath.Set
		if r.IntN(2) == 0 {
			like, _ = FieldSet(root, random(r, m), nil)
		}
		got := built(func(b *fieldSetWalker) setRef { return b.fields(m, x, like) })
		want := built(func(b *fieldSetWalker) setRef { return b.slowFields(m, x, like) })
		if !got.Equals(want) {
			t.Fatalf("%d: %v\ngot\n%v\nwant\n%v", seed, x, got, want)
		}
	}
}
