// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// benchmarkSets runs f with typical sets: the status fields of a controller, a Pod, and lists
// of 10,000 items that are identified by key or by value.
func benchmarkSets(b *testing.B, f func(b *testing.B, x, y *Set)) {
	small := NewSet(p("status.phase"), p("status.podIP"), p("status.conditions", k("type", "Ready")),
		p("status.conditions", k("type", "Ready"), "status"), p("status.conditions", k("type", "Ready"), "type"))
	keyed, values := &Set{}, &Set{}
	for i := range 10_000 {
		name := fmt.Sprintf("item-%05d", i)
		keyed.Insert(p("spec.items", k("name", name)))
		keyed.Insert(p("spec.items", k("name", name), "value"))
		values.Insert(p("spec.items", v(name)))
	}
	r := rand.New(rand.NewSource(1))
	for _, c := range []struct {
		name string
		set  *Set
	}{{"Small", small}, {"Pod", pod(3)}, {"Keyed10000", keyed}, {"Values10000", values}} {
		x := fromJSON(b, toJSON(b, c.set))
		y := &Set{}
		for path := range x.All() {
			if r.Intn(3) > 0 {
				y.Insert(path.Copy())
			} else {
				y.Insert(append(path[:len(path)-1:len(path)-1], FieldNameElement("other")))
			}
		}
		y = fromJSON(b, toJSON(b, y))
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			f(b, x, y)
		})
	}
}

func BenchmarkFromJSON(b *testing.B) {
	benchmarkSets(b, func(b *testing.B, x, _ *Set) {
		text := toJSON(b, x)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			fromJSON(b, text)
		}
	})
}

func BenchmarkToJSON(b *testing.B) {
	benchmarkSets(b, func(b *testing.B, x, _ *Set) {
		for b.Loop() {
			toJSON(b, x)
		}
	})
}

func BenchmarkSetOperations(b *testing.B) {
	for name, operation := range map[string]func(x, y *Set) *Set{
		"Union":               (*Set).Union,
		"Intersection":        (*Set).Intersection,
		"Difference":          (*Set).Difference,
		"RecursiveDifference": (*Set).RecursiveDifference,
		"Leaves":              func(x, _ *Set) *Set { return x.Leaves() },
		"Copy":                func(x, _ *Set) *Set { return x.Copy() },
	} {
		b.Run(name, func(b *testing.B) {
			benchmarkSets(b, func(b *testing.B, x, y *Set) {
				for b.Loop() {
					operation(x, y)
				}
			})
		})
	}
}

func BenchmarkEquals(b *testing.B) {
	benchmarkSets(b, func(b *testing.B, x, _ *Set) {
		y := x.Copy()
		for b.Loop() {
			if !x.Equals(y) {
				b.Fatal("differ")
			}
		}
	})
}

func BenchmarkHas(b *testing.B) {
	benchmarkSets(b, func(b *testing.B, x, _ *Set) {
		var paths []Path
		x.Iterate(func(path Path) { paths = append(paths, path.Copy()) })
		for b.Loop() {
			for _, path := range paths {
				if !x.Has(path) {
					b.Fatal("lost")
				}
			}
		}
	})
}

func BenchmarkNewSet(b *testing.B) {
	benchmarkSets(b, func(b *testing.B, x, _ *Set) {
		var paths []Path
		x.Iterate(func(path Path) { paths = append(paths, path.Copy()) })
		rand.New(rand.NewSource(1)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		for b.Loop() {
			NewSet(paths...)
		}
	})
}

// BenchmarkReplay measures documents that the decoder rejects and replaySet reads.
func BenchmarkReplay(b *testing.B) {
	text := strings.Replace(toJSON(b, pod(3)), `{`, `{"x:":[],`, 1)
	b.ReportAllocs()
	for b.Loop() {
		fromJSON(b, text)
	}
}

func BenchmarkDeserializePathElement(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DeserializePathElement(`k:{"containerPort":8080,"protocol":"TCP"}`); err != nil {
			b.Fatal(err)
		}
	}
}
