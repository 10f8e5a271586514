// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// The OpenAPI of a custom resource is the schema of its definition, with what each object has. In
// version 2, of which kubectl cannot read all, API servers leave some of it out.

// isV3 says whether the schemas are those of version 3.
func (d *schemas) isV3() bool { return strings.HasPrefix(d.refs, "#/components") }

// custom is the schema of a custom resource.
func (d *schemas) custom(r *resource) map[string]any {
	var s map[string]any
	spec, _ := r.custom.Object().Content["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	for _, v := range versions {
		if v, _ := v.(map[string]any); v["name"] == r.version {
			s, _ = at(v, "schema", "openAPIV3Schema").(map[string]any)
		}
	}
	preserves := s["x-kubernetes-preserve-unknown-fields"] == true || spec["preserveUnknownFields"] == true
	if s == nil || preserves && !d.isV3() {
		return map[string]any{"type": "object"}
	}
	s = runtime.DeepCopyJSON(s)
	d.publish(s)
	d.addObject(s)
	return s
}

// addObject adds what each object has.
func (d *schemas) addObject(s map[string]any) {
	properties, _ := s["properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
		s["properties"] = properties
	}
	properties["apiVersion"] = map[string]any{"type": "string", "description": "The version of the API that the object is written in."}
	properties["kind"] = map[string]any{"type": "string", "description": "The kind of the object."}
	metadata := d.refTo("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
	metadata["description"] = "What every object has."
	properties["metadata"] = metadata
}

// publish changes a schema, and all below it, to what is published.
func (d *schemas) publish(s map[string]any) {
	preserves := s["x-kubernetes-preserve-unknown-fields"] == true
	if !d.isV3() {
		forVersion2(s, preserves)
	} else if s["x-kubernetes-int-or-string"] == true && s["anyOf"] == nil {
		s["anyOf"] = []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}}
	}
	for _, below := range []any{s["items"], s["additionalProperties"]} {
		if below, ok := below.(map[string]any); ok {
			d.publish(below)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for _, p := range properties {
		if p, ok := p.(map[string]any); ok {
			d.publish(p)
		}
	}
	if s["x-kubernetes-embedded-resource"] != true || preserves && !d.isV3() {
		return
	}
	d.addObject(s)
	required, _ := s["required"].([]any)
	for _, name := range []any{"kind", "apiVersion"} {
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	s["required"] = required
}

// forVersion2 takes out what version 2 does not have, or kubectl does not read.
func forVersion2(s map[string]any, preserves bool) {
	for _, name := range []string{"allOf", "anyOf", "oneOf", "not", "default"} {
		delete(s, name)
	}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	required = slices.DeleteFunc(required, func(name any) bool {
		text, _ := name.(string)
		return at(properties, text, "nullable") == true
	})
	if len(required) > 0 {
		s["required"] = required
	} else {
		delete(s, "required")
	}
	nullable := s["nullable"] == true
	if nullable {
		delete(s, "nullable")
		delete(s, "type")
	}
	if nullable || preserves {
		delete(s, "items")
		delete(s, "properties")
	}
	if preserves && s["type"] == "object" || s["items"] == nil && s["type"] == "array" {
		delete(s, "type")
	}
}
