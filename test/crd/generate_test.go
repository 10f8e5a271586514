// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/dovetail-ssa/dovetail/schema"
)

// generator generates random CRDs. It breaks each rule for CRDs with a small probability, so
// about half of the CRDs break at least one.
type generator struct {
	*rand.Rand
	// calm makes mistakes less likely, by this factor.
	calm int
}

// oops decides at random whether to make a mistake. n is the average number of calls per
// mistake.
func (g *generator) oops(n int) bool { return g.IntN(n*g.calm) == 0 }

func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, all ...T) T { return all[g.IntN(len(all))] }

// crd returns a definition with one or two versions.
func (g *generator) crd() map[string]any {
	spec := map[string]any{
		"group": "example.com", "scope": pick(g, "Namespaced", "Cluster"),
		"names": map[string]any{"kind": "Thing", "plural": "things"},
	}
	var versions []any
	for i := range 1 + g.IntN(5)/4 {
		versions = append(versions, g.version(i))
	}
	spec["versions"] = versions
	doc := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "things.example.com"},
		"spec":     spec,
	}
	if !g.oops(6) {
		return doc
	}
	// In this CRD, fields outside of schemas may be wrong, too.
	doc = g.envelope()
	spec, _ = doc["spec"].(map[string]any)
	versions, _ = spec["versions"].([]any)
	for _, v := range versions {
		if v, _ := v.(map[string]any); v["schema"] != nil {
			v["schema"] = map[string]any{"openAPIV3Schema": g.root()}
		}
	}
	return doc
}

func (g *generator) version(i int) map[string]any {
	v := map[string]any{"name": fmt.Sprintf("v%d", i+1), "served": true, "storage": i == 0}
	root := g.root()
	v["schema"] = map[string]any{"openAPIV3Schema": root}
	if g.chance(3) {
		v["subresources"] = map[string]any{"status": map[string]any{}}
	}
	return v
}

// root returns the schema of a version.
func (g *generator) root() map[string]any {
	props := map[string]any{"spec": g.schema(3)}
	if g.chance(2) {
		props["status"] = g.schema(2)
	}
	root := map[string]any{"type": "object", "properties": props}
	if g.chance(6) {
		props["metadata"] = map[string]any{"type": "object", "properties": map[string]any{
			pick(g, "name", "generateName"): map[string]any{"type": "string", "maxLength": 10},
		}}
	}
	if g.chance(8) {
		props["kind"], props["apiVersion"] = map[string]any{"type": "string"}, map[string]any{"type": "string"}
	}
	if g.chance(10) {
		root["x-kubernetes-validations"] = []any{map[string]any{"rule": "has(self.spec)"}}
	}
	if g.oops(12) {
		g.spoilRoot(root, props)
	}
	if g.oops(120) {
		g.spoil(root)
	}
	return root
}

func (g *generator) spoilRoot(root, props map[string]any) {
	meta := map[string]any{"type": "object"}
	ways := []func(){
		func() { root["type"] = pick(g, "string", "") },
		func() { root["nullable"] = true },
		func() { root["additionalProperties"] = map[string]any{"type": "string"} },
		func() { root["allOf"] = []any{map[string]any{"required": []any{"spec"}}} },
		func() { root["maxProperties"] = 10 },
		func() {
			root["default"] = pick(g, map[string]any{}, map[string]any{"apiVersion": "v1", "kind": "X"},
				map[string]any{"apiVersion": "v1", "kind": "X", "more": 1})
		},
		func() { props["metadata"] = meta; meta["type"] = pick(g, "", "string") },
		func() {
			props["metadata"] = meta
			meta["properties"] = map[string]any{pick(g, "labels", "name"): map[string]any{"type": "object"}}
		},
		func() { props["metadata"] = meta; meta["description"] = "x" },
		func() {
			props["metadata"] = meta
			meta["default"] = pick(g, map[string]any{}, map[string]any{"name": "x"})
		},
		func() {
			props["metadata"] = meta
			meta["properties"] = map[string]any{"name": map[string]any{"type": "string", "default": "x"}}
		},
		func() { props["metadata"] = map[string]any{} },
		func() {
			props["kind"] = map[string]any{"type": pick(g, "integer", "string"), "default": pick[any](g, "X", nil)}
		},
		func() {
			props["apiVersion"] = map[string]any{"type": pick(g, "integer", "string"), "default": pick[any](g, "v1", nil)}
		},
		func() {
			root["anyOf"] = []any{map[string]any{"properties": map[string]any{pick(g, "other", "spec", "metadata"): map[string]any{}}}}
		},
		func() { root["x-kubernetes-preserve-unknown-fields"] = true },
	}
	pick(g, ways...)()
}

func (g *generator) name() string { return pick(g, "a", "b", "c", "a.b", "d-e", "metadata", "kind") }

// schema returns a schema with at most the given number of levels.
func (g *generator) schema(levels int) map[string]any {
	s := map[string]any{}
	kind := g.IntN(12)
	if levels == 0 {
		kind = g.IntN(5)
	}
	switch kind {
	case 0, 1:
		g.text(s)
	case 2:
		s["type"] = "integer"
		g.bounds(s)
	case 3:
		s["type"] = "boolean"
	case 4:
		s["type"] = "number"
		g.bounds(s)
	case 5, 6:
		g.list(s, levels)
	case 7:
		s["type"], s["additionalProperties"] = "object", g.schema(levels-1)
		if g.chance(3) {
			s["maxProperties"] = g.IntN(5)
		}
	case 8:
		g.untyped(s)
	case 9:
		g.embedded(s, levels)
	default:
		g.object(s, levels)
	}
	if g.chance(6) {
		s["nullable"] = true
	}
	if g.chance(6) {
		g.junctor(s)
	}
	if g.chance(6) {
		g.rule(s)
	}
	if g.chance(3) {
		g.def(s)
	}
	if g.oops(40) {
		g.spoil(s)
	}
	return s
}

func (g *generator) text(s map[string]any) {
	s["type"] = "string"
	switch g.IntN(6) {
	case 0:
		s["enum"] = []any{"x", "y", pick(g, "", "z")}
	case 1:
		s["maxLength"] = 1 + g.IntN(5)
	case 2:
		s["pattern"] = pick(g, "^[a-z]*$", "^x")
	case 3:
		s["format"] = pick(g, "date-time", "uuid", "ipv4", "duration", "no-such-format", "byte")
	}
}

func (g *generator) bounds(s map[string]any) {
	switch g.IntN(5) {
	case 0:
		s["minimum"] = g.IntN(3)
	case 1:
		s["maximum"] = g.IntN(3)
		s["exclusiveMaximum"] = g.chance(2)
	case 2:
		s["multipleOf"] = 2
	case 3:
		s["enum"] = []any{0, 1, 2}
	}
}

func (g *generator) list(s map[string]any, levels int) {
	s["type"] = "array"
	if g.chance(3) {
		s["maxItems"] = g.IntN(6)
	}
	switch g.IntN(4) {
	case 0:
		s["x-kubernetes-list-type"] = "set"
		item := g.schema(0)
		if g.chance(4) {
			item = map[string]any{"type": "object", "x-kubernetes-map-type": "atomic", "properties": map[string]any{"a": g.schema(0)}}
		}
		if !g.oops(4) {
			delete(item, "nullable")
		}
		if g.oops(6) {
			item = g.schema(levels - 1)
		}
		s["items"] = item
	case 1:
		s["x-kubernetes-list-type"] = "map"
		item := map[string]any{}
		g.object(item, 1)
		props := item["properties"].(map[string]any)
		key := map[string]any{"type": pick(g, "string", "integer")}
		props["key"], s["x-kubernetes-list-map-keys"] = key, []any{"key"}
		if g.chance(3) {
			if g.oops(12) {
				s["x-kubernetes-immutable-keys"] = true
			}
			props["other"] = map[string]any{"type": "string", "default": pick(g, "", "o")}
			s["x-kubernetes-list-map-keys"] = []any{"key", "other"}
		}
		switch {
		case g.oops(4):
			g.spoilKeys(s, item, props, key)
		case g.chance(2):
			key["default"] = pick[any](g, "k", "", 0, 1)
		default:
			required, _ := item["required"].([]any)
			item["required"] = append(required, "key")
		}
		s["items"] = item
	default:
		s["items"] = g.schema(levels - 1)
		if g.chance(3) {
			s["x-kubernetes-list-type"] = "atomic"
		}
	}
}

func (g *generator) spoilKeys(s, item, props, key map[string]any) {
	item["required"] = []any{"key"}
	ways := []func(){
		func() { delete(item, "required") },
		func() { key["nullable"] = true },
		func() { key["type"] = pick(g, "object", "array", "") },
		func() { s["x-kubernetes-list-map-keys"] = []any{pick(g, "none", "key"), "key"} },
		func() { s["x-kubernetes-list-map-keys"] = []any{} },
		func() { delete(s, "x-kubernetes-list-map-keys") },
		func() { item["nullable"] = true },
		func() { s["x-kubernetes-list-type"] = pick(g, "set", "atomic", "bag") },
		func() { delete(s, "x-kubernetes-list-type") },
		func() { item["type"] = pick(g, "string", "") },
		func() { delete(props, "key") },
	}
	pick(g, ways...)()
}

func (g *generator) untyped(s map[string]any) {
	switch g.IntN(4) {
	case 0:
		s["x-kubernetes-int-or-string"] = true
	case 1:
		s["x-kubernetes-int-or-string"] = true
		s["anyOf"] = []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}}
	case 2:
		s["x-kubernetes-int-or-string"] = true
		s["allOf"] = []any{
			map[string]any{"anyOf": []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}}},
			map[string]any{"maxLength": 3},
		}
	default:
		s["x-kubernetes-preserve-unknown-fields"] = true
		if g.chance(2) {
			s["type"] = "object"
		}
	}
	if g.oops(8) {
		s[pick(g, "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string")] = true
	}
	if g.oops(12) && s["anyOf"] != nil {
		s["anyOf"] = []any{map[string]any{"type": "string"}, map[string]any{"type": "integer"}}
	}
}

func (g *generator) embedded(s map[string]any, levels int) {
	s["type"], s["x-kubernetes-embedded-resource"] = "object", true
	if g.chance(2) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	props := map[string]any{}
	if g.chance(2) {
		props["spec"] = g.schema(max(levels-2, 0))
	}
	if g.chance(3) {
		meta := map[string]any{"type": "object"}
		if g.chance(2) {
			meta["properties"] = map[string]any{
				"name":   map[string]any{"type": "string"},
				"labels": map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}},
			}
			if g.chance(2) {
				meta["properties"].(map[string]any)["name"].(map[string]any)["default"] = pick(g, "fine", "NOT FINE")
			}
			if g.oops(4) {
				labels := meta["properties"].(map[string]any)["labels"].(map[string]any)
				labels["additionalProperties"].(map[string]any)["default"] = "x"
			}
		}
		if g.chance(3) {
			meta["default"] = pick[any](g, map[string]any{"name": "x"}, map[string]any{"name": "X X"},
				map[string]any{"labels": map[string]any{"a": "b"}}, map[string]any{"unknown": 1})
		}
		props["metadata"] = meta
	}
	if g.chance(6) {
		props["kind"] = map[string]any{"type": "string", "default": pick(g, "Pod", "1 2", "")}
	}
	if g.oops(12) {
		props[pick(g, "apiVersion", "kind", "metadata")] = map[string]any{"type": "integer"}
	}
	if len(props) > 0 {
		s["properties"] = props
	} else if !g.oops(3) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if g.oops(20) {
		s["additionalProperties"] = true
	}
}

func (g *generator) object(s map[string]any, levels int) {
	s["type"] = "object"
	props := map[string]any{}
	for range g.IntN(4) {
		props[g.name()] = g.schema(levels - 1)
	}
	if m, ok := props["metadata"].(map[string]any); ok && g.chance(2) {
		m["type"] = "object"
	}
	s["properties"] = props
	var required []any
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if g.chance(4) {
			required = append(required, name)
		}
	}
	if required != nil {
		s["required"] = required
	}
	if g.chance(10) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if g.chance(6) {
		s["x-kubernetes-map-type"] = pick(g, "atomic", "granular")
	}
	if g.chance(12) {
		s["additionalProperties"] = true
	}
}

// junctor adds validation of values in allOf, anyOf, oneOf or not.
func (g *generator) junctor(s map[string]any) {
	branch := map[string]any{}
	switch s["type"] {
	case "string":
		branch["maxLength"] = 5
	case "object":
		below := map[string]any{}
		props, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(props)) {
			if name != "metadata" || g.oops(2) {
				below[name] = map[string]any{"minLength": 1}
			}
		}
		if g.oops(8) {
			below["absent"] = map[string]any{"minLength": 1}
		}
		branch["properties"] = below
	case "array":
		branch["items"] = map[string]any{"minimum": 1}
	default:
		branch["minimum"] = 0
	}
	if g.oops(8) {
		branch[pick(g, "title", "description", "type", "x-kubernetes-list-type", "x-kubernetes-map-type", "pattern")] = pick(g, "string", "atomic", "(")
	}
	if g.oops(12) {
		branch[pick(g, "nullable", "x-kubernetes-preserve-unknown-fields", "additionalProperties", "x-kubernetes-embedded-resource",
			"x-kubernetes-int-or-string", "uniqueItems", "default")] = true
	}
	if g.oops(16) {
		branch["x-kubernetes-validations"] = []any{map[string]any{"rule": "true"}}
	}
	switch j := pick(g, "allOf", "anyOf", "oneOf", "not"); j {
	case "not":
		s[j] = branch
	default:
		if s[j] == nil {
			s[j] = []any{branch}
		}
	}
}

// rule adds a CEL rule in x-kubernetes-validations.
func (g *generator) rule(s map[string]any) {
	r := map[string]any{}
	switch s["type"] {
	case "string":
		r["rule"] = pick(g, "self != 'bad'", "self.size() < 3", "self == oldSelf", "self.matches('^x')")
	case "integer":
		r["rule"] = pick(g, "self != 1", "self >= 0", "self <= oldSelf")
	case "array":
		r["rule"] = pick(g, "self.size() < 3", "self.all(x, x == x)", "size(self) == size(oldSelf)")
	case "object":
		r["rule"] = pick(g, "has(self.a)", "!has(self.a)", "self == oldSelf", "self == self")
	default:
		r["rule"] = pick(g, "self == self", "self == oldSelf")
	}
	if g.chance(6) {
		r["message"] = "is not well"
	}
	if g.chance(8) {
		r["messageExpression"] = pick(g, "'at ' + string(1)", "1", "'x'")
	}
	if g.chance(8) {
		r["reason"] = pick(g, "FieldValueInvalid", "FieldValueForbidden")
	}
	if g.chance(12) {
		r["optionalOldSelf"] = true
	}
	if g.oops(6) {
		ways := []func(){
			func() { r["rule"] = pick(g, "", " ", "self.", "no(self)", "1", "self\n==\nself") },
			func() { r["message"] = pick(g, " ", "a\nb") },
			func() { r["messageExpression"] = pick(g, " ", "self.") },
			func() { r["reason"] = "Because" },
			func() { r["fieldPath"] = pick(g, ".a", " ", ".none", ".a\n.b") },
		}
		pick(g, ways...)()
	}
	s["x-kubernetes-validations"] = []any{r}
}

// def adds a default in most cases.
func (g *generator) def(s map[string]any) {
	v := g.value(s)
	if g.oops(8) {
		v = pick[any](g, "wrong", 7, []any{"x", "x"}, map[string]any{"a": 1}, map[string]any{}, []any{map[string]any{}}, true, 0.5)
	}
	if v != nil {
		s["default"] = v
	}
}

// value returns a value that fits the schema in most cases.
func (g *generator) value(s map[string]any) any {
	if enum, ok := s["enum"].([]any); ok && !g.oops(8) {
		return pick(g, enum...)
	}
	if def, ok := s["default"]; ok && g.chance(2) {
		return def
	}
	switch s["type"] {
	case "string":
		switch s["format"] {
		case "date-time":
			return pick(g, "2026-01-01T00:00:00Z", "today")
		case "ipv4":
			return pick(g, "10.0.0.1", "10.0.0.256")
		}
		return pick(g, "x", "", "y", "xx", "bad")
	case "integer":
		return g.IntN(3)
	case "boolean":
		return g.chance(2)
	case "number":
		return pick[any](g, 0.5, 0, 2)
	case "array":
		items := []any{}
		item, _ := s["items"].(map[string]any)
		for range g.IntN(3) {
			items = append(items, g.value(item))
		}
		return items
	case "object":
		return g.fields(s)
	}
	return pick[any](g, 1, "x", map[string]any{"any": "thing"})
}

func (g *generator) fields(s map[string]any) any {
	object := map[string]any{}
	if values, ok := s["additionalProperties"].(map[string]any); ok {
		for i := range g.IntN(3) {
			object[fmt.Sprint("k", i)] = g.value(values)
		}
		return object
	}
	props, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if slices.Contains(required, any(name)) && !g.oops(8) || g.chance(2) {
			object[name] = g.value(props[name].(map[string]any))
		}
	}
	if s["x-kubernetes-embedded-resource"] == true && !g.oops(4) {
		object["apiVersion"], object["kind"] = pick(g, "v1", "a/b/c"), pick(g, "Pod", "Pod", "1")
		if g.chance(3) {
			object["metadata"] = map[string]any{"name": pick(g, "x", "X X"), pick(g, "labels", "unknown"): map[string]any{}}
		}
	}
	if g.oops(10) {
		object["unknown"] = pick[any](g, 1, map[string]any{"a": 1})
	}
	return object
}

// spoil breaks one rule that applies to schemas of every type.
func (g *generator) spoil(s map[string]any) {
	ways := []func(){
		func() { delete(s, "type") },
		func() { s["type"] = pick(g, "null", "float", "text") },
		func() { s["type"] = 5 },
		func() { s["$ref"] = "#/definitions/x" },
		func() { s["id"] = "x" },
		func() { s["definitions"] = map[string]any{"x": map[string]any{"type": "string"}} },
		func() { s["dependencies"] = map[string]any{} },
		func() { s["patternProperties"] = map[string]any{".*": map[string]any{"type": "string"}} },
		func() { s["additionalItems"] = true },
		func() { s["$schema"] = "http://json-schema.org/draft-04/schema#" },
		func() { s["uniqueItems"] = g.chance(2) },
		func() { s["items"] = []any{map[string]any{"type": "string"}} },
		func() { delete(s, "items") },
		func() { s["additionalProperties"] = pick[any](g, false, true, map[string]any{"type": "string"}) },
		func() { s["properties"] = map[string]any{"a": map[string]any{}} },
		func() { s["pattern"] = pick(g, "(", "a{2,1}", "[a") },
		func() { s["x-kubernetes-list-type"] = pick(g, "set", "map", "atomic", "bag", "") },
		func() { s["x-kubernetes-map-type"] = pick(g, "granular", "atomic", "bag") },
		func() { s["x-kubernetes-list-map-keys"] = []any{"a"} },
		func() { s["x-kubernetes-preserve-unknown-fields"] = false },
		func() { s["x-kubernetes-embedded-resource"] = true },
		func() { s["x-kubernetes-int-or-string"] = true },
		func() { s["maxLength"] = pick[any](g, "x", 1.5, -1) },
		func() { s["required"] = pick[any](g, "a", []any{"a"}, []any{1}) },
		func() { s["minimum"] = "x" },
		func() { s["nullable"] = "yes" },
		func() { s["enum"] = pick[any](g, []any{}, []any{nil}, "x", []any{"x", 1}) },
		func() { s["default"] = pick[any](g, nil, map[string]any{"a": nil}, []any{nil}) },
		func() { s["format"] = pick[any](g, "x", 3) },
		func() { s["not"] = map[string]any{"not": map[string]any{"type": "string"}} },
		func() { s["tpye"] = "string" },
		func() {
			s[pick(g, schema.Transitions()...).Extension()] = g.chance(2)
		},
		func() { s["x-kubernetes-immutable"], s["x-kubernetes-set-once"] = true, true },
	}
	pick(g, ways...)()
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func contains(list []any, s string) bool { return slices.Contains(list, any(s)) }
