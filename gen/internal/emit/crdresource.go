// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"fmt"
	"strings"
)

func resource(c *CRD, names, a map[string]any, scope string) string {
	if v, ok := a["path"].(string); ok {
		c.Plural = v
	}
	if v, ok := a["singular"].(string); ok {
		names["singular"] = v
	}
	for arg, field := range map[string]string{"shortName": "shortNames", "categories": "categories"} {
		if v, ok := a[arg]; ok {
			names[field] = listed(v)
		}
	}
	if v, ok := a["scope"].(string); ok {
		return v
	}
	return scope
}

func listed(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

func renamed(a map[string]any, names map[string]string) map[string]any {
	out := map[string]any{}
	for from, to := range names {
		if v, ok := a[from]; ok {
			out[to] = v
		}
	}
	return out
}

func subresources(out map[string]any) map[string]any {
	m, ok := out["subresources"].(map[string]any)
	if !ok {
		m = map[string]any{}
		out["subresources"] = m
	}
	return m
}

func subresource(out map[string]any, name string, v map[string]any) { subresources(out)[name] = v }

func appendTo(out map[string]any, name string, v any) {
	old, _ := out[name].([]any)
	out[name] = append(old, v)
}

// pairs puts texts of the form name=value into a map.
func pairs(into map[string]any, v any) {
	if v == nil {
		return
	}
	for _, p := range listed(v) {
		if name, value, ok := strings.Cut(fmt.Sprint(p), "="); ok {
			into[name] = value
		}
	}
}

// plural returns the plural of a kind, in lower case, as English has it for most
// words. +kubebuilder:resource:path says it for others.
func plural(kind string) string {
	word := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "sh"), strings.HasSuffix(word, "ch"), strings.HasSuffix(word, "x"), strings.HasSuffix(word, "z"):
		return word + "es"
	case strings.HasSuffix(word, "is"):
		return strings.TrimSuffix(word, "is") + "es"
	case strings.HasSuffix(word, "us"):
		return word + "es"
	case strings.HasSuffix(word, "s"):
		return word
	case strings.HasSuffix(word, "y") && len(word) > 1 && !strings.ContainsRune("aeiou", rune(word[len(word)-2])):
		return strings.TrimSuffix(word, "y") + "ies"
	}
	return word + "s"
}
