// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import "k8s.io/kube-openapi/pkg/validation/spec"

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
