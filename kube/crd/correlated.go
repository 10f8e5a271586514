// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import "k8s.io/apiserver/pkg/cel/common"

// cachedSchema caches the properties of a schema. Without the cache, each call of
// Properties would create all properties again. The code that pairs new values with old
// ones calls Properties once for each property.
type cachedSchema struct {
	common.Schema
	properties map[string]common.Schema
	items      common.Schema
	additional common.SchemaOrBool
}

func cacheSchema(s common.Schema) common.Schema {
	if s == nil {
		return nil
	}
	return &cachedSchema{Schema: s}
}

func (s *cachedSchema) Properties() map[string]common.Schema {
	if s.properties == nil {
		s.properties = map[string]common.Schema{}
		for name, p := range s.Schema.Properties() {
			s.properties[name] = cacheSchema(p)
		}
	}
	return s.properties
}

func (s *cachedSchema) Items() common.Schema {
	if s.items == nil {
		s.items = cacheSchema(s.Schema.Items())
	}
	return s.items
}

func (s *cachedSchema) AdditionalProperties() common.SchemaOrBool {
	if s.additional == nil {
		if a := s.Schema.AdditionalProperties(); a != nil {
			s.additional = cachedSchemaOrBool{a, cacheSchema(a.Schema())}
		}
	}
	return s.additional
}

type cachedSchemaOrBool struct {
	common.SchemaOrBool
	schema common.Schema
}

func (s cachedSchemaOrBool) Schema() common.Schema { return s.schema }
