// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Request is a request to a field manager (group k): an apply or an update of a complete object
// with its managed fields.
type Request struct {
	// Name is the name of the operation, without the workload.
	Name string
	// Config is the config of an apply. It is nil for an update.
	Config object
	// Managers is the number of managers of the live object.
	Managers int

	w *Workload
}

// Requests returns the requests for a workload.
func (w *Workload) Requests() []Request {
	return []Request{
		{"k/FMApplyNoop", w.Config, 2, w},
		{"k/FMApplyOneField", w.ConfigOne, 2, w},
		{"k/FMApplyDropField", w.ConfigDrop, 2, w},
		{"k/FMApplyOneField20Managers", w.ConfigOne, 20, w},
		{"k/FMUpdateStatus", nil, 2, w},
		{"k/FMUpdateStatus20Managers", nil, 20, w},
	}
}

// Workloads returns the objects to measure.
func Workloads() []*Workload { return workloads() }

// Type returns the type of the object.
func (w *Workload) Type() typed.ParseableType { return w.typ }

// Live returns a copy of the live object, including its managed fields.
func (r Request) Live() map[string]any { return r.withManagedFields(r.w.Live).Object }

// Next returns a copy of the object that an update sends, including its managed fields.
func (r Request) Next() map[string]any { return r.withManagedFields(r.w.LiveNext).Object }

func (r Request) withManagedFields(o object) *unstructured.Unstructured {
	u := unstructuredOf(decoded(o))
	u.SetManagedFields(r.w.managedFields(r.Managers))
	return u
}

// Manager returns the manager that sends the request.
func (r Request) Manager() string {
	if r.Config == nil {
		return "controller"
	}
	return applier
}

// Theirs returns a function that runs the request with apimachinery's FieldManager and returns
// the resulting object.
func (r Request) Theirs() func() map[string]any {
	run := r.prepare()
	return func() map[string]any { return run().first.(*unstructured.Unstructured).Object }
}

// prepare creates a function that runs the request. For an update, each run gets a new object
// with new managed fields, because the field manager modifies both.
func (r Request) prepare() func() result {
	fm, live := r.w.fm(), r.withManagedFields(r.w.Live)
	if r.Config != nil {
		config := unstructuredOf(decoded(r.Config))
		return func() result { return firstOnly(fm.Apply(live, config, r.Manager(), true)) }
	}
	next := r.withManagedFields(r.w.LiveNext)
	meta := next.Object["metadata"].(object)
	fields := meta["managedFields"]
	return func() result {
		meta["managedFields"] = fields
		return firstOnly(fm.Update(live, next, r.Manager()))
	}
}
