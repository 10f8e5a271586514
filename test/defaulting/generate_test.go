// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaulting

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// generator generates schemas for CRDs, and objects that fit them in most cases.
type generator struct{ *rand.Rand }

func (g generator) chance(n int) bool { return g.IntN(n) == 0 }

// schema returns a schema with at most the given number of levels.
func (g generator) schema(levels int) map[string]any {
	s := map[string]any{}
	kind := g.IntN(11)
	if levels == 0 {
		kind = g.IntN(4)
	}
	switch kind {
	case 0:
		s["type"] = "string"
	case 1:
		s["type"] = "integer"
	case 2:
		s["type"] = "boolean"
	case 3:
		s["type"] = "number"
	case 4:
		s["type"], s["items"] = "array", g.schema(levels-1)
	case 5:
		s["type"], s["additionalProperties"] = "object", g.schema(levels-1)
	case 6:
		s["x-kubernetes-int-or-string"] = true
	case 7:
		s["x-kubernetes-preserve-unknown-fields"] = true
		if levels > 0 && g.chance(2) {
			s["properties"] = map[string]any{g.name(): g.schema(levels - 1), g.name(): g.schema(levels - 1)}
		}
		if levels > 0 && g.chance(2) {
			s["items"] = g.schema(levels - 1)
		}
	case 8:
		s["type"], s["additionalProperties"] = "object", true
	default:
		s["type"] = "object"
		props := map[string]any{}
		for range g.IntN(4) {
			props[g.name()] = g.schema(levels - 1)
		}
		if len(props) > 0 {
			s["properties"] = props
		}
		switch g.IntN(8) {
		case 0:
			s["x-kubernetes-preserve-unknown-fields"] = true
		case 1:
			s["x-kubernetes-embedded-resource"] = true
			if len(props) == 0 || g.chance(2) {
				s["x-kubernetes-preserve-unknown-fields"] = true
			}
			if g.chance(2) {
				props["metadata"] = g.metadataSchema()
			}
			for _, field := range []string{"apiVersion", "kind"} {
				if g.chance(4) {
					props[field] = map[string]any{"type": "string", "default": "y"}
				}
			}
			if len(props) > 0 {
				s["properties"] = props
			}
		}
	}
	if s["type"] == "array" && g.chance(8) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if g.chance(4) {
		s["nullable"] = true
	}
	if g.chance(3) {
		if def := g.value(s, false); def != nil {
			s["default"] = def
		}
	}
	return s
}

func (g generator) name() string { return string(rune('a' + g.IntN(4))) }

// value returns a random value for a schema. Some of its fields are missing. If wrong is set,
// it may also have unknown fields, values of wrong types, and nulls where they are not allowed.
// A default must not be wrong, because the API server rejects such a schema.
func (g generator) value(s map[string]any, wrong bool) any {
	if (wrong || s["nullable"] == true) && g.chance(6) {
		return nil
	}
	preserves := s["x-kubernetes-preserve-unknown-fields"] == true
	// A value with a wrong type is rejected in a later step. Before that step, apiextensions
	// keeps the value if fields are preserved (see DIFFERENCES.md).
	if wrong && g.chance(30) && !preserves {
		return []any{"wrong", int64(7), map[string]any{"a": nil}, []any{nil}}[g.IntN(4)]
	}
	switch s["type"] {
	case "string":
		return []any{"", "x"}[g.IntN(2)]
	case "integer":
		return int64(g.IntN(2))
	case "boolean":
		return g.chance(2)
	case "number":
		return []any{0.5, int64(0)}[g.IntN(2)]
	case "array":
		return g.items(s, wrong)
	case nil:
		_, hasItems := s["items"].(map[string]any)
		props, hasProps := s["properties"].(map[string]any)
		if hasItems && (!hasProps || g.chance(2)) {
			return g.items(s, wrong)
		}
		if hasProps {
			object := map[string]any{}
			for _, name := range slices.Sorted(maps.Keys(props)) {
				if !g.chance(3) {
					object[name] = g.value(props[name].(map[string]any), wrong)
				}
			}
			return object
		}
		if preserves {
			if v := g.anything(2); v != nil || wrong || s["nullable"] == true {
				return v
			}
			return "x"
		}
		if wrong && g.chance(6) {
			return g.anything(2)
		}
		return []any{"http", int64(80)}[g.IntN(2)]
	}
	object := map[string]any{}
	if s["additionalProperties"] == true {
		levels := 2
		if !wrong { // no schema describes the values, so pruning would remove everything in them
			levels = 0
		}
		for i := range g.IntN(4) {
			object[fmt.Sprint("k", i)] = g.anything(levels)
		}
		return object
	}
	if s["x-kubernetes-embedded-resource"] == true {
		object["apiVersion"], object["kind"] = "v1", "Pod"
		object["metadata"] = g.metadata(wrong)
		for _, field := range metaFields {
			if g.chance(4) {
				delete(object, field)
			}
		}
	}
	if values, ok := s["additionalProperties"].(map[string]any); ok {
		for i := range g.IntN(4) {
			object[fmt.Sprint("k", i)] = g.value(values, wrong)
		}
		return object
	}
	props, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if !slices.Contains(metaFields, name) && !g.chance(3) {
			object[name] = g.value(props[name].(map[string]any), wrong)
		}
	}
	if wrong && g.chance(6) {
		object["unknown"] = []any{nil, "x", map[string]any{"a": nil}}[g.IntN(3)]
	}
	return object
}

// items returns a random list for a schema with items. The argument wrong has the same meaning as
// in the method value.
func (g generator) items(s map[string]any, wrong bool) []any {
	items, item := []any{}, s["items"].(map[string]any)
	if s["x-kubernetes-preserve-unknown-fields"] == true {
		item = maps.Clone(item)
		item["x-kubernetes-preserve-unknown-fields"] = true
	}
	for range g.IntN(4) {
		items = append(items, g.value(item, wrong))
	}
	return items
}

var metaFields = []string{"apiVersion", "kind", "metadata"}

// metadataSchema returns a schema for the metadata of an embedded resource. It has defaults for
// fields of metadata, for the same fields with wrong types, and for unknown fields.
func (g generator) metadataSchema() map[string]any {
	text := map[string]any{"type": "string"}
	reference := map[string]any{"type": "object", "properties": map[string]any{
		"controller": map[string]any{"type": "boolean", "default": g.chance(2)},
		"unknown":    map[string]any{"type": "string", "default": "x"},
	}}
	all := map[string]any{
		"name":            map[string]any{"type": "string", "default": []any{"", "y"}[g.IntN(2)]},
		"generateName":    map[string]any{"type": "integer", "default": int64(5)},
		"labels":          map[string]any{"type": "object", "additionalProperties": text, "default": []any{map[string]any{}, map[string]any{"b": "y"}, map[string]any{"b": int64(1)}}[g.IntN(3)]},
		"annotations":     map[string]any{"type": "object", "additionalProperties": text, "default": map[string]any{"b": "y"}},
		"finalizers":      map[string]any{"type": "array", "items": text, "default": []any{[]any{}, []any{"y"}}[g.IntN(2)]},
		"ownerReferences": map[string]any{"type": "array", "items": reference},
		"unknown":         map[string]any{"type": "object", "default": map[string]any{}, "properties": map[string]any{"name": map[string]any{"type": "string", "default": "y"}}},
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if g.chance(2) {
			delete(all, name)
		}
	}
	s := map[string]any{"type": "object", "properties": all}
	if g.chance(2) {
		s["default"] = []any{map[string]any{}, g.metadata(true)}[g.IntN(2)]
	}
	return s
}

// metadata returns the metadata of an embedded resource. If wrong is set, it may have mistakes.
func (g generator) metadata(wrong bool) map[string]any {
	m := map[string]any{"name": "x"}
	if g.chance(2) {
		m["labels"] = map[string]any{"a": "x"}
	}
	if g.chance(4) {
		m["ownerReferences"] = []any{map[string]any{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "y"}}
		if g.chance(2) {
			m["ownerReferences"].([]any)[0].(map[string]any)["unknown"] = g.anything(1)
		}
	}
	// Here, even a default may have any content.
	if g.chance(4) {
		m["unknown"] = g.anything(1)
	}
	if wrong && g.chance(8) {
		m["annotations"] = nil
	}
	return m
}

// anything returns a random value with at most the given number of levels.
func (g generator) anything(levels int) any {
	kind := g.IntN(7)
	if levels == 0 {
		kind = g.IntN(3)
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return "x"
	case 2:
		return int64(g.IntN(2))
	case 3, 4:
		list := []any{}
		for range g.IntN(3) {
			list = append(list, g.anything(levels-1))
		}
		return list
	}
	object := map[string]any{}
	for range g.IntN(3) {
		object[g.name()] = g.anything(levels - 1)
	}
	return object
}
