// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import "github.com/dovetail-ssa/dovetail/schema"

// unknownFields puts on a type of a CRD what pruning does to the fields it does
// not declare. n is where the type came from. schemaconv does not tell: it opens
// objects without properties, and all below x-kubernetes-preserve-unknown-fields,
// while the API server drops every field that no property and no
// additionalProperties stand for, but directly where the extension is. preserved
// says that it is on the list whose items these are.
func unknownFields(a *schema.Atom, n *node, preserved bool) {
	preserved = preserved || n.preserve
	if a.Map != nil {
		unknownFieldsOf(a.Map, n, preserved)
	}
	if a.List != nil && n.items != nil {
		unknownFields(&a.List.ElementType.Inlined, n.items, preserved)
	}
}

func unknownFieldsOf(m *schema.Map, n *node, preserved bool) {
	for i := range m.Fields {
		f := &m.Fields[i]
		if p, ok := n.properties[f.Name]; ok && p.target() == "" {
			unknownFields(&f.Type.Inlined, p, false)
		}
	}
	allowed := m.ElementType != (schema.TypeRef{})
	switch {
	case n.open && n.additional == nil:
		// Any value is allowed, and nothing is known of it.
		m.UnknownFields = schema.ShallowUnknown
	case n.additional != nil:
		unknownFields(&m.ElementType.Inlined, n.additional, false)
	case preserved && (!allowed || n.kind == ""):
		// What is of any type allows null only where it says so, as this policy has it.
		m.UnknownFields = schema.PreserveUnknown
	case !preserved && allowed:
		m.UnknownFields = schema.PruneUnknown
	}
}
