// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// result holds the results of an operation. digest computes their hash.
type result struct{ first, second any }

// operation is an operation to measure. prepare creates the inputs and returns the function
// whose cost is measured.
type operation struct {
	name    string
	structs bool // whether the operation needs the Go type of the object
	prepare func(w *Workload) func() result
}

// operations has the operations of groups a to h on unstructured objects. The files request.go
// and structs.go define groups k and r.
var operations = []operation{
	{"a/Validate", false, func(w *Workload) func() result {
		o := decoded(w.Live)
		return func() result { return firstOnly(w.typ.FromUnstructured(o, typed.AllowDuplicates)) }
	}},
	{"a/ValidateStrict", false, func(w *Workload) func() result {
		o := decoded(w.Config)
		return func() result { return firstOnly(w.typ.FromUnstructured(o)) }
	}},
	{"b/ToFieldSet", false, func(w *Workload) func() result {
		tv := w.typed(w.Live)
		return func() result { return firstOnly(tv.ToFieldSet()) }
	}},
	{"c/MergeNoop", false, func(w *Workload) func() result { return merging(w.typed(w.Live), w.typed(w.Config)) }},
	{"c/MergeOneField", false, func(w *Workload) func() result { return merging(w.typed(w.Live), w.typed(w.ConfigOne)) }},
	{"d/CompareEqual", false, func(w *Workload) func() result { return comparing(w.typed(w.Live), w.typed(w.Live)) }},
	{"d/CompareOneField", false, func(w *Workload) func() result { return comparing(w.typed(w.Live), w.typed(w.LiveNext)) }},
	{"d/CompareSamePointer", false, func(w *Workload) func() result {
		tv := w.typed(w.Live)
		return comparing(tv, tv)
	}},
	{"d/ValueEquals", false, func(w *Workload) func() result {
		a, b := value.NewValueInterface(decoded(w.Live)), value.NewValueInterface(decoded(w.Live))
		return func() result { return result{first: value.Equals(a, b)} }
	}},

	{"e/ApplyNoop", false, func(w *Workload) func() result { return applying(w, w.typed(w.Live), w.Config, 2) }},
	{"f/ApplyOneField", false, func(w *Workload) func() result { return applying(w, w.typed(w.Live), w.ConfigOne, 2) }},
	{"f/ApplyOneField20Managers", false, func(w *Workload) func() result { return applying(w, w.typed(w.Live), w.ConfigOne, 20) }},
	{"f/ApplyCreate", false, func(w *Workload) func() result { return applying(w, w.typed(w.empty()), w.Config, 0) }},
	{"g/ApplyDropField", false, func(w *Workload) func() result { return applying(w, w.typed(w.Live), w.ConfigDrop, 2) }},
	{"h/UpdateStatus1Managers", false, func(w *Workload) func() result { return updating(w, w.typed(w.Live), w.typed(w.LiveNext), 1) }},
	{"h/UpdateStatus5Managers", false, func(w *Workload) func() result { return updating(w, w.typed(w.Live), w.typed(w.LiveNext), 5) }},
	{"h/UpdateStatus20Managers", false, func(w *Workload) func() result { return updating(w, w.typed(w.Live), w.typed(w.LiveNext), 20) }},
}

// firstOnly returns a result with one value. It panics if err is not nil.
func firstOnly[T any](v T, err error) result {
	must(err)
	return result{first: v}
}

func merging(live, config *typed.TypedValue) func() result {
	return func() result { return firstOnly(live.Merge(config)) }
}

func comparing(a, b *typed.TypedValue) func() result {
	return func() result { return firstOnly(a.Compare(b)) }
}

func applying(w *Workload, live *typed.TypedValue, config object, managers int) func() result {
	c, managed := w.typed(config), fieldpath.ManagedFields{}
	if managers > 0 {
		managed = w.managers(managers)
	}
	return func() result {
		o, m, err := updater.Apply(live, c, w.version(), managed, applier, true)
		must(err)
		return result{o, m}
	}
}

func updating(w *Workload, live, next *typed.TypedValue, managers int) func() result {
	managed := w.managers(managers)
	return func() result {
		o, m, err := updater.Update(live, next, w.version(), managed, "controller")
		must(err)
		return result{o, m}
	}
}

func setManagedFields(o runtime.Object, entries []metav1.ManagedFieldsEntry) {
	o.(metav1.Object).SetManagedFields(entries)
}
