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

// checkResetFields returns an error if a path has elements other than field names. If a path
// contained a list item, it would be unclear which item keeps its value.
func checkResetFields(sets map[fieldpath.APIVersion]*fieldpath.Set) error {
	for _, version := range slices.Sorted(maps.Keys(sets)) {
		set := sets[version]
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

// reset returns object with the live values of the fields that the endpoint does not
// store. It does not modify object.
func (r *request) reset(object map[string]any) map[string]any {
	set := r.m.options.ResetFields[fieldpath.APIVersion(r.apiVersion)]
	if set == nil {
		return object
	}
	set.Iterate(func(p fieldpath.Path) {
		object, _ = restoreField(object, r.live, p)
	})
	return object
}

// restoreField returns object with the value that live has at path. If live has no value at path,
// it removes the value from object. A value above path should be a map. If it is neither a map nor
// null in object, restoreField changes nothing. If it is not a map in live, live has no value at
// path. restoreField does not modify its arguments. changed is false if the result is object itself.
func restoreField(object, live map[string]any, path fieldpath.Path) (restored map[string]any, changed bool) {
	if len(path) == 0 {
		return object, false
	}
	name := *path[0].FieldName
	now, has := object[name]
	was, had := live[name]
	if len(path) == 1 {
		if has == had && document.Equal(now, was) {
			return object, false
		}
		object = document.Shallow(object)
		if had {
			object[name] = was
		} else {
			delete(object, name)
		}
		return object, true
	}
	below, isMap := now.(map[string]any)
	liveBelow, _ := was.(map[string]any)
	if now != nil && !isMap || !has && liveBelow == nil {
		return object, false
	}
	if below, changed = restoreField(below, liveBelow, path[1:]); changed {
		object = document.Shallow(object)
		object[name] = below
	}
	return object, changed
}
