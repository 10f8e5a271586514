// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/api/equality"
)

// maxSelectable is the maximum number of selectable fields per version.
const maxSelectable = 8

// checkShared reports CRDs that the API server cannot store because of a bug. If all versions have the
// same schema, the server stores the schema once for the whole CRD. It treats selectable fields in the
// same way. The server fails if the versions share only their schema, or only their selectable fields.
// checkShared needs structural schemas.
func (d *Definition) checkShared(r reading) {
	if len(d.Versions) < 2 {
		return
	}
	fields := make([][]string, len(d.Versions))
	some, sameFields, sameSchemas := false, true, true
	for i, v := range d.Versions {
		for _, item := range r.List(v.doc.Raw, v.doc.At, "selectableFields") {
			m, _ := item.(map[string]any)
			path, _ := m["jsonPath"].(string)
			fields[i] = append(fields[i], path)
		}
		some = some || fields[i] != nil
		sameFields = sameFields && slices.Equal(fields[0], fields[i])
	}
	if !some {
		return
	}
	first, err := d.Versions[0].doc.Internal()
	for _, v := range d.Versions[1:] {
		next, err2 := v.doc.Internal()
		sameSchemas = sameSchemas && err == nil && err2 == nil && equality.Semantic.DeepEqual(first, next)
	}
	for i, v := range d.Versions {
		switch at := v.doc.Part("selectableFields"); {
		case fields[i] == nil || sameFields == sameSchemas:
		case sameSchemas:
			r.add(Selectable, at, "all versions have the same schema but not the same selectable fields, which the API server rejects; use the same selectable fields in all versions, or make one schema different, for example by another description")
		default:
			r.add(Selectable, at, "all versions have the same selectable fields but not the same schema, which the API server rejects; change the order of the fields in one version, or keep them in only one version")
		}
	}
}

// checkSelectable checks the selectable fields of a version. It needs a structural schema.
func (v *Version) checkSelectable(r reading) {
	at := v.doc.Part("selectableFields")
	items := r.List(v.doc.Raw, v.doc.At, "selectableFields")
	if len(items) == 0 {
		return
	}
	if cause := r.faults.schema[v.doc.Schema.At]; cause != nil {
		r.skip(at, cause, Selectable)
		return
	}
	var seen []string
	for i, item := range items {
		at := at.Nth(i)
		text := r.Text(r.Item(item, at), at, "jsonPath")
		if text == "" {
			r.add(Selectable, at, "want a jsonPath, found none")
			continue
		}
		at = at.At("jsonPath")
		path, field, err := cel.ValidFieldPath(text, v.doc.Schema.Structural, cel.WithFieldPathAllowArrayNotation(false))
		if err != nil {
			r.add(Selectable, at, "want the path of a field, such as .spec.color, found %q: %v", tree.Shorten(text, tree.MaxValue), err)
			continue
		}
		if path.Root().String() == "metadata" {
			r.add(Selectable, at, "a field in metadata cannot be selectable, found %q", tree.Shorten(text, tree.MaxValue))
		}
		if field == nil || !slices.Contains([]string{"string", "boolean", "integer"}, field.Type) {
			r.add(Selectable, at, "want a field that is a string, a boolean or an integer, found %q", tree.Shorten(text, tree.MaxValue))
		}
		if slices.Contains(seen, path.String()) {
			r.add(Selectable, at, "want each field only once, found %q twice", tree.Shorten(text, tree.MaxValue))
		} else {
			seen = append(seen, path.String())
		}
	}
	if len(seen) > maxSelectable {
		r.add(Selectable, at, "want at most %d fields, found %d", maxSelectable, len(seen))
	}
}
