// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"maps"

	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/dovetail-ssa/dovetail/schema"
)

// Markers returns the schema of a custom resource as an API server publishes it
// with the markers of immutability that its CRD has at the same places. The types
// of apiextensions have no fields for these, so they are gone from a CRD that went
// through them: crd is to be decoded from what the author of the CRD wrote, its
// spec.versions[i].schema.openAPIV3Schema.
//
// A place that is not published, as below nullable fields in OpenAPI v2, has no
// markers. The result shares with published what is the same, and is published
// itself if there is no marker; neither argument is written to.
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
