// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/schema"
)

// AddMarkers sets markers in definitions of the catalog, and replaces existing markers.
// Use AddMarkers if a document lacks a marker or has a wrong one. doc is a table of
// definitions, paths and markers:
//
//	io.k8s.api.core.v1.Container:
//	  ports:
//	    x-kubernetes-list-type: map
//	    x-kubernetes-list-map-keys: [containerPort, protocol, hostPort, hostIP]
//	com.example.v1.Database:
//	  spec.strategy:
//	    x-kubernetes-unions:
//	    - discriminator: type
//	      fields-to-discriminateBy: {rollingUpdate: RollingUpdate}
//
// Paths are written as for AddDefaults. The list type is "set", "atomic" or "map". A list of
// type map needs keys. For a union, fields-to-discriminateBy maps each member to its
// discriminator value. A union need not have a discriminator. An empty list removes all
// unions.
//
// AddMarkers returns an error if the catalog lacks the definition or the field, or if the
// field is not a list or map. It also rejects unknown markers, keys or union members that are
// not fields, and keys that are not scalars. If a key is neither required nor has a default,
// AddMarkers adds a warning.
func (c *Catalog) AddMarkers(name string, doc []byte) error {
	top, err := topLevel(Document{name, doc})
	if err != nil {
		return err
	}
	f := &findings{}
	r := &reader{source: &source{findings: f}, doc: name}
	defs := c.edit(r, top, func(own *definition, path string, v any, at *place) {
		if s, ok := c.targetAt(r, &own.typ, path, at); ok {
			c.addMarkers(r, own, s, v, at)
		}
	})
	if err := f.err(); err != nil {
		return err
	}
	c.commit(defs, nil, f.warnings())
	return nil
}

const (
	listTypeMarker = "x-kubernetes-list-type"
	listKeysMarker = "x-kubernetes-list-map-keys"
	unionsMarker   = "x-kubernetes-unions"
)

// addMarkers sets the markers in v at a place in a definition.
func (c *Catalog) addMarkers(r *reader, own *definition, s defaultTarget, v any, at *place) {
	if name := s.ref.NamedType; name != nil {
		r.fail(at, "the path leads to another definition; add the markers to %s instead", *name)
		return
	}
	markers, ok := v.(map[string]any)
	if !ok {
		r.fail(at, "want a map of markers, found %s", shape(v))
		return
	}
	for _, name := range sortedKeys(markers) {
		if !slices.Contains([]string{listTypeMarker, listKeysMarker, unionsMarker}, name) {
			r.fail(at.at(name), "want %s, %s or %s, found %q", listTypeMarker, listKeysMarker, unionsMarker, shorten(name))
		}
	}
	if _, ok := markers[unionsMarker]; ok {
		own.unions = true
		r.addUnions(s.ref.Inlined.Map, markers, at)
	}
	if markers[listTypeMarker] != nil || markers[listKeysMarker] != nil {
		c.addListType(r, s.ref.Inlined.List, markers, at)
	}
}

func (r *reader) addUnions(m *schema.Map, markers map[string]any, at *place) {
	if m == nil || m.ElementRelationship.IsAtomic() {
		r.fail(at, "%s are only allowed on a map that is not atomic", unionsMarker)
		return
	}
	m.Unions = nil
	for i, u := range r.unions(markers, at) {
		at := at.at(unionsMarker).item(i)
		if len(u.fields) == 0 {
			r.fail(at, "want members in fields-to-discriminateBy, found none")
		}
		for _, name := range slices.Concat([]string{u.discriminator}, u.fields) {
			if _, ok := m.FindField(name); !ok && name != "" {
				r.fail(at, "the map has no field %q", shorten(name))
			}
		}
		m.Unions = append(m.Unions, u.schema())
	}
}

func (c *Catalog) addListType(r *reader, l *schema.List, markers map[string]any, at *place) {
	if l == nil {
		r.fail(at, "x-kubernetes-list-type is only allowed on a list")
		return
	}
	kind := r.choice(markers, at, listTypeMarker, "atomic", "set", "map")
	keys := r.texts(markers, at, listKeysMarker)
	if kind == "" && len(l.Keys) > 0 {
		kind = "map"
	}
	switch {
	case kind == "map" && len(keys) == 0:
		r.fail(at, "%s is map, so the list also needs %s", listTypeMarker, listKeysMarker)
		return
	case kind != "map" && len(keys) > 0:
		r.fail(at, "%s is only allowed if %s is map", listKeysMarker, listTypeMarker)
		return
	}
	l.Keys = keys
	l.ElementRelationship = schema.Associative
	if kind == "atomic" {
		l.ElementRelationship = schema.Atomic
	}
	item := c.item(l.ElementType, nil)
	if kind == "set" && c.atomOf(l.ElementType, nil).Scalar == nil {
		r.fail(at, "the list type set is only allowed for a list of scalars; use map or atomic")
	}
	if kind != "map" {
		return
	}
	if item == nil {
		r.fail(at, "x-kubernetes-list-map-keys are only allowed on a list of maps")
		return
	}
	for _, key := range keys {
		field, ok := item.FindField(key)
		switch {
		case !ok:
			r.fail(at, "the items have no field %q", shorten(key))
		case c.atomOf(field.Type, nil).Scalar == nil:
			r.fail(at, "the key %q must be a scalar, found %s", shorten(key), atomName(c.atomOf(field.Type, nil)))
		case field.Type.Nullable:
			r.fail(at, "the key %q must not be nullable", shorten(key))
		case field.Default == nil && !slices.Contains(item.Required, key):
			r.warn(at, "the key %q is neither required nor has a default, so items without it have no complete identity; require it, or add a default", shorten(key))
		}
	}
}

// knownUnions contains the unions that the option KnownUnions adds. Where OpenAPI documents contain
// these unions, they have a wrong discriminator value: the name of the member with an upper-case
// first letter. This table has the values that objects really use.
var knownUnions = map[string][]schema.Union{
	"io.k8s.api.apps.v1.DaemonSetUpdateStrategy":   {typeUnion("rollingUpdate", "RollingUpdate")},
	"io.k8s.api.apps.v1.DeploymentStrategy":        {typeUnion("rollingUpdate", "RollingUpdate")},
	"io.k8s.api.apps.v1.StatefulSetUpdateStrategy": {typeUnion("rollingUpdate", "RollingUpdate")},
	"io.k8s.api.core.v1.AppArmorProfile":           {typeUnion("localhostProfile", "Localhost")},
	"io.k8s.api.core.v1.SeccompProfile":            {typeUnion("localhostProfile", "Localhost")},
}

func typeUnion(member, value string) schema.Union {
	return schema.Union{Discriminator: ptr("type"), Fields: []schema.UnionField{{FieldName: member, DiscriminatorValue: value}}}
}

// withUnions sets the known unions of a type, given its name. If the type lacks a field of a known
// union, withUnions returns the type unchanged.
func withUnions(name string, a schema.Atom) schema.Atom {
	unions, ok := knownUnions[name]
	if !ok || a.Map == nil {
		return a
	}
	for _, u := range unions {
		for _, f := range u.Fields {
			if _, ok := a.Map.FindField(f.FieldName); !ok {
				return a
			}
		}
	}
	m := copyMap(a.Map)
	m.Unions = unions
	a.Map = m
	return a
}
