// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// generator generates random schemas with markers, and random objects for these schemas.
type generator struct {
	*rand.Rand
	// plain omits parts of schemas for which CEL rules are known to differ from markers.
	plain bool
}

type object = map[string]any

func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, all ...T) T { return all[g.IntN(len(all))] }

// root returns the schema of a kind. It has markers in places where they are allowed.
func (g *generator) root() object {
	props := object{"spec": g.fields(3)}
	if g.chance(3) {
		props["status"] = g.fields(2)
	}
	root := object{"type": "object", "properties": props}
	for _, name := range sorted(props) {
		g.mark(props[name].(object))
	}
	return root
}

func (g *generator) name() string {
	if g.plain {
		return pick(g, "a", "b", "c", "d", "d-e", "x.y", "namespace", "a__dash__b", "true", "under__score")
	}
	return pick(g, "a", "b", "c", "d", "d-e", "namespace", "1st", "two words", "a__dash__b")
}

// fields returns the schema of an object with properties.
func (g *generator) fields(levels int) object {
	props := object{}
	for range 1 + g.IntN(4) {
		props[g.name()] = g.schema(levels - 1)
	}
	s := object{"type": "object", "properties": props}
	var required []any
	for _, name := range sorted(props) {
		p := props[name].(object)
		if g.chance(5) {
			required = append(required, name)
		} else if v := g.scalar(p); v != nil && p["enum"] == nil && g.chance(5) {
			p["default"] = v
		}
		if !g.plain && g.chance(6) {
			p["nullable"] = true
		}
	}
	if required != nil {
		s["required"] = required
	}
	if g.chance(6) {
		s["x-kubernetes-map-type"] = pick(g, "atomic", "granular")
	}
	if !g.plain && g.chance(8) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	return s
}

func (g *generator) schema(levels int) object {
	kind := g.IntN(16)
	if levels <= 0 {
		kind = g.IntN(5)
	}
	switch kind {
	case 0, 1:
		return g.text()
	case 2:
		return object{"type": "integer"}
	case 3:
		return object{"type": "boolean"}
	case 4:
		return g.special()
	case 5, 6:
		return g.listMap(levels)
	case 7:
		return g.set()
	case 8, 9:
		s := object{"type": "array", "items": g.schema(levels - 1)}
		if g.chance(2) {
			s["x-kubernetes-list-type"] = "atomic"
		}
		if g.chance(4) {
			s["items"].(object)["nullable"] = true
		}
		g.bound(s, "maxItems")
		return s
	case 10, 11:
		s := object{"type": "object", "additionalProperties": g.schema(levels - 1)}
		if g.chance(4) {
			s["additionalProperties"].(object)["nullable"] = true
		}
		if g.chance(6) {
			s["x-kubernetes-map-type"] = "atomic"
		}
		g.bound(s, "maxProperties")
		return s
	}
	return g.fields(levels)
}

// bound adds a bound to a list, a map or a string in most cases.
func (g *generator) bound(s object, keyword string) {
	switch g.IntN(5) {
	case 0:
	case 1:
		s[keyword] = 64
	default:
		s[keyword] = 4 + g.IntN(6)
	}
}

func (g *generator) text() object {
	s := object{"type": "string"}
	switch {
	case g.chance(8):
		s["enum"] = []any{"x", "y", "z"}
	default:
		g.bound(s, "maxLength")
	}
	return s
}

// special returns a schema without fields of its own. For some of these schemas, CEL rules
// cannot fully express a marker.
func (g *generator) special() object {
	if g.plain {
		return pick(g, object{"x-kubernetes-int-or-string": true}, object{"type": "integer"})
	}
	return pick(g, object{"x-kubernetes-int-or-string": true}, object{"type": "number"},
		object{"type": "string", "format": "date-time"}, object{"type": "string", "format": "duration"},
		object{"x-kubernetes-preserve-unknown-fields": true},
		object{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
		object{"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true})
}

func (g *generator) listMap(levels int) object {
	item := g.fields(levels - 1)
	delete(item, "x-kubernetes-map-type")
	props := item["properties"].(object)
	keys := []any{pick(g, "name", "name", "key", "namespace", "a-b")}
	if g.chance(3) {
		keys = append(keys, "protocol")
	}
	required, _ := item["required"].([]any)
	for _, key := range keys {
		k := pick(g, object{"type": "string", "maxLength": 16}, object{"type": "integer"})
		if key == "protocol" {
			k = object{"type": "string", "default": "x"}
		} else if !slices.Contains(required, key) {
			required = append(required, key)
		}
		props[key.(string)] = k
	}
	item["required"] = required
	s := object{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": item}
	g.bound(s, "maxItems")
	return s
}

func (g *generator) set() object {
	items := pick(g, object{"type": "string", "maxLength": 8}, object{"type": "integer"}, g.text(),
		object{"type": "object", "x-kubernetes-map-type": "atomic", "properties": object{"a": object{"type": "string", "maxLength": 8}, "b": object{"type": "integer"}}},
		object{"type": "array", "x-kubernetes-list-type": "atomic", "maxItems": 4, "items": object{"type": "string", "maxLength": 4}})
	s := object{"type": "array", "x-kubernetes-list-type": "set", "items": items}
	g.bound(s, "maxItems")
	return s
}

// mark adds markers to s and to the schemas in it, at a quarter of the places. In lists with
// keys, it adds more markers.
func (g *generator) mark(s object) {
	values, isMap := s["additionalProperties"].(object)
	list, _ := s["x-kubernetes-list-type"].(string)
	keyed := isMap && s["x-kubernetes-map-type"] != "atomic" || list == "map"
	if g.chance(4) || (keyed || list == "set") && g.chance(3) {
		var rules []*graph.TransitionRule
		for _, t := range graph.Transitions() {
			switch rule := t.Rule(); {
			case rule.Whole:
				rules = append(rules, rule)
			case keyed || list == "set" && rule.Sets:
				rules = append(rules, rule, rule) // make this rule twice as likely, because fewer places allow it
			}
		}
		rule := pick(g, rules...)
		s[rule.Extension] = true
		if !rule.Whole && list == "map" {
			for _, key := range s["x-kubernetes-list-map-keys"].([]any) {
				s["items"].(object)["properties"].(object)[key.(string)].(object)["x-kubernetes-immutable"] = true
			}
		}
	}
	props, _ := s["properties"].(object)
	for _, name := range sorted(props) {
		if p := props[name].(object); p["x-kubernetes-immutable"] == nil {
			g.mark(p)
		}
	}
	if isMap {
		g.mark(values)
	}
	if items, ok := s["items"].(object); ok {
		g.mark(items)
	}
}

// value returns a random value that fits a schema.
func (g *generator) value(s object, depth int) any {
	if s["nullable"] == true && g.chance(4) {
		return nil
	}
	if v := g.scalar(s); v != nil {
		return v
	}
	switch {
	case s["type"] == "array":
		items := []any{}
		for range g.IntN(4) {
			items = append(items, g.value(s["items"].(object), depth+1))
		}
		return g.distinct(s, items)
	case s["additionalProperties"] != nil:
		m := object{}
		for range g.IntN(4) {
			m[g.key()] = g.value(s["additionalProperties"].(object), depth+1)
		}
		return m
	case s["type"] == "object":
		m := object{}
		props, _ := s["properties"].(object)
		required, _ := s["required"].([]any)
		for _, name := range sorted(props) {
			if slices.Contains(required, any(name)) || g.chance(2) {
				m[name] = g.value(props[name].(object), depth+1)
			}
		}
		if s["x-kubernetes-preserve-unknown-fields"] == true && g.chance(2) {
			m[pick(g, "u", "v")] = pick[any](g, 1, "x", object{"y": 1})
		}
		if s["x-kubernetes-embedded-resource"] == true {
			m["apiVersion"], m["kind"] = "v1", "Pod"
			m["metadata"] = object{"name": "x", pick(g, "labels", "annotations"): object{"a": pick(g, "b", "c")}}
		}
		return m
	}
	return pick[any](g, 1, "x", object{"any": "thing"}, []any{1, 2})
}

func (g *generator) key() string { return pick(g, "k", "l", "m", "n-o", "namespace", "") }

// scalar returns a value that fits the schema of a scalar. It returns nil for other schemas.
func (g *generator) scalar(s object) any {
	switch {
	case s["enum"] != nil:
		return pick(g, s["enum"].([]any)...)
	case s["x-kubernetes-int-or-string"] == true:
		return pick[any](g, 1, "1", "x")
	case s["type"] == "boolean":
		return g.chance(2)
	case s["type"] == "integer":
		if !g.plain && g.chance(40) {
			return json.RawMessage("1.0")
		}
		return g.IntN(3)
	case s["type"] == "number":
		return pick[any](g, 1, 1.5, json.RawMessage("1.0"), json.RawMessage("9007199254740993"), json.RawMessage("9007199254740992"))
	case s["format"] == "date-time":
		return pick(g, "2020-01-01T00:00:00Z", "2020-01-01T01:00:00+01:00", "2021-01-01T00:00:00Z")
	case s["format"] == "duration":
		return pick(g, "60s", "1m", "2m")
	case s["type"] == "string":
		return pick(g, "x", "y", "", "xy")
	}
	return nil
}

// distinct removes items with equal keys if the list does not allow duplicates.
func (g *generator) distinct(s object, items []any) []any {
	list, _ := s["x-kubernetes-list-type"].(string)
	if list != "set" && list != "map" {
		return items
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(items, func(item any) bool {
		id := plain.Text(item)
		if list == "map" {
			id = ""
			for _, key := range s["x-kubernetes-list-map-keys"].([]any) {
				v, ok := item.(object)[key.(string)]
				if !ok {
					v = s["items"].(object)["properties"].(object)[key.(string)].(object)["default"]
				}
				id += plain.Text(v) + ","
			}
		}
		twice := seen[id]
		seen[id] = true
		return twice
	})
}

// change returns a copy of v in which some values are different.
func (g *generator) change(s object, v any) any {
	if g.chance(14) {
		return g.value(s, 0)
	}
	switch v := v.(type) {
	case object:
		return g.changeMap(s, v)
	case []any:
		item, _ := s["items"].(object)
		if item == nil {
			return v
		}
		items := make([]any, len(v))
		for i := range v {
			items[i] = g.change(item, v[i])
		}
		switch g.IntN(12) {
		case 0:
			items = append(items, g.value(item, 0))
		case 1:
			if len(items) > 0 {
				items = slices.Delete(items, 0, 1)
			}
		case 2:
			g.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		}
		return g.distinct(s, items)
	}
	return v
}

func (g *generator) changeMap(s, v object) any {
	m := maps.Clone(v)
	below := func(name string) object {
		if values, ok := s["additionalProperties"].(object); ok {
			return values
		}
		props, _ := s["properties"].(object)
		p, _ := props[name].(object)
		return p
	}
	required, _ := s["required"].([]any)
	for _, name := range sorted(v) {
		p := below(name)
		switch {
		case p == nil:
			if name == "u" && g.chance(4) {
				delete(m, "u")
				m["v"] = v["u"]
			}
		case g.chance(14) && !slices.Contains(required, any(name)):
			delete(m, name)
		case p["nullable"] == true && g.chance(10):
			m[name] = nil
		default:
			m[name] = g.change(p, v[name])
		}
	}
	if g.chance(8) {
		if values, ok := s["additionalProperties"].(object); ok {
			m[g.key()] = g.value(values, 0)
		}
		props, _ := s["properties"].(object)
		for _, name := range sorted(props) {
			if _, ok := m[name]; !ok && g.chance(2) {
				m[name] = g.value(props[name].(object), 0)
			}
		}
	}
	return m
}

// pair returns a random object and a changed copy of it, as JSON.
func (g *generator) pair(root object) [2]json.RawMessage {
	var pair [2]json.RawMessage
	old, _ := g.value(root, 0).(object)
	now, _ := g.changeMap(root, old).(object)
	for i, o := range []object{old, now} {
		whole := maps.Clone(o)
		if whole == nil {
			whole = object{}
		}
		whole["apiVersion"], whole["kind"] = "example.com/v1", "Thing"
		whole["metadata"] = object{"name": "x", "resourceVersion": "1"}
		pair[i] = json.RawMessage(plain.Text(whole))
	}
	return pair
}

func sorted(m object) []string { return slices.Sorted(maps.Keys(m)) }
