// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package beta converts CustomResourceDefinitions of apiextensions.k8s.io/v1beta1 to v1, as
// old API servers did. In v1beta1, a field of spec can apply to all versions. The package
// copies such fields to each version.
package beta

import "maps"

// APIVersion is the apiVersion of the CRDs that this package converts.
const APIVersion = "apiextensions.k8s.io/v1beta1"

// shared maps fields of the items of spec.versions to fields of spec. A v1beta1 CRD may have the field
// of spec instead of the fields of the items. For example, spec.validation replaces the field schema of
// each item.
var shared = map[string]string{
	"schema":                   "validation",
	"subresources":             "subresources",
	"additionalPrinterColumns": "additionalPrinterColumns",
	"selectableFields":         "selectableFields",
}

// Spec converts the spec of a v1beta1 CRD to v1, except for two details. Printer columns still have
// the field JSONPath, which is called jsonPath in v1. The default of preserveUnknownFields is still
// true. The result shares data with spec, so callers must not change it.
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
	versionsBefore, isList := spec["versions"].([]any)
	if !isList && spec["versions"] != nil {
		return out // the field versions has a wrong type, which the caller reports
	}
	if name, ok := spec["version"].(string); ok && name != "" && len(versionsBefore) == 0 {
		versionsBefore = []any{map[string]any{"name": name, "served": true, "storage": true}}
	}
	versions := make([]any, len(versionsBefore))
	for i, v := range versionsBefore {
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
	if versionsBefore != nil {
		out["versions"] = versions
	}
	return out
}

// Origin returns the path, relative to the v1beta1 spec, from which Spec took a field of a version.
// The field comes either from the version with this index, or from a field of spec that applies to
// all versions.
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

// conversion converts the field spec.conversion to v1.
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
