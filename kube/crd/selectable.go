// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
)

// maxSelectable is how many fields of a version can be selected by.
const maxSelectable = 8

// checkSelectable checks the fields that objects can be selected by. The schema
// is structural.
func (v *Version) checkSelectable(r reader) {
	at := v.at.at("selectableFields")
	items := r.list(v.raw, v.at, "selectableFields")
	if len(items) == 0 {
		return
	}
	if err := v.structure(); err != nil {
		r.add(Malformed, v.schema.at, "want a schema that the API server can read: %v", err)
		return
	}
	var seen []string
	for i, item := range items {
		at := at.nth(i)
		text := r.text(r.item(item, at), at, "jsonPath")
		if text == "" {
			r.add(Selectable, at, "want a jsonPath, found none")
			continue
		}
		at = at.at("jsonPath")
		path, field, err := cel.ValidFieldPath(text, v.schema.structural, cel.WithFieldPathAllowArrayNotation(false))
		if err != nil {
			r.add(Selectable, at, "want the path of a field, such as .spec.color, found %q: %v", shorten(text, maxValue), err)
			continue
		}
		if path.Root().String() == "metadata" {
			r.add(Selectable, at, "want a field outside of metadata, found %q", shorten(text, maxValue))
		}
		if field == nil || !slices.Contains([]string{"string", "boolean", "integer"}, field.Type) {
			r.add(Selectable, at, "want a field that is a string, a boolean or an integer, found %q", shorten(text, maxValue))
		}
		if slices.Contains(seen, path.String()) {
			r.add(Selectable, at, "want each field once, found %q again", shorten(text, maxValue))
		} else {
			seen = append(seen, path.String())
		}
	}
	if len(seen) > maxSelectable {
		r.add(Selectable, at, "want %d fields at most, found %d", maxSelectable, len(seen))
	}
}
