// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
)

// checkResetFields returns an error if a path in Options.ResetFields has elements other than field
// names. If a path contained a list item, it would be unclear which item keeps its value.
func checkResetFields(sets map[fieldpath.APIVersion]*fieldpath.Set) error {
	for _, version := range slices.Sorted(maps.Keys(sets)) {
		set := sets[version]
		if set == nil {
			continue
		}
		var bad fieldpath.Path
		set.Iterate(func(p fieldpath.Path) {
			for _, e := range p {
				if e.FieldName == nil && bad == nil {
					bad = p.Copy()
				}
			}
		})
		if bad != nil {
			return fmt.Errorf("options: ResetFields: %s: the path %v must contain only field names", version, bad)
		}
	}
	return nil
}

// resetFields returns the fields that the endpoint does not store, or nil if there are none.
func (r *request) resetFields() *fieldpath.Set {
	return r.m.options.ResetFields[fieldpath.APIVersion(r.apiVersion)]
}

// withLiveResetFields returns object as the endpoint stores it: the fields in Options.ResetFields have
// the live values. It does not modify object.
func (r *request) withLiveResetFields(object map[string]any) map[string]any {
	return r.copyResetFields(object, r.live)
}

// copyResetFields returns object, but takes the fields that the endpoint does not store from the
// argument from. It modifies neither of the two objects.
func (r *request) copyResetFields(object, from map[string]any) map[string]any {
	set := r.resetFields()
	if set == nil {
		return object
	}
	set.Iterate(func(p fieldpath.Path) {
		object, _ = copyField(object, from, p)
	})
	return object
}

// copyField returns object with the value at path copied from the argument from. If the argument
// from has no value at path, copyField removes the value from object. A value above path should be
// a map. If object has a value above path that is neither a map nor null, copyField changes
// nothing. If the argument from has a value above path that is not a map, it has no value at path.
// copyField does not modify its arguments. changed is false if the result is object itself.
func copyField(object, from map[string]any, path fieldpath.Path) (result map[string]any, changed bool) {
	if len(path) == 0 {
		return object, false
	}
	name := *path[0].FieldName
	oldValue, hasOld := object[name]
	newValue, hasNew := from[name]
	if len(path) == 1 {
		if hasOld == hasNew && document.Equal(oldValue, newValue) {
			return object, false
		}
		object = document.Shallow(object)
		if hasNew {
			object[name] = newValue
		} else {
			delete(object, name)
		}
		return object, true
	}
	oldMap, isMap := oldValue.(map[string]any)
	newMap, _ := newValue.(map[string]any)
	if oldValue != nil && !isMap || !hasOld && newMap == nil {
		return object, false
	}
	inner, changed := copyField(oldMap, newMap, path[1:])
	if changed {
		object = document.Shallow(object)
		object[name] = inner
	}
	return object, changed
}
