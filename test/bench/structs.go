// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// structOperations are operations whose live object is a Go struct. A server uses Go structs
// for built-in types.
var structOperations = []operation{
	{"k/FMApplyNoopStruct", true, func(w *Workload) func() result { return managerApplyStruct(w, w.Config) }},
	{"k/FMApplyOneFieldStruct", true, func(w *Workload) func() result { return managerApplyStruct(w, w.ConfigOne) }},
	{"k/FMUpdateStatusStruct", true, func(w *Workload) func() result {
		fm, live, next := w.structFM(), w.structured(w.Live), w.structured(w.LiveNext)
		setManagedFields(live, w.managedFields(2))
		entries := w.managedFields(2)
		return func() result {
			setManagedFields(next, entries)
			o, err := fm.Update(live, next, "controller")
			must(err)
			return result{first: o}
		}
	}},

	{"r/Validate", true, func(w *Workload) func() result {
		o := w.structured(w.Live)
		return func() result { return firstOnly(w.typ.FromStructured(o, typed.AllowDuplicates)) }
	}},
	{"r/ToFieldSet", true, func(w *Workload) func() result {
		tv := w.typedStruct(w.Live)
		return func() result { return firstOnly(tv.ToFieldSet()) }
	}},
	{"r/CompareEqual", true, func(w *Workload) func() result { return comparing(w.typedStruct(w.Live), w.typedStruct(w.Live)) }},
	{"r/CompareOneField", true, func(w *Workload) func() result { return comparing(w.typedStruct(w.Live), w.typedStruct(w.LiveNext)) }},
	{"r/MergeOneField", true, func(w *Workload) func() result { return merging(w.typedStruct(w.Live), w.typed(w.ConfigOne)) }},
	{"r/ApplyNoop", true, func(w *Workload) func() result { return applying(w, w.typedStruct(w.Live), w.Config, 2) }},
	{"r/ApplyOneField", true, func(w *Workload) func() result { return applying(w, w.typedStruct(w.Live), w.ConfigOne, 2) }},
	{"r/UpdateStatus", true, func(w *Workload) func() result {
		return updating(w, w.typedStruct(w.Live), w.typedStruct(w.LiveNext), 2)
	}},
}

func managerApplyStruct(w *Workload, config object) func() result {
	fm, live, c := w.structFM(), w.structured(w.Live), unstructuredOf(decoded(config))
	setManagedFields(live, w.managedFields(2))
	return func() result {
		o, err := fm.Apply(live, c, applier, true)
		must(err)
		return result{first: runtime.Object(o)}
	}
}
