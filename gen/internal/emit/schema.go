// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Schema is an OpenAPI schema with the keywords that the generators use.
type Schema struct {
	// Ref is the name of the definition to which the schema refers, or "".
	Ref                              string
	Description, Title, Type, Format string
	Default, Example                 any
	// Implied is true if the default follows from the Go type and not from a marker.
	Implied           bool
	Nullable          bool
	Properties        map[string]*Schema
	Required          []string
	Items, Additional *Schema
	// AnyFields is true for "additionalProperties: true".
	AnyFields           bool
	Enum                []any
	AllOf, AnyOf, OneOf []*Schema
	// Bounds maps the keywords of simple validations, such as maxLength and pattern, to their
	// values.
	Bounds map[string]any
	// X maps the names of vendor extensions to their values.
	X map[string]any
}

func (s *Schema) set(name string, v any) {
	if s.X == nil {
		s.X = map[string]any{}
	}
	s.X[name] = v
}

func (s *Schema) bound(name string, v any) {
	if s.Bounds == nil {
		s.Bounds = map[string]any{}
	}
	s.Bounds[name] = v
}

// clone returns a copy of s with its own maps and slices. It does not copy nested schemas.
func (s *Schema) clone() *Schema {
	c := *s
	c.Properties = maps.Clone(s.Properties)
	c.Bounds, c.X = maps.Clone(s.Bounds), maps.Clone(s.X)
	c.Required, c.Enum = slices.Clone(s.Required), slices.Clone(s.Enum)
	c.AllOf, c.AnyOf, c.OneOf = slices.Clone(s.AllOf), slices.Clone(s.AnyOf), slices.Clone(s.OneOf)
	return &c
}

// Plain returns the schema as plain JSON data. It calls link to convert Ref to the text of a
// reference.
func (s *Schema) Plain(link func(ref string) string) map[string]any {
	out := map[string]any{}
	put := func(name string, v any, there bool) {
		if there {
			out[name] = v
		}
	}
	if s.Ref != "" {
		out["$ref"] = link(s.Ref)
	}
	put("description", s.Description, s.Description != "")
	put("title", s.Title, s.Title != "")
	put("type", s.Type, s.Type != "")
	put("format", s.Format, s.Format != "")
	put("default", s.Default, s.Default != nil)
	put("example", s.Example, s.Example != nil)
	put("nullable", true, s.Nullable)
	put("required", plainStrings(s.Required), len(s.Required) > 0)
	put("enum", s.Enum, len(s.Enum) > 0)
	if len(s.Properties) > 0 {
		m := map[string]any{}
		for name, p := range s.Properties {
			m[name] = p.Plain(link)
		}
		out["properties"] = m
	}
	if s.Items != nil {
		out["items"] = s.Items.Plain(link)
	}
	switch {
	case s.Additional != nil:
		out["additionalProperties"] = s.Additional.Plain(link)
	case s.AnyFields:
		out["additionalProperties"] = true
	}
	for name, list := range map[string][]*Schema{"allOf": s.AllOf, "anyOf": s.AnyOf, "oneOf": s.OneOf} {
		var branches []any
		for _, b := range list {
			branches = append(branches, b.Plain(link))
		}
		put(name, branches, len(branches) > 0)
	}
	maps.Copy(out, s.Bounds)
	maps.Copy(out, s.X)
	return out
}

func plainStrings(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// JSON returns v as indented JSON with sorted field names.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
