// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"fmt"
	"math/rand"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// scaleOperations are group m: every operation, on n elements.
var scaleOperations = []struct {
	name    string
	prepare func(s scaled) func() result
}{
	{"m/Validate", func(s scaled) func() result {
		o, typ := s.object("v", s.numbers(0)), scaleParser().Type("obj")
		return func() result { return done(typ.FromUnstructured(o)) }
	}},
	{"m/ToFieldSet", func(s scaled) func() result {
		tv := s.whole()
		return func() result { return done(tv.ToFieldSet()) }
	}},
	{"m/CompareEqual", func(s scaled) func() result { return comparing(s.whole(), s.whole()) }},
	{"m/CompareAllAdded", func(s scaled) func() result { return comparing(s.none(), s.whole()) }},
	{"m/CompareAllRemoved", func(s scaled) func() result { return comparing(s.whole(), s.none()) }},
	{"m/CompareAllModified", func(s scaled) func() result { return comparing(s.whole(), s.changed()) }},
	{"m/CompareOneRemoved", func(s scaled) func() result { return comparing(s.whole(), s.without()) }},
	{"m/CompareReversed", func(s scaled) func() result { return comparing(s.whole(), s.reversed()) }},
	{"m/MergeSame", func(s scaled) func() result { return merging(s.whole(), s.whole()) }},
	{"m/MergeOneAdded", func(s scaled) func() result { return merging(s.without(), s.whole()) }},
	{"m/MergeReversed", func(s scaled) func() result { return merging(s.whole(), s.reversed()) }},
	{"m/RemoveAll", func(s scaled) func() result {
		tv := s.whole()
		set := setOf(tv)
		return func() result { return result{first: tv.RemoveItems(set)} }
	}},
	{"m/ExtractAll", func(s scaled) func() result {
		tv := s.whole()
		set := setOf(tv).Leaves()
		return func() result { return result{first: tv.ExtractItems(set, typed.WithAppendKeyFields())} }
	}},
	{"m/ApplyNoop", func(s scaled) func() result { return s.applying(s.whole()) }},
	{"m/ApplyAllModified", func(s scaled) func() result { return s.applying(s.changed()) }},
	{"m/ApplyDropField", func(s scaled) func() result { return s.applying(s.without()) }},
	{"m/ApplyDropHalf", func(s scaled) func() result { return s.applying(s.half()) }},
	{"m/Update", func(s scaled) func() result {
		live, next, managed := s.whole(), s.changed(), s.managed()
		return func() result {
			o, m, err := updater.Update(live, next, "v1", managed, "controller")
			must(err)
			return result{o, m}
		}
	}},
	{"m/Reconcile", func(s scaled) func() result {
		tv := s.whole()
		set := setOf(tv)
		return func() result { return done(typed.ReconcileFieldSetWithSchema(set, tv)) }
	}},
	{"m/EnsureNamedFieldsAreMembers", func(s scaled) func() result {
		tv := s.whole()
		set := setOf(tv)
		return func() result { return result{first: set.EnsureNamedFieldsAreMembers(tv.Schema(), tv.TypeRef())} }
	}},
	{"m/Union", s2(func(a, b *fieldpath.Set) any { return a.Union(b) })},
	{"m/Intersection", s2(func(a, b *fieldpath.Set) any { return a.Intersection(b) })},
	{"m/Difference", s2(func(a, b *fieldpath.Set) any { return a.Difference(b) })},
	{"m/RecursiveDifference", s2(func(a, b *fieldpath.Set) any { return a.RecursiveDifference(b) })},
	{"m/Leaves", s2(func(a, _ *fieldpath.Set) any { return a.Leaves() })},
	{"m/Copy", s2(func(a, _ *fieldpath.Set) any { return a.Copy() })},
	{"m/NewSet", func(s scaled) func() result {
		var paths []fieldpath.Path
		setOf(s.whole()).Iterate(func(p fieldpath.Path) { paths = append(paths, p.Copy()) })
		if s.order == "random" {
			rand.New(rand.NewSource(1)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		}
		return func() result { return result{first: fieldpath.NewSet(paths...)} }
	}},
	{"m/FieldsV1Encode", s2(func(a, _ *fieldpath.Set) any {
		text, err := a.ToJSON()
		must(err)
		return text
	})},
	{"m/FieldsV1Decode", func(s scaled) func() result {
		text, err := setOf(s.whole()).ToJSON()
		must(err)
		return func() result {
			set := &fieldpath.Set{}
			must(set.FromJSON(bytes.NewReader(text)))
			return result{first: set}
		}
	}},
}

// s2 is an operation on the sets of the whole object and of half of it.
func s2(do func(a, b *fieldpath.Set) any) func(scaled) func() result {
	return func(s scaled) func() result {
		a, b := setOf(s.whole()), setOf(s.half())
		return func() result { return result{first: do(a, b)} }
	}
}

// managed are the managers once applier has applied the whole object.
func (s scaled) managed() fieldpath.ManagedFields {
	_, managed, err := updater.Apply(s.none(), s.whole(), "v1", fieldpath.ManagedFields{}, applier, true)
	must(err)
	return managed
}

func (s scaled) applying(config *typed.TypedValue) func() result {
	live, managed := s.whole(), s.managed()
	return func() result {
		o, m, err := updater.Apply(live, config, "v1", managed, applier, true)
		must(err)
		return result{o, m}
	}
}

// scaleSeries are the benchmarks of one operation on one shape, for growing
// sizes.
func scaleSeries(sizes []int) [][]benchmark {
	var all [][]benchmark
	for _, op := range scaleOperations {
		for _, s := range scaleShapes() {
			if op.name == "m/NewSet" && s.deep() {
				continue // The paths are longer together than n.
			}
			var series []benchmark
			for _, n := range s.sizes(sizes) {
				s := s
				s.n = n
				name := fmt.Sprintf("%s/%s/%s/%d", op.name, s.flavour, s.order, s.n)
				series = append(series, benchmark{name, func() func() result { return op.prepare(s) }})
			}
			all = append(all, series)
		}
	}
	return all
}
