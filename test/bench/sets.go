// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// setOperations are the operations of groups i and j. Their inputs are the field sets of the
// live object and of the config.
var setOperations = []operation{
	{"i/FieldsV1Decode", false, func(w *Workload) func() result { return decoding(w, 2) }},
	{"i/FieldsV1Decode20Managers", false, func(w *Workload) func() result { return decoding(w, 20) }},
	{"i/FieldsV1Encode", false, func(w *Workload) func() result {
		var sets []*fieldpath.Set
		for _, e := range w.managedFields(2) {
			sets = append(sets, decode(e))
		}
		return func() result {
			texts := make([][]byte, len(sets))
			for i, s := range sets {
				var err error
				texts[i], err = s.ToJSON()
				must(err)
			}
			return result{first: texts}
		}
	}},

	{"j/Union", false, ofSets(func(live, config *fieldpath.Set) any { return live.Union(config) })},
	{"j/Intersection", false, ofSets(func(live, config *fieldpath.Set) any { return live.Intersection(config) })},
	{"j/Difference", false, ofSets(func(live, config *fieldpath.Set) any { return live.Difference(config) })},
	{"j/RecursiveDifference", false, ofSets(func(live, config *fieldpath.Set) any { return live.RecursiveDifference(config) })},
	{"j/Equals", false, ofSets(func(live, _ *fieldpath.Set) any { return live.Equals(live.Copy()) })},
	{"j/Leaves", false, ofSets(func(live, _ *fieldpath.Set) any { return live.Leaves() })},
	{"j/HasAll", false, func(w *Workload) func() result {
		set, paths := pathsOf(w)
		return func() result {
			for _, p := range paths {
				if !set.Has(p) {
					return result{first: false}
				}
			}
			return result{first: true}
		}
	}},
	{"j/InsertAll", false, func(w *Workload) func() result {
		_, paths := pathsOf(w)
		return func() result { return result{first: fieldpath.NewSet(paths...)} }
	}},

	{"j/EnsureNamedFieldsAreMembers", false, func(w *Workload) func() result {
		tv, set := w.typed(w.Live), fieldSet(w, w.Live)
		return func() result { return result{first: set.EnsureNamedFieldsAreMembers(tv.Schema(), tv.TypeRef())} }
	}},
	{"j/RemoveItems", false, func(w *Workload) func() result {
		tv, set := w.typed(w.Live), fieldSet(w, w.Config)
		return func() result { return result{first: tv.RemoveItems(set)} }
	}},
	{"j/ExtractItems", false, func(w *Workload) func() result {
		tv, set := w.typed(w.Live), fieldSet(w, w.Config)
		return func() result { return result{first: tv.ExtractItems(set.Leaves())} }
	}},
	{"j/ReconcileFieldSetWithSchema", false, func(w *Workload) func() result {
		tv, set := w.typed(w.Live), fieldSet(w, w.Live)
		return func() result { return firstOnly(typed.ReconcileFieldSetWithSchema(set, tv)) }
	}},
	{"j/Reconcile20Managers", false, func(w *Workload) func() result {
		tv, managers := w.typed(w.Live), w.managers(20)
		return func() result {
			var last *fieldpath.Set
			for _, m := range managers {
				var err error
				last, err = typed.ReconcileFieldSetWithSchema(m.Set(), tv)
				must(err)
			}
			return result{first: last} // a nil set means that the schema required no change
		}
	}},
}

func fieldSet(w *Workload, o object) *fieldpath.Set {
	set, err := w.typed(o).ToFieldSet()
	must(err)
	return set
}

func pathsOf(w *Workload) (*fieldpath.Set, []fieldpath.Path) {
	set := fieldSet(w, w.Live)
	var paths []fieldpath.Path
	set.Iterate(func(p fieldpath.Path) { paths = append(paths, p.Copy()) })
	return set, paths
}

func ofSets(do func(live, config *fieldpath.Set) any) func(*Workload) func() result {
	return func(w *Workload) func() result {
		live, config := fieldSet(w, w.Live), fieldSet(w, w.Config)
		return func() result { return result{first: do(live, config)} }
	}
}

func decoding(w *Workload, managers int) func() result {
	entries := w.managedFields(managers)
	return func() result {
		sets := make([]*fieldpath.Set, len(entries))
		for i, e := range entries {
			sets[i] = decode(e)
		}
		return result{first: sets}
	}
}
