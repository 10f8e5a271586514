// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
)

// manyOperations maps the name of a workload to operations that have very many managers or
// conflicts.
var manyOperations = map[string][]operation{
	"Deployment":   manyManagers,
	"Service":      manyManagers,
	"ConfigMap500": manyConflicts,
}

var manyManagers = []operation{
	{"f/ApplyOneField200Managers", false, func(w *Workload) func() result { return applying(w, w.typed(w.Live), w.ConfigOne, 200) }},
	{"h/UpdateStatus200Managers", false, func(w *Workload) func() result { return updating(w, w.typed(w.Live), w.typed(w.LiveNext), 200) }},
	{"k/FMApplyOneField200Managers", false, func(w *Workload) func() result { return Request{"", w.ConfigOne, 200, w}.prepare() }},
	{"k/FMUpdateStatus200Managers", false, func(w *Workload) func() result { return Request{"", nil, 200, w}.prepare() }},
}

const rival = "rival"

var manyConflicts = []operation{
	{"f/ApplyConflicts", false, func(w *Workload) func() result { return contending(w, false) }},
	{"f/ApplyConflictsForced", false, func(w *Workload) func() result { return contending(w, true) }},
	{"k/FMApplyConflicts", false, func(w *Workload) func() result { return contendingForWhole(w, false) }},
	{"k/FMApplyConflictsForced", false, func(w *Workload) func() result { return contendingForWhole(w, true) }},
}

// contested returns a config that sets every entry of the workload's data to a different
// value.
func (w *Workload) contested() object {
	o := w.empty()
	data := object{}
	for name := range w.Config["data"].(object) {
		data[name] = fmt.Sprint("of ", rival)
	}
	o["metadata"] = object{"name": w.Config["metadata"].(object)["name"], "namespace": "booking"}
	o["data"] = data
	return o
}

// contending returns a function that calls Updater.Apply with a config whose data conflicts
// with another applier. Without force, the function expects an error.
func contending(w *Workload, force bool) func() result {
	live, config, managed := w.typed(w.Live), w.typed(w.contested()), w.managers(2)
	return func() result {
		o, m, err := updater.Apply(live, config, w.version(), managed, rival, force)
		if !force {
			if err == nil {
				panic("no conflict")
			}
			return result{first: err}
		}
		must(err)
		return result{o, m}
	}
}

// contendingForWhole is like contending, but its function calls FieldManager.Apply, which also
// decodes and encodes the managed fields.
func contendingForWhole(w *Workload, force bool) func() result {
	live, config := Request{"", nil, 2, w}.withManagedFields(w.Live), unstructuredOf(decoded(w.contested()))
	return func() result {
		o, err := w.fm().Apply(live, config, rival, force)
		if !force {
			if err == nil {
				panic("no conflict")
			}
			return result{first: err}
		}
		must(err)
		return result{first: o}
	}
}
