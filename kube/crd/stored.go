// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
)

// prunedDefaults returns the schema of a version as it is in force: what
// defaults hold in the metadata of embedded resources is accepted, whatever it
// is, and fields that metadata does not have are dropped from them then.
func (v *Version) prunedDefaults() (*structural.Structural, error) {
	pruned := v.schema.structural.DeepCopy()
	return pruned, defaulting.PruneDefaults(pruned)
}

// hasMetaDefault says whether there is a default in the apiVersion, kind or
// metadata of an embedded resource, n itself being in one if meta is set.
func (n *node) hasMetaDefault(meta bool) bool {
	found := meta && n.def != nil
	for name, p := range n.properties {
		found = found || p.hasMetaDefault(meta || n.embedded && isMeta(name))
	}
	if n.additional != nil {
		found = found || n.additional.hasMetaDefault(meta)
	}
	if n.items != nil {
		found = found || n.items.hasMetaDefault(meta)
	}
	return found
}

// withDefaults returns a copy of what n says, with the defaults of s.
func withDefaults(n *node, s *structural.Structural) map[string]any {
	m := make(map[string]any, len(n.raw))
	for k, v := range n.raw {
		m[k] = v
	}
	if n.def != nil {
		m["default"] = s.Default.Object
	}
	if n.properties != nil {
		props := make(map[string]any, len(n.properties))
		for name, p := range n.properties {
			below := s.Properties[name]
			props[name] = withDefaults(p, &below)
		}
		m["properties"] = props
	}
	if n.additional != nil {
		m["additionalProperties"] = withDefaults(n.additional, s.AdditionalProperties.Structural)
	}
	if n.items != nil {
		m["items"] = withDefaults(n.items, s.Items)
	}
	return m
}
