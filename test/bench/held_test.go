// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"runtime"
	"testing"

	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// TestHeld prints how much memory the type converters of a thousand CustomResourceDefinitions
// use in an idle API server. It prints the bytes per converter twice: when no converter has
// been used, and when each converter has been used once.
func TestHeld(t *testing.T) {
	const n = 1000
	t.Logf("%d static definitions", len(static()))
	useOnce(converterOf(n), n)
	before := heap()
	converters := make([]managedfields.TypeConverter, n)
	for i := range converters {
		converters[i] = converterOf(i)
	}
	t.Logf("held converter/unused %d", (heap()-before)/n)
	for i, c := range converters {
		useOnce(c, i)
	}
	t.Logf("held converter/used %d", (heap()-before)/n)
	runtime.KeepAlive(converters)
}

// TestHeldResults prints the memory that results use, in addition to the memory of their
// inputs:
//
//	value    a typed object, after a comparison and the creation of its field set
//	struct   a Go struct, after the same operations
//	merged   the result of a merge that changes one field
//	set      the field set of an object
//	decoded  the sets of 20 managers, decoded from FieldsV1, after a search for one path
//	united   the union of two decoded sets
func TestHeldResults(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("only prints measurements: use test/cmd/held, which runs it over both engines")
	}
	for _, w := range workloads() {
		heldBy(t, "value/"+w.Name, func() func() any {
			o := decoded(w.Live)
			return func() any {
				tv, err := w.typ.FromUnstructured(o, typed.AllowDuplicates)
				must(err)
				return usedValue(w, tv)
			}
		})
		if w.newStruct != nil {
			heldBy(t, "struct/"+w.Name, func() func() any {
				o := w.structured(w.Live)
				return func() any {
					tv, err := w.typ.FromStructured(o, typed.AllowDuplicates)
					must(err)
					return usedValue(w, tv)
				}
			})
		}
		heldBy(t, "merged/"+w.Name, func() func() any {
			live, config := w.typed(w.Live), w.typed(w.ConfigOne)
			return func() any {
				tv, err := live.Merge(config)
				must(err)
				return tv
			}
		})
		heldBy(t, "set/"+w.Name, func() func() any {
			tv := w.typed(w.Live)
			return func() any {
				set, err := tv.ToFieldSet()
				must(err)
				return set
			}
		})
		heldBy(t, "decoded/"+w.Name, func() func() any {
			entries := w.managedFields(20)
			return func() any {
				var sets []*fieldpath.Set
				for _, e := range entries {
					set := decode(e)
					set.Has(fieldpath.MakePathOrDie("spec", "replicas"))
					sets = append(sets, set)
				}
				return sets
			}
		})
		heldBy(t, "united/"+w.Name, func() func() any {
			entries := w.managedFields(20)
			a, b := decode(entries[0]), decode(entries[len(entries)-1])
			return func() any { return a.Union(b) }
		})
	}
}

func usedValue(w *Workload, tv *typed.TypedValue) any {
	_, err := tv.ToFieldSet()
	must(err)
	_, err = tv.Compare(w.typed(w.LiveNext))
	must(err)
	return tv
}

// heldBy prints how much memory each of many results uses, in addition to the memory of the
// inputs that prepare creates. It also prints the total, which includes the parts of the inputs
// that the result refers to.
func heldBy(t *testing.T, name string, prepare func() func() any) {
	const n = 30
	sink = result{first: prepare()()} // the first call also allocates memory that all later calls share
	makers, held := make([]func() any, n), make([]any, n)
	empty := heap()
	for i := range makers {
		makers[i] = prepare()
	}
	before := heap()
	for i, f := range makers {
		held[i] = f()
	}
	each := func(from uint64) int64 { return max(0, int64(heap())-int64(from)) / n }
	t.Logf("held %s %d", name, each(before))
	runtime.KeepAlive(makers)
	clear(makers)
	t.Logf("held %s/alone %d", name, each(empty))
	runtime.KeepAlive(held)
}

// heap returns the number of bytes in use. It collects garbage three times, because a pool
// releases its contents only at the second collection.
func heap() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
