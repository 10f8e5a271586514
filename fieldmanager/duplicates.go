// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import "github.com/dovetail-ssa/dovetail/typed"

// single returns what a request carries as a value of type t, without what
// Options.Duplicates drops of it; object itself if that is nothing. opts are for
// when it drops nothing at all.
func (r *request) single(t typed.ParseableType, object map[string]any, opts ...typed.ValidationOptions) (map[string]any, *typed.TypedValue, error) {
	keep := r.m.o.Duplicates
	if keep == typed.RefuseDuplicates {
		tv, err := t.FromUnstructured(object, opts...)
		return object, tv, err
	}
	tv, err := t.FromUnstructured(object, typed.AllowDuplicates)
	if err != nil {
		return object, nil, err
	}
	tv, dropped, err := tv.Deduplicate(keep)
	if err != nil || len(dropped) == 0 {
		return object, tv, err
	}
	for _, d := range dropped {
		r.warn(d.Path.String(), "%s", d.Message())
	}
	object, _ = tv.AsValue().Unstructured().(map[string]any) // what was an object stays one
	tv, err = t.FromUnstructured(object)
	return object, tv, err
}
