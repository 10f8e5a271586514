// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package item

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

var (
	anyItem = &graph.Node{Scalar: graph.Untyped}
	numbers = &graph.List{Item: anyItem, Relation: graph.Associative}
	keyed   = &graph.List{
		Item: anyItem, Relation: graph.Associative, KeyNames: []string{"name", "port"},
		Keys: []graph.Key{{Name: "name"}, {Name: "port"}},
	}
)

// probes puts items with different identities into a table. It returns the number of pairs
// that were compared.
func probes(t *testing.T, l *graph.List, items []any) int {
	t.Helper()
	w := NewWorkspace()
	defer w.Done()
	tab := data.NewTable(&w.IntScratch, len(items))
	count := 0
	for i, it := range items {
		h := hashItem(&tab.Hashing, l, it)
		if tab.BecameLoose() {
			tab.Clear()
			tab.Add(i, func(k int) (uint64, bool) { return hashItem(&tab.Hashing, l, items[k]), true })
			h = hashItem(&tab.Hashing, l, it)
		}
		if tab.Find(h, func(id int32) bool { count++; return SameIdentity(l, items[id], it) }) >= 0 {
			t.Fatalf("item %d, %v, is a duplicate", i, it)
		}
		tab.Insert(h, int32(i))
	}
	return count
}

func generate(n int, item func(i int) any) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = item(i)
	}
	return out
}

// shortFloats returns n floats that differ only in their highest bits. XOR and multiplication
// can move such a difference only to higher bits, which a table does not use.
func shortFloats(n int) []any {
	var out []any
	step := uint64(1) << 63 / uint64(n) / 2
	for i := range uint64(n) {
		out = append(out, math.Float64frombits(1<<61+i*step))
	}
	return out
}

// fewBits returns n integers with few significant bits.
func fewBits(n int) []any {
	var out []any
	for shift := 0; len(out) < n; shift++ {
		for m := int64(32); m < 64 && len(out) < n; m++ {
			out = append(out, (m*2+1)<<(shift%56), -(m*2+1)<<(shift%56))
		}
	}
	return out[:n]
}

// TestHashSpreads checks that finding an item takes few comparisons, for all kinds of items.
func TestHashSpreads(t *testing.T) {
	const most = 4 // comparisons for each item; a table is at most half full
	for _, n := range []int{10, 100, 3000, 30_000} {
		lists := map[string][]any{
			"counting":    generate(n, func(i int) any { return int64(i) }),
			"by 64":       generate(n, func(i int) any { return int64(i) * 64 }),
			"by a page":   generate(n, func(i int) any { return int64(i) << 12 }),
			"by 2^32":     generate(n, func(i int) any { return int64(i) << 32 }),
			"negative":    generate(n, func(i int) any { return -int64(i) }),
			"halves":      generate(n, func(i int) any { return float64(i) / 2 }),
			"thirds":      generate(n, func(i int) any { return float64(i) / 3 }),
			"high bits":   shortFloats(n),
			"low bits":    generate(n, func(i int) any { return math.Float64frombits(0x3ff<<52 + uint64(i)) }),
			"names":       generate(n, func(i int) any { return fmt.Sprintf("item-%06d", i) }),
			"long prefix": generate(n, func(i int) any { return fmt.Sprintf("%0200d", i) }),
			"long suffix": generate(n, func(i int) any { return fmt.Sprintf("%d%0200d", i, 0) }),
			"look alike":  generate(n, func(i int) any { return lookAlike(i) }),
		}
		if n <= 3000 {
			lists["few bits"] = fewBits(n)
		}
		for name, items := range lists {
			if got := probes(t, numbers, items); got > most*n {
				t.Errorf("%d items, %s: %d comparisons", n, name, got)
			}
			for what, pair := range map[string][]any{
				"name first": generate(n, func(i int) any { return map[string]any{"name": "x", "port": items[i]} }),
				"name last":  generate(n, func(i int) any { return map[string]any{"name": items[i], "port": int64(80)} }),
				"no port":    generate(n, func(i int) any { return map[string]any{"name": items[i]} }),
				"no name":    generate(n, func(i int) any { return map[string]any{"port": items[i]} }),
			} {
				if got := probes(t, keyed, pair); got > most*n {
					t.Errorf("%d keyed items, %s, %s: %d comparisons", n, name, what, got)
				}
			}
		}
	}
}

// lookAlike returns strings of the same length whose letters differ in few bits.
func lookAlike(i int) string {
	b := make([]byte, 20)
	for k := range b {
		b[k] = "lI"[i>>k&1]
	}
	return string(b)
}

// TestHashKnowsOrder checks that two items have different hashes if the values of their two
// keys are swapped.
func TestHashKnowsOrder(t *testing.T) {
	var items []any
	for i := range 300 {
		for k := range 10 {
			items = append(items, map[string]any{"name": int64(i), "port": int64(1000 + k)}, map[string]any{"name": int64(1000 + k), "port": int64(i)})
		}
	}
	if got := probes(t, keyed, items); got > 4*len(items) {
		t.Errorf("%d items: %d comparisons", len(items), got)
	}
}

// TestHashOfEqualValues checks that equal values have the same hash, whatever their Go types.
func TestHashOfEqualValues(t *testing.T) {
	alike := [][]any{
		{int64(0), 0.0, math.Copysign(0, -1), int(0), int8(0), uint32(0), float32(0)},
		{int64(80), 80.0, int(80), int32(80), int16(80), int8(80), uint(80), uint32(80), uint16(80), uint8(80), float32(80)},
		{int64(-1), -1.0, int(-1), int8(-1)},
		{int64(1<<53 + 1), float64(1 << 53)},
	}
	seen := []uint64{}
	for _, vs := range alike {
		g := data.Hashing{Loose: true}
		h := hashItem(&g, numbers, vs[0])
		for _, v := range vs {
			if !SameIdentity(numbers, vs[0], v) || hashItem(&g, numbers, v) != h {
				t.Errorf("%T %v and %T %v are equal, but have different hashes", vs[0], vs[0], v, v)
			}
		}
		if slices.Contains(seen, h) {
			t.Errorf("%v has the hash of another number", vs[0])
		}
		seen = append(seen, h)
	}
}

// TestHashOfLargeIntegers checks that integers beyond 2^53 have different hashes as long as
// the table has no float of that size.
func TestHashOfLargeIntegers(t *testing.T) {
	const n, lists = 10_000, 16
	for list := range lists {
		first := int64(math.MaxInt64) - int64(list)<<40
		if got := probes(t, numbers, generate(n, func(i int) any { return first - int64(i) })); got > 4*n {
			t.Errorf("%d comparisons", got)
		}
	}
}

// TestHashOfLargeNumbers checks lists with a large float. A large integer then equals the
// float that it rounds to, so both get the same hash. At most 1024 integers round to the same
// float. So the number of comparisons for each item must have a constant limit: about 512,
// plus about 512 for each float in a neighbouring slot. The slots depend on the seed, so the
// test uses the mean of several lists.
func TestHashOfLargeNumbers(t *testing.T) {
	const n, lists = 10_000, 16
	total := 0
	for list := range lists {
		first := int64(math.MaxInt64) - int64(list)<<40
		items := generate(n, func(i int) any { return first - int64(i) })
		items[n/2] = 1e300
		total += probes(t, numbers, items)
	}
	if got := total / lists; got > 1024*n {
		t.Errorf("%d comparisons", got)
	}
}

// TestHashOfIntegersAndFloats checks that a table finds equal integers and floats, in any
// order of insertion.
func TestHashOfIntegersAndFloats(t *testing.T) {
	const first = int64(1) << 60
	var items []any
	for i := range 40 {
		items = append(items, first+int64(i)*1000)
	}
	for at := range len(items) + 1 {
		for _, f := range []float64{float64(first), float64(first + 20_000), 1e300, math.Inf(1)} {
			left, right := slices.Insert(slices.Clone(items), at, any(f)), []any{"other", f}
			for _, x := range [][2][]any{{left, right}, {right, left}, {items, right}, {right, items}} {
				w := NewWorkspace()
				nb := w.Pair(numbers, x[0], x[1], PairFacts{})
				for j, y := range x[1] {
					equal := false
					for _, v := range x[0] {
						equal = equal || SameIdentity(numbers, v, y)
					}
					if met := nb.LeftCount[nb.RightNumber[j]] > 0; met != equal {
						t.Fatalf("%v at %d: item %v is paired %v, want %v", f, at, y, met, equal)
					}
				}
				w.Done()
			}
		}
	}
}

// TestHashOfUnusualKeys checks that lookups of items need few comparisons even if a key
// is a NaN, a list or a map.
func TestHashOfUnusualKeys(t *testing.T) {
	const n = 3000
	key := func(item func(i int) any) []any {
		return generate(n, func(i int) any { return map[string]any{"name": item(i), "port": int64(80)} })
	}
	for name, items := range map[string][]any{
		"NaN":          key(func(int) any { return math.NaN() }),
		"lists":        key(func(i int) any { return []any{"a", int64(i)} }),
		"maps":         key(func(i int) any { return map[string]any{"a": int64(i), "b": "x"} }),
		"YAML maps":    key(func(i int) any { return map[any]any{"a": int64(i), 1: "x"} }),
		"lists within": key(func(i int) any { return []any{[]any{map[string]any{"a": int64(i)}}} }),
	} {
		if got := probes(t, keyed, items); got > 4*n {
			t.Errorf("%s: %d comparisons", name, got)
		}
	}
	if got := probes(t, numbers, generate(n, func(int) any { return math.NaN() })); got > 4*n {
		t.Errorf("NaN: %d comparisons", got)
	}
	w := NewWorkspace()
	defer w.Done()
	for name, l := range map[string]*graph.List{"set": numbers, "keyed": keyed} {
		items := generate(n, func(int) any { return math.NaN() })
		if l == keyed {
			items = key(func(int) any { return math.NaN() })
		}
		ids, _ := w.PushIdentities(l, items)
		if w.HasDuplicates(ids) {
			t.Errorf("%s: NaN is a duplicate", name)
		}
	}
}

// TestPairLongLists checks that two ways to pair items have the same result: by hash,
// as in long lists, and by comparison, as in short lists.
func TestPairLongLists(t *testing.T) {
	w := NewWorkspace()
	defer w.Done()
	l := numbers
	list := func(s string) (out []any) {
		for _, f := range strings.Fields(s) {
			out = append(out, f)
		}
		return out
	}
	x, y := list("a b c a d e f g h i j"), list("j k a b l b")
	nb := w.Pair(l, x, y, PairFacts{})
	for i := range x {
		for j := range y {
			if (x[i] == y[j]) != (nb.LeftNumber[i] == nb.RightNumber[j]) {
				t.Errorf("x[%d]=%v has number %d, y[%d]=%v has %d", i, x[i], nb.LeftNumber[i], j, y[j], nb.RightNumber[j])
			}
		}
	}
	if nb.NumIdentities != 12 || nb.LeftCount[nb.LeftNumber[0]] != 2 || nb.RightCount[nb.RightNumber[3]] != 2 {
		t.Errorf("count %d, a left %d, b right %d", nb.NumIdentities, nb.LeftCount[nb.LeftNumber[0]], nb.RightCount[nb.RightNumber[3]])
	}
}

// TestPairComparesAllPairs compares the result of Pair with a comparison of all pairs.
func TestPairComparesAllPairs(t *testing.T) {
	w := NewWorkspace()
	defer w.Done()
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 2))
		some := []any{int64(0), 0.0, "0", int64(1) << 53, int64(1)<<53 + 1, true, nil, "a", "b", int64(7), 7.5, "c", "d"}
		list := func() (out []any) {
			for range r.IntN(12) {
				out = append(out, some[r.IntN(len(some))])
			}
			return out
		}
		x, y := list(), list()
		all := append(slices.Clone(x), y...)
		p := w.Pair(numbers, x, y, PairFacts{})
		got := append(slices.Clone(p.LeftNumber), p.RightNumber...)
		for i, a := range all {
			want, there := int32(-1), HasIdentity(numbers, a)
			for j := range i {
				if there && HasIdentity(numbers, all[j]) && SameIdentity(numbers, all[j], a) {
					want = got[j]
					break
				}
			}
			if there && want < 0 { // an item with a new identity needs a new number
				for _, id := range got[:i] {
					want = max(want, id)
				}
				want++
			}
			if got[i] != want {
				t.Fatalf("%d: %v in %v and %v has number %d, want %d", seed, a, x, y, got[i], want)
			}
		}
		for _, numbers := range [][]int32{p.LeftNumber, p.RightNumber} {
			for i, next := range w.NextDuplicates(&p, numbers) {
				want := 1 + slices.Index(numbers[i+1:], numbers[i])
				if want > 0 && numbers[i] >= 0 {
					want += i
				} else {
					want = 0
				}
				if int(next) != want {
					t.Fatalf("%d: after item %d of %v comes %d, want %d", seed, i, numbers, next, want)
				}
			}
		}
		for i, last := range w.LastMatches(numbers, x, y) {
			var want any
			for _, v := range y {
				if HasIdentity(numbers, x[i]) && HasIdentity(numbers, v) && SameIdentity(numbers, x[i], v) {
					want = v
				}
			}
			if last != want {
				t.Fatalf("%d: the last match of %v in %v is %v, want %v", seed, x[i], y, last, want)
			}
		}
		w.Scrub()
	}
}
