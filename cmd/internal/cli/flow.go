// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	yamlflow "github.com/dovetail-ssa/dovetail/internal/flow"
)

// maxFlow is how many bytes of a value stand in one line of a message.
const maxFlow = 200

// flow renders a value as YAML in one line, cut where it is too long.
func flow(v any) string { return yamlflow.Short(v, maxFlow) }

// scalar renders a scalar as YAML in one line.
func scalar(v any) string { return yamlflow.Scalar(v) }

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

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
