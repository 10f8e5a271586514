// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diag

import "github.com/dovetail-ssa/dovetail/internal/flow"

// maxFlow is how many bytes of a value stand in a message.
const maxFlow = 200

// Wanted says what the schema allows where a finding is of the wrong type: a string.
func (f *Finding) Wanted() string {
	if f.Want == "map" {
		return "a mapping"
	}
	return "a " + f.Want
}

// Got says what was found, as YAML: the mapping {a: b}.
func (f *Finding) Got() string {
	if f.Found == nil {
		return "null"
	}
	return f.Noun() + " " + flow.Short(f.Found, maxFlow)
}

// Noun says what kind of value was found.
func (f *Finding) Noun() string {
	switch f.Found.(type) {
	case nil:
		return "null"
	case map[string]any, map[any]any:
		return "the mapping"
	case []any:
		return "the list"
	case bool:
		return "the boolean"
	case string:
		return "the string"
	case int64, float64, int, int32, int16, int8, uint, uint32, uint16, uint8, float32:
		return "the number"
	}
	return "the value"
}
