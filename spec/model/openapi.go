// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
)

// Read returns the type that an OpenAPI schema describes, as in a CustomResourceDefinition. A
// list without x-kubernetes-list-type is atomic. A map without x-kubernetes-map-type is granular
// (rule T1).
func Read(openAPI []byte) (*Type, error) {
	var s openAPISchema
	if err := json.Unmarshal(openAPI, &s); err != nil {
		return nil, err
	}
	return s.read(false)
}

type openAPISchema struct {
	Type                 string
	Properties           map[string]*openAPISchema
	AdditionalProperties *openAPISchema
	Items                *openAPISchema
	Default              any
	ListType             string   `json:"x-kubernetes-list-type"`
	ListMapKeys          []string `json:"x-kubernetes-list-map-keys"`
	MapType              string   `json:"x-kubernetes-map-type"`
	Unknown              bool     `json:"x-kubernetes-preserve-unknown-fields"`
}

// read returns the type that one schema describes. The argument "unknown" is true if an
// enclosing schema preserves unknown fields (rule T1).
func (s *openAPISchema) read(unknown bool) (*Type, error) {
	unknown = unknown || s.Unknown
	t := &Type{}
	var err error
	switch s.Type {
	case "string", "boolean", "number":
		t.Kind, t.Scalar = Scalar, s.Type
	case "integer":
		t.Kind, t.Scalar = Scalar, "number"
	case "array":
		t.Kind, t.Atomic, t.Keys = List, s.ListType != "set" && s.ListType != "map", s.ListMapKeys
		if s.Items == nil {
			return nil, fmt.Errorf("an array has no items")
		}
		if t.Items, err = s.Items.read(unknown); err != nil {
			return nil, err
		}
		for _, name := range t.Keys {
			if key := s.Items.Properties[name]; key != nil && key.Default != nil {
				if t.Defaults == nil {
					t.Defaults = map[string]any{}
				}
				t.Defaults[name] = key.Default
			}
		}
	case "object":
		t.Kind, t.Atomic = Map, s.MapType == "atomic"
		if s.AdditionalProperties != nil {
			if t.Others, err = s.AdditionalProperties.read(unknown); err != nil {
				return nil, err
			}
		} else if unknown || len(s.Properties) == 0 {
			t.Others = &Type{Kind: Deduced}
		}
		for name, f := range s.Properties {
			if t.Fields == nil {
				t.Fields = map[string]*Type{}
			}
			if t.Fields[name], err = f.read(unknown); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	case "":
		if !s.Unknown {
			return nil, fmt.Errorf("a schema has no type")
		}
		t.Kind = Deduced // rule T3
	default:
		return nil, fmt.Errorf("type %q is not supported by the model", s.Type)
	}
	return t, nil
}
