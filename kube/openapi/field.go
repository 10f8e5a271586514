// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"maps"
	"slices"
	"strings"
)

// The methods below read one field of a map of a document. A field that is
// absent or null is the zero value; one of another type is a finding.

func (r *reader) text(m map[string]any, at *place, field string) string {
	v := m[field]
	s, ok := v.(string)
	if !ok && v != nil {
		r.fail(at.at(field), "want a string, found %s", shape(v))
	}
	return s
}

func (r *reader) flag(m map[string]any, at *place, field string) bool {
	v := m[field]
	b, ok := v.(bool)
	if !ok && v != nil {
		r.fail(at.at(field), "want true or false, found %s", shape(v))
	}
	return b
}

func (r *reader) mapping(m map[string]any, at *place, field string) map[string]any {
	v := m[field]
	sub, ok := v.(map[string]any)
	if !ok && v != nil {
		r.fail(at.at(field), "want a map, found %s", shape(v))
	}
	return sub
}

func (r *reader) list(m map[string]any, at *place, field string) []any {
	v := m[field]
	list, ok := v.([]any)
	if !ok && v != nil {
		r.fail(at.at(field), "want a list, found %s", shape(v))
	}
	return list
}

func (r *reader) texts(m map[string]any, at *place, field string) []string {
	var texts []string
	for i, v := range r.list(m, at, field) {
		s, ok := v.(string)
		if !ok {
			r.fail(at.at(field).item(i), "want a string, found %s", shape(v))
			continue
		}
		texts = append(texts, s)
	}
	return texts
}

func (r *reader) choice(m map[string]any, at *place, field string, choices ...string) string {
	s := r.text(m, at, field)
	if s != "" && !slices.Contains(choices, s) {
		r.fail(at.at(field), "want one of %s, found %q", strings.Join(choices, ", "), shorten(s))
		return ""
	}
	return s
}

// gvks reads x-kubernetes-group-version-kind, which is a list on definitions.
func (r *reader) gvks(m map[string]any, at *place) []gvk {
	const field = "x-kubernetes-group-version-kind"
	var gvks []gvk
	for i, v := range r.list(m, at, field) {
		at := at.at(field).item(i)
		e, ok := v.(map[string]any)
		if !ok {
			r.fail(at, "want a map, found %s", shape(v))
			continue
		}
		g := gvk{r.text(e, at, "group"), r.text(e, at, "version"), r.text(e, at, "kind")}
		if g.kind != "" {
			gvks = append(gvks, g)
		}
	}
	return gvks
}

// union is one group of x-kubernetes-unions.
type union struct {
	discriminator string
	// fields are the members in order, with the discriminator's value for each.
	fields, values []string
}

func (r *reader) unions(m map[string]any, at *place) []union {
	const field = "x-kubernetes-unions"
	var unions []union
	for i, v := range r.list(m, at, field) {
		at := at.at(field).item(i)
		e, ok := v.(map[string]any)
		if !ok {
			r.fail(at, "want a map, found %s", shape(v))
			continue
		}
		u := union{discriminator: r.text(e, at, "discriminator")}
		members := r.mapping(e, at, "fields-to-discriminateBy")
		for _, name := range sortedKeys(members) {
			u.fields = append(u.fields, name)
			u.values = append(u.values, r.text(members, at.at("fields-to-discriminateBy"), name))
		}
		unions = append(unions, u)
	}
	return unions
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
