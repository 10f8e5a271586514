// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

const scaleSchema = `types:
- name: obj
  map:
    fields:
    - {name: set, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
    - {name: intset, type: {list: {elementRelationship: associative, elementType: {scalar: numeric}}}}
    - {name: keyed, type: {list: {elementRelationship: associative, keys: [name, kind], elementType: {namedType: item}}}}
    - {name: atomic, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - {name: map, type: {map: {elementType: {scalar: string}}}}
- name: item
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: kind, type: {scalar: string}, default: A}
    - {name: value, type: {scalar: string}}
`

// scaleObject returns an object whose list or map has the given elements.
func scaleObject(flavour, text string, numbers []int) map[string]any {
	m, l := map[string]any{}, []any{}
	for _, i := range numbers {
		name := fmt.Sprintf("elem-%06d", i)
		switch flavour {
		case "map":
			m[name] = text
		case "intset":
			l = append(l, int64(i))
		case "keyed":
			l = append(l, map[string]any{"name": name, "value": text})
		default:
			l = append(l, name)
		}
	}
	if flavour == "map" {
		return map[string]any{flavour: m}
	}
	return map[string]any{flavour: l}
}

// memory returns the number of bytes and of allocations that f needs if the pools are empty.
func memory(f func()) (bytes, allocations uint64) {
	runtime.GC()
	runtime.GC() // called twice, because pooled objects survive one collection
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
}

// TestMemoryIsLinear checks that an operation on twenty times as many elements needs about
// twenty times as much memory. The bound of the test is higher, because an allocation of
// scratch space can be up to eight times larger than needed. The program in test/scale
// measures the time.
func TestMemoryIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	parser, err := typed.NewParser(scaleSchema)
	if err != nil {
		t.Fatal(err)
	}
	for _, flavour := range []string{"set", "intset", "keyed", "atomic", "map"} {
		type cost struct{ bytes, allocations uint64 }
		few := map[string]cost{}
		for name, f := range scaleOperations(t, parser.Type("obj"), flavour, *scaleElements/20) {
			var c cost
			c.bytes, c.allocations = memory(f)
			few[name] = c
		}
		for name, f := range scaleOperations(t, parser.Type("obj"), flavour, *scaleElements) {
			bytes, allocations := memory(f)
			if c := few[name]; bytes > 200*c.bytes+1<<16 || allocations > 40*c.allocations+1000 {
				t.Errorf("%s of %d elements, %s: %d bytes in %d allocations; of a twentieth, %d bytes in %d",
					name, *scaleElements, flavour, bytes, allocations, c.bytes, c.allocations)
			}
		}
	}
}

var scaleElements = flag.Int("elements", 10_000, "elements of the larger objects of TestMemoryIsLinear")

// scaleOperations returns all operations on n elements in random order, by name.
func scaleOperations(t *testing.T, pt typed.ParseableType, flavour string, n int) map[string]func() {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	value := func(text string, numbers []int) *typed.TypedValue {
		tv, err := pt.FromUnstructured(scaleObject(flavour, text, numbers))
		must(err)
		return tv
	}
	fields := func(tv *typed.TypedValue) *fieldpath.Set {
		set, err := tv.ToFieldSet()
		must(err)
		return set
	}
	r := rand.New(rand.NewSource(int64(n)))
	numbers := r.Perm(n)
	whole, none := value("v", numbers), value("v", nil)
	reordered, changed, part := value("v", r.Perm(n)), value("w", numbers), value("v", numbers[n/2:])
	set, some := fields(whole), fields(part)
	text, err := set.ToJSON()
	must(err)
	var paths []fieldpath.Path
	set.Iterate(func(p fieldpath.Path) { paths = append(paths, p.Copy()) })
	r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	u := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()
	_, managers, err := u.Apply(none, whole, "v1", fieldpath.ManagedFields{}, "git", false)
	must(err)

	compare := func(a, b *typed.TypedValue) func() {
		return func() { _, err := a.Compare(b); must(err) }
	}
	merging := func(a, b *typed.TypedValue) func() {
		return func() { _, err := a.Merge(b); must(err) }
	}
	apply := func(config *typed.TypedValue) func() {
		return func() { _, _, err := u.Apply(whole, config, "v1", managers, "git", false); must(err) }
	}
	return map[string]func(){
		"Validate":            func() { must(whole.Validate()) },
		"ToFieldSet":          func() { fields(whole) },
		"CompareReordered":    compare(whole, reordered),
		"CompareAllAdded":     compare(none, whole),
		"CompareAllRemoved":   compare(whole, none),
		"CompareAllModified":  compare(whole, changed),
		"MergeReordered":      merging(whole, reordered),
		"MergeAllModified":    merging(whole, changed),
		"RemoveItems":         func() { whole.RemoveItems(set) },
		"ExtractItems":        func() { whole.ExtractItems(set.Leaves(), typed.WithAppendKeyFields()) },
		"ApplyNoop":           apply(whole),
		"ApplyReordered":      apply(reordered),
		"ApplyAllModified":    apply(changed),
		"ApplyDrop":           apply(part),
		"Update":              func() { _, _, err := u.Update(whole, changed, "v1", managers, "kubelet"); must(err) },
		"Reconcile":           func() { _, err := typed.ReconcileFieldSetWithSchema(set, whole); must(err) },
		"Ensure":              func() { set.EnsureNamedFieldsAreMembers(whole.Schema(), whole.TypeRef()) },
		"Union":               func() { set.Union(some) },
		"Intersection":        func() { set.Intersection(some) },
		"Difference":          func() { set.Difference(some) },
		"RecursiveDifference": func() { set.RecursiveDifference(some) },
		"Leaves":              func() { set.Leaves() },
		"Copy":                func() { set.Copy() },
		"NewSet":              func() { fieldpath.NewSet(paths...) },
		"FieldsV1Encode":      func() { _, err := set.ToJSON(); must(err) },
		"FieldsV1Decode":      func() { must(new(fieldpath.Set).FromJSON(bytes.NewReader(text))) },
	}
}
