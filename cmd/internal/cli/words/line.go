// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import (
	"fmt"
	"strings"
	"unicode"

	yamlflow "github.com/dovetail-ssa/dovetail/internal/flow"
)

// MaxFlow is the maximum number of bytes of a value in a message.
const MaxFlow = 200

// Flow formats a value as YAML on one line, shortened to MaxFlow bytes.
func Flow(v any) string { return yamlflow.Short(v, MaxFlow) }

// Scalar formats a scalar as YAML on one line.
func Scalar(v any) string { return yamlflow.Scalar(v) }

// Visible replaces control characters with escapes such as \u001b, because a terminal would
// interpret control characters. It keeps line breaks and tabs.
func Visible(s string) string {
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

// OneLine replaces each line break and each other white space character with a space. It also
// makes control characters visible.
func OneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, Visible(s))
}

// ValueOrNone formats a value like Flow. If present is false, there is no value, and it returns
// "(not set)".
func ValueOrNone(v any, present bool) string {
	if !present {
		return "(not set)"
	}
	return Flow(v)
}
