// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"maps"

	"k8s.io/kube-openapi/pkg/schemamutation"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Endpoint is a path at which API servers publish OpenAPI. Its methods return schemas as the
// endpoint publishes them. If nothing needs to be removed, the result is the argument itself.
// Otherwise, the result is a copy that shares unchanged parts with the argument. Methods never
// change their argument and are safe for concurrent use.
type Endpoint int

const (
	// V2 is /openapi/v2, which omits defaults.
	V2 Endpoint = iota
	// V3 is /openapi/v3, which also publishes defaults.
	V3
)

// String returns the path of the endpoint.
func (e Endpoint) String() string {
	if e == V2 {
		return "/openapi/v2"
	}
	return "/openapi/v3"
}

// Schema returns the published form of a schema.
func (e Endpoint) Schema(s *spec.Schema) *spec.Schema {
	if e == V2 && inSchema(s) {
		return defaultRemover().WalkSchema(s)
	}
	return s
}

// Definitions returns the published form of definitions, in the Go type that OpenAPI v2
// documents use.
func (e Endpoint) Definitions(all spec.Definitions) spec.Definitions {
	if e != V2 {
		return all
	}
	out, _ := each(all, func(_ string, s spec.Schema) (spec.Schema, bool) {
		if !hasDefault(s) {
			return s, false
		}
		own := s // copy s only here, because taking its address causes an allocation
		return *defaultRemover().WalkSchema(&own), true
	})
	return out
}

// Models returns the published form of definitions, in the Go type that OpenAPI v3
// documents and API servers' type converters use.
func (e Endpoint) Models(all map[string]*spec.Schema) map[string]*spec.Schema {
	out, _ := each(all, func(_ string, s *spec.Schema) (*spec.Schema, bool) {
		out := e.Schema(s)
		return out, out != s
	})
	return out
}

// Swagger returns an OpenAPI v2 document in the form that the endpoint V2 publishes.
// The schemas in definitions, parameters and responses lose their defaults. The
// default of a query parameter or header stays, because it is not part of a schema.
func Swagger(doc *spec.Swagger) *spec.Swagger { return defaultRemover().WalkRoot(doc) }

// defaultRemover returns a walker that removes the defaults of schemas. It copies each schema before
// changing it.
func defaultRemover() *schemamutation.Walker {
	return &schemamutation.Walker{
		SchemaCallback: withoutDefault,
		RefCallback:    schemamutation.RefCallbackNoop,
	}
}

// withoutDefault returns s without its default. It also removes the defaults in s.Dependencies,
// which the walker does not visit.
func withoutDefault(s *spec.Schema) *spec.Schema {
	dependencies, changed := each(s.Dependencies, func(_ string, d spec.SchemaOrStringArray) (spec.SchemaOrStringArray, bool) {
		before := d.Schema
		d.Schema = defaultRemover().WalkSchema(before)
		return d, d.Schema != before
	})
	if s.Default == nil && !changed {
		return s
	}
	own := *s
	own.Default, own.Dependencies = nil, dependencies
	return &own
}

// each applies a function to all values of a map. It returns a new map if the function changes a
// value, and the same map if it changes none.
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

// hasDefault reports whether a schema contains a default. Its parameter is not a pointer, because a
// pointer to a map value would cause an allocation.
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
