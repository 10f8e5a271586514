// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package beta reads CustomResourceDefinitions of apiextensions.k8s.io/v1beta1 as API
// servers did: as those of v1. What v1beta1 says once for all versions belongs to each
// of them there.
package beta

import "maps"

// APIVersion is that of the CRDs which this package is for.
const APIVersion = "apiextensions.k8s.io/v1beta1"

// shared are the fields of a spec that hold for all versions, by their names in a
// version.
var shared = map[string]string{
	"schema":                   "validation",
	"subresources":             "subresources",
	"additionalPrinterColumns": "additionalPrinterColumns",
	"selectableFields":         "selectableFields",
}

// Spec returns the spec of a CRD as v1 has it. What it shares with the one given is not
// to be written to. Columns keep their JSONPath, whose name v1 writes jsonPath, and a
// spec that preserves unknown fields says so, which v1 leaves to stored CRDs.
func Spec(spec map[string]any) map[string]any {
	if spec == nil {
		return nil
	}
	out := maps.Clone(spec)
	for _, f := range []string{"version", "validation", "subresources", "additionalPrinterColumns", "selectableFields"} {
		delete(out, f)
	}
	if spec["scope"] == nil || spec["scope"] == "" {
		out["scope"] = "Namespaced"
	}
	if spec["preserveUnknownFields"] == nil {
		out["preserveUnknownFields"] = true
	}
	if c, ok := spec["conversion"].(map[string]any); ok {
		out["conversion"] = conversion(c)
	}
	given, isList := spec["versions"].([]any)
	if !isList && spec["versions"] != nil {
		return out // for the reader to complain about
	}
	if name, ok := spec["version"].(string); ok && name != "" && len(given) == 0 {
		given = []any{map[string]any{"name": name, "served": true, "storage": true}}
	}
	versions := make([]any, len(given))
	for i, v := range given {
		versions[i] = v
		m, ok := v.(map[string]any)
		if !ok {
			continue
		}
		m = maps.Clone(m)
		for field, top := range shared {
			if m[field] == nil && spec[top] != nil {
				m[field] = spec[top]
			}
		}
		versions[i] = m
	}
	if given != nil {
		out["versions"] = versions
	}
	return out
}

// Origin is where, below the spec, a field of the version at an index stands that Spec
// put there: in the version itself, or above all of them.
func Origin(spec map[string]any, index int, field string) []any {
	versions, _ := spec["versions"].([]any)
	if index < len(versions) {
		if m, _ := versions[index].(map[string]any); m[field] != nil {
			return []any{"versions", index, field}
		}
	}
	if top := shared[field]; top != "" && spec[top] != nil {
		return []any{top}
	}
	if index < len(versions) {
		return []any{"versions", index, field}
	}
	return []any{"version"}
}

// conversion is how v1 says how objects convert.
func conversion(c map[string]any) map[string]any {
	out := maps.Clone(c)
	client, reviews := c["webhookClientConfig"], c["conversionReviewVersions"]
	delete(out, "webhookClientConfig")
	delete(out, "conversionReviewVersions")
	if out["strategy"] == "Webhook" && reviews == nil {
		reviews = []any{"v1beta1"}
	}
	if client == nil && reviews == nil {
		return out
	}
	hook := map[string]any{}
	if client != nil {
		hook["clientConfig"] = client
	}
	if reviews != nil {
		hook["conversionReviewVersions"] = reviews
	}
	out["webhook"] = hook
	return out
}
