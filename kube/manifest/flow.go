package manifest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v2"
)

// Flow returns plain data as YAML in one line, for messages: maps in the order of
// their keys, strings in quotes where YAML would read them otherwise. It gives up
// soon after most bytes, so that a large value costs no more than a small one;
// cutting the text is up to the caller. What is no plain data is "?".
func Flow(v any, most int) string {
	f := flow{most: most}
	f.value(v)
	return f.String()
}

type flow struct {
	strings.Builder
	most int
}

func (f *flow) value(v any) {
	switch v := v.(type) {
	case map[string]any:
		f.WriteByte('{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if f.Len() > f.most {
				return
			}
			if i > 0 {
				f.WriteString(", ")
			}
			f.WriteString(scalar(k) + ": ")
			f.value(v[k])
		}
		f.WriteByte('}')
	case []any:
		f.WriteByte('[')
		for i, c := range v {
			if f.Len() > f.most {
				return
			}
			if i > 0 {
				f.WriteString(", ")
			}
			f.value(c)
		}
		f.WriteByte(']')
	default:
		f.WriteString(scalar(v))
	}
}

// scalar returns a scalar as YAML in one line.
func scalar(v any) string {
	if s, ok := v.(string); ok && strings.ContainsAny(s, "\n\r,[]{}#&*!|>'\"%@`") {
		quoted, _ := json.Marshal(s) // strings can be marshalled
		return string(quoted)
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		return "?"
	}
	return strings.TrimSuffix(string(text), "\n")
}
