package defaulting

import (
	"fmt"
	"math/rand/v2"
)

// generator makes structural schemas, as they stand in a CRD, and objects that
// are more or less of them.
type generator struct{ *rand.Rand }

func (g generator) chance(n int) bool { return g.IntN(n) == 0 }

// schema returns a schema, levels deep at most.
func (g generator) schema(levels int) map[string]any {
	s := map[string]any{}
	kind := g.IntN(8)
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
	default:
		s["type"] = "object"
		props := map[string]any{}
		for range g.IntN(4) {
			props[g.name()] = g.schema(levels - 1)
		}
		if len(props) > 0 {
			s["properties"] = props
		}
		if g.chance(8) {
			s["x-kubernetes-preserve-unknown-fields"] = true
		}
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

// value returns a value of a schema in which fields are missing and, if wrong is
// set, null where null is no value, unknown or of other types now and then. A
// default is not wrong: the API server refuses it.
func (g generator) value(s map[string]any, wrong bool) any {
	if (wrong || s["nullable"] == true) && g.chance(6) {
		return nil
	}
	if wrong && g.chance(30) {
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
		items := []any{}
		for range g.IntN(4) {
			items = append(items, g.value(s["items"].(map[string]any), wrong))
		}
		return items
	}
	object := map[string]any{}
	if values, ok := s["additionalProperties"].(map[string]any); ok {
		for i := range g.IntN(4) {
			object[fmt.Sprint("k", i)] = g.value(values, wrong)
		}
		return object
	}
	props, _ := s["properties"].(map[string]any)
	for name, p := range props {
		if !g.chance(3) {
			object[name] = g.value(p.(map[string]any), wrong)
		}
	}
	if wrong && g.chance(6) {
		object["unknown"] = []any{nil, "x", map[string]any{"a": nil}}[g.IntN(3)]
	}
	return object
}
