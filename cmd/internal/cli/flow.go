package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	yamlv2 "go.yaml.in/yaml/v2"
)

// maxFlow is how many bytes of a value stand in one line of a message.
const maxFlow = 200

// flow renders a value as YAML in one line, cut where it is too long.
func flow(v any) string {
	var b strings.Builder
	appendFlow(&b, v)
	return cut(b.String(), maxFlow)
}

func appendFlow(b *strings.Builder, v any) {
	if b.Len() > maxFlow {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, k := range sortedKeys(v) {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(scalar(k) + ": ")
			appendFlow(b, v[k])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, c := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			appendFlow(b, c)
		}
		b.WriteByte(']')
	default:
		b.WriteString(scalar(v))
	}
}

// scalar renders a scalar as YAML in one line.
func scalar(v any) string {
	if s, ok := v.(string); ok && strings.ContainsAny(s, "\n\r,[]{}#&*!|>'\"%@`") {
		quoted, _ := json.Marshal(s) // strings can be marshalled
		return string(quoted)
	}
	text, err := yamlv2.Marshal(v)
	if err != nil {
		return "?"
	}
	return strings.TrimSuffix(string(text), "\n")
}

// visible shows control characters, which a terminal would obey. Line ends
// and tabs stay.
func visible(s string) string {
	if !strings.ContainsFunc(s, controls) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if controls(c) {
			fmt.Fprintf(&b, "\\u%04x", c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

func controls(c rune) bool {
	return unicode.IsControl(c) && c != '\n' && c != '\t'
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
