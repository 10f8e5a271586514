// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"maps"

	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/dovetail-ssa/dovetail/schema"
)

// Markers adds the immutability markers of a CRD to the schema that an API server publishes for the
// custom resource. The published schema lacks them, because the Go types of apiextensions have no
// fields for markers. Decode crd from spec.versions[i].schema.openAPIV3Schema of the CRD as its
// author wrote it.
//
// Parts that are not published get no markers, for example the parts below nullable fields in
// OpenAPI v2. The result shares unchanged parts with published. If there are no markers, Markers
// returns published itself. Markers does not change its arguments.
func Markers(published, crd *spec.Schema) *spec.Schema {
	if published == nil || crd == nil {
		return published
	}
	out := published
	edit := func() *spec.Schema {
		if out == published {
			own := *published
			out = &own
		}
		return out
	}
	cloned := false
	for _, rule := range schema.Transitions() {
		name := rule.Extension()
		v, marked := crd.Extensions[name]
		if !marked {
			continue
		}
		if !cloned {
			cloned = true
			edit().Extensions = maps.Clone(published.Extensions)
		}
		out.AddExtension(name, v)
	}
	if properties, changed := each(published.Properties, func(name string, p spec.Schema) (spec.Schema, bool) {
		from, ok := crd.Properties[name]
		if !ok {
			return p, false
		}
		marked := Markers(&p, &from)
		return *marked, marked != &p
	}); changed {
		edit().Properties = properties
	}
	if p, c := published.Items, crd.Items; p != nil && c != nil {
		if items := Markers(p.Schema, c.Schema); items != p.Schema {
			edit().Items = &spec.SchemaOrArray{Schema: items}
		}
	}
	if p, c := published.AdditionalProperties, crd.AdditionalProperties; p != nil && c != nil {
		if more := Markers(p.Schema, c.Schema); more != p.Schema {
			edit().AdditionalProperties = &spec.SchemaOrBool{Allows: p.Allows, Schema: more}
		}
	}
	return out
}
