// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "go.yaml.in/yaml/v2"

// Unquoted returns what a text is to Kubernetes when it stands in YAML without quotes:
// a string, a boolean, an int64, a float64 or nil. ok is false if it is no scalar.
func Unquoted(text string) (v any, ok bool) {
	if yaml.Unmarshal([]byte(text), &v) != nil {
		return nil, false
	}
	switch n := v.(type) {
	case int:
		return int64(n), true
	case uint64:
		return float64(n), true
	case nil, string, bool, int64, float64:
		return v, true
	}
	return nil, false
}
