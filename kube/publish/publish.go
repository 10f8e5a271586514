// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"maps"

	"k8s.io/kube-openapi/pkg/schemamutation"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Endpoint is where an API server publishes OpenAPI. Its methods return their
// argument if all of it is published, otherwise a copy that shares with it what
// is the same; they never write to it. They are safe for concurrent use.
type Endpoint int

const (
	// V2 is /openapi/v2: defaults are left out.
	V2 Endpoint = iota
	// V3 is /openapi/v3: everything is published.
	V3
)

// String returns the path of the endpoint.
func (e Endpoint) String() string {
	if e == V2 {
		return "/openapi/v2"
	}
	return "/openapi/v3"
}

// Schema returns what is published of a schema.
func (e Endpoint) Schema(s *spec.Schema) *spec.Schema {
	if e == V2 && inSchema(s) {
		return bare().WalkSchema(s)
	}
	return s
}

// Definitions returns what is published of definitions, in the form that an
// OpenAPI v2 document has.
func (e Endpoint) Definitions(all spec.Definitions) spec.Definitions {
	if e != V2 {
		return all
	}
	out, _ := each(all, func(_ string, s spec.Schema) (spec.Schema, bool) {
		if !hasDefault(s) {
			return s, false
		}
		own := s // s itself would be copied to the heap for nothing
		return *bare().WalkSchema(&own), true
	})
	return out
}

// Models returns what is published of definitions, in the form that an OpenAPI v3
// document has, and the API server's type converters.
func (e Endpoint) Models(all map[string]*spec.Schema) map[string]*spec.Schema {
	out, _ := each(all, func(_ string, s *spec.Schema) (*spec.Schema, bool) {
		out := e.Schema(s)
		return out, out != s
	})
	return out
}

// Swagger returns what V2 publishes of an OpenAPI v2 document: schemas without
// defaults, in definitions, parameters and responses alike. A default that a
// query parameter or header has itself, which is no schema, stays.
func Swagger(doc *spec.Swagger) *spec.Swagger { return bare().WalkRoot(doc) }

// bare drops the defaults of the schemas that it walks, copying on write.
func bare() *schemamutation.Walker {
	return &schemamutation.Walker{
		SchemaCallback: withoutDefault,
		RefCallback:    schemamutation.RefCallbackNoop,
	}
}

// withoutDefault returns s without its own default, and without those in its
// dependencies, which the walker passes over.
func withoutDefault(s *spec.Schema) *spec.Schema {
	dependencies, changed := each(s.Dependencies, func(_ string, d spec.SchemaOrStringArray) (spec.SchemaOrStringArray, bool) {
		before := d.Schema
		d.Schema = bare().WalkSchema(before)
		return d, d.Schema != before
	})
	if s.Default == nil && !changed {
		return s
	}
	own := *s
	own.Default, own.Dependencies = nil, dependencies
	return &own
}

// each returns a map of what f makes of the values, the map itself if f changes
// none of them.
func each[M ~map[string]V, V any](all M, f func(name string, v V) (V, bool)) (out M, changed bool) {
	out = all
	for name, v := range all {
		made, differs := f(name, v)
		if !differs {
			continue
		}
		if !changed {
			out, changed = maps.Clone(all), true
		}
		out[name] = made
	}
	return out, changed
}

// hasDefault reports whether there is a default in a schema. It allocates
// nothing: schemas are handed on by value, since the address of one in a map
// would take it to the heap.
func hasDefault(s spec.Schema) bool {
	if s.Default != nil ||
		inMap(s.Properties) || inMap(s.PatternProperties) || inMap(s.Definitions) ||
		inList(s.AllOf) || inList(s.AnyOf) || inList(s.OneOf) || inSchema(s.Not) {
		return true
	}
	if s.Items != nil && (inSchema(s.Items.Schema) || inList(s.Items.Schemas)) ||
		s.AdditionalProperties != nil && inSchema(s.AdditionalProperties.Schema) ||
		s.AdditionalItems != nil && inSchema(s.AdditionalItems.Schema) {
		return true
	}
	for _, d := range s.Dependencies {
		if inSchema(d.Schema) {
			return true
		}
	}
	return false
}

func inSchema(s *spec.Schema) bool { return s != nil && hasDefault(*s) }

func inMap(all map[string]spec.Schema) bool {
	for _, s := range all {
		if hasDefault(s) {
			return true
		}
	}
	return false
}

func inList(all []spec.Schema) bool {
	for i := range all {
		if hasDefault(all[i]) {
			return true
		}
	}
	return false
}
