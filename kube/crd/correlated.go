// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import "k8s.io/apiserver/pkg/cel/common"

// remembered is a schema for what correlates an object with an old one: that asks a type
// for all its properties at each of them, and the schema behind makes them anew each time.
type remembered struct {
	common.Schema
	properties map[string]common.Schema
	items      common.Schema
	additional common.SchemaOrBool
}

func remember(s common.Schema) common.Schema {
	if s == nil {
		return nil
	}
	return &remembered{Schema: s}
}

func (s *remembered) Properties() map[string]common.Schema {
	if s.properties == nil {
		s.properties = map[string]common.Schema{}
		for name, p := range s.Schema.Properties() {
			s.properties[name] = remember(p)
		}
	}
	return s.properties
}

func (s *remembered) Items() common.Schema {
	if s.items == nil {
		s.items = remember(s.Schema.Items())
	}
	return s.items
}

func (s *remembered) AdditionalProperties() common.SchemaOrBool {
	if s.additional == nil {
		if a := s.Schema.AdditionalProperties(); a != nil {
			s.additional = rememberedOrBool{a, remember(a.Schema())}
		}
	}
	return s.additional
}

type rememberedOrBool struct {
	common.SchemaOrBool
	schema common.Schema
}

func (s rememberedOrBool) Schema() common.Schema { return s.schema }
