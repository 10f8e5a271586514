// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package sent prepares an object that is sent with a request. It removes duplicate list items
// and managed fields:
//
//	object, tv, warnings, err := sent.Single(t, object, typed.KeepFirst)
//
// The functions of this package do not modify their arguments. Single returns an error if the
// object is not valid for its type. It does not check whether a config has managed fields.
package sent

import (
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Single validates object, the object of a request, and returns it as plain data and as a value of
// type t. Single removes duplicate list items, and returns a warning for each removed item. keep
// selects the item that stays. If Single removes nothing, it returns object itself. If keep is
// RefuseDuplicates, Single does not look for duplicates, and validates object with opts.
func Single(t typed.ParseableType, object map[string]any, keep typed.Duplicates, opts ...typed.ValidationOptions) (map[string]any, *typed.TypedValue, []managedfields.Warning, error) {
	if keep == typed.RefuseDuplicates {
		tv, err := t.FromUnstructured(object, opts...)
		return object, tv, nil, err
	}
	tv, err := t.FromUnstructured(object, typed.AllowDuplicates)
	if err != nil {
		return object, nil, nil, err
	}
	tv, dropped, err := tv.Deduplicate(keep)
	if err != nil || len(dropped) == 0 {
		return object, tv, nil, err
	}
	warnings := make([]managedfields.Warning, len(dropped))
	for i, d := range dropped {
		warnings[i] = managedfields.Warning{Path: d.Path.String(), Message: d.Message()}
	}
	object, _ = tv.AsValue().Unstructured().(map[string]any) // an object stays a map
	tv, err = t.FromUnstructured(object)
	return object, tv, warnings, err
}

// WithoutManagedFields returns config without metadata.managedFields. If config has no managed
// fields, it returns config itself. It returns a warning if metadata.managedFields was a list.
func WithoutManagedFields(config map[string]any) (map[string]any, []managedfields.Warning) {
	value, ok := document.Metadata(config)["managedFields"]
	if !ok {
		return config, nil
	}
	var warnings []managedfields.Warning
	if _, isList := value.([]any); isList {
		warnings = []managedfields.Warning{{
			Path: ".metadata.managedFields", Message: "removed from the applied config, because an apply cannot set managed fields",
		}}
	}
	return document.WithoutManagedFields(config), warnings
}
