// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Change is something in a definition that is not as it was and may break what there is.
type Change struct {
	// Rule is the id of a rule of package internal/rules.
	Rule string
	// At is where in the new file it stands, or in the old one if it is gone.
	At manifest.Position
	// Version is the version it is about, empty for all, and Path the field, as in
	// .spec.ports[*].name; "." is the object.
	Version, Path string
	// Old and New are what a keyword said and says, nil for nothing.
	Old, New any
	// Message says what comes of it.
	Message string
}

// Compare returns what changes from old to now, which are of one group and plural, in the
// order of the versions and fields of old. A definition that has no structural schema is
// compared as far as it can be read.
func Compare(old, now *crd.Definition) []Change {
	c := &comparison{old: old, now: now}
	was, is := tree.Read(old.Object().Content, nil), tree.Read(now.Object().Content, nil)
	c.beside = align(was)
	c.conversion(was, is)
	for i, name := range list(was.Names["shortNames"]) {
		if !slices.Contains(list(is.Names["shortNames"]), name) {
			c.gone(was.SpecAt.At("names", "shortNames").Nth(i), ".", "short-name-gone", name, "%v is no name of it any more", name)
		}
	}
	for _, v := range was.Versions {
		if !v.Served {
			continue
		}
		c.version = v.Name
		w := find(is, v.Name)
		if w == nil || !w.Served {
			c.gone(v.At, ".", "version-gone", v.Name, "clients that ask for it are refused, and what they own in it is forgotten by the next write")
			continue
		}
		c.served(v, w)
	}
	c.storage(was, is)
	return c.changes
}

// values are the rules about what a schema takes, whatever else it says.
var values = []string{"type-changed", "null-refused", "enum-narrowed", "bound-tightened", "pattern-added", "pattern-changed", "conditions-changed", "rule-added"}

// CompareValues returns what a schema of an OpenAPI document takes no more that was taken by
// the one whose place it takes. Fields, their defaults and whether they are required are not
// compared, nor what is referred to. The changes have no positions.
func CompareValues(old, now map[string]any) []Change {
	c := &comparison{}
	c.schema("", tree.ReadSchema(dereferenced(old)), tree.ReadSchema(dereferenced(now)))
	return slices.DeleteFunc(c.changes, func(x Change) bool { return !slices.Contains(values, x.Rule) })
}

// dereferenced is a schema with references as schemas that take anything.
func dereferenced(schema map[string]any) map[string]any {
	of := func(m map[string]any) bool { return m["$ref"] != nil }
	all, _ := schema["allOf"].([]any)
	if of(schema) || len(all) == 1 && of(mapping(all[0])) {
		return map[string]any{"x-kubernetes-preserve-unknown-fields": true}
	}
	m := maps.Clone(schema)
	for _, k := range []string{"items", "additionalProperties"} {
		if below, ok := m[k].(map[string]any); ok {
			m[k] = dereferenced(below)
		}
	}
	if fields, ok := m["properties"].(map[string]any); ok {
		fields = maps.Clone(fields)
		for name, below := range fields {
			fields[name] = dereferenced(mapping(below))
		}
		m["properties"] = fields
	}
	return m
}

func find(d *tree.Document, version string) *tree.Version {
	i := slices.IndexFunc(d.Versions, func(v *tree.Version) bool { return v.Name == version })
	if i < 0 {
		return nil
	}
	return d.Versions[i]
}

type comparison struct {
	old, now *crd.Definition
	version  string
	changes  []Change
	// beside are, for each schema of old, those that its other versions have for the same
	// place.
	beside map[*tree.Node][]*tree.Node
}

// align fills beside in.
func align(d *tree.Document) map[*tree.Node][]*tree.Node {
	beside := map[*tree.Node][]*tree.Node{}
	var walk func(n, other *tree.Node)
	walk = func(n, other *tree.Node) {
		if n == nil || other == nil {
			return
		}
		beside[n] = append(beside[n], other)
		walk(n.Items, other.Items)
		walk(n.Additional, other.Additional)
		for name, f := range n.Properties {
			walk(f, other.Properties[name])
		}
	}
	for _, v := range d.Versions {
		for _, w := range d.Versions {
			if v != w {
				walk(v.Schema, w.Schema)
			}
		}
	}
	return beside
}

// add adds a change that stands in the new definition.
func (c *comparison) add(at *tree.Place, path, rule string, old, now any, format string, args ...any) {
	c.put(c.now, at, path, rule, old, now, format, args...)
}

// gone adds a change that stands in the old one only.
func (c *comparison) gone(at *tree.Place, path, rule string, old any, format string, args ...any) {
	c.put(c.old, at, path, rule, old, nil, format, args...)
}

func (c *comparison) put(d *crd.Definition, at *tree.Place, path, rule string, old, now any, format string, args ...any) {
	if path == "" {
		path = "."
	}
	var p manifest.Position
	if d != nil {
		p = d.Object().At(at.Steps()...)
	}
	c.changes = append(c.changes, Change{
		Rule: rule, At: manifest.Position{File: p.File, Line: p.Line}, Version: c.version, Path: path,
		Old: old, New: now, Message: fmt.Sprintf(format, args...),
	})
}

// conversion compares how versions are converted. It reports nothing unless there were several
// versions and still are.
func (c *comparison) conversion(was, is *tree.Document) {
	strategy := func(d *tree.Document) string {
		conversion, _ := d.Spec["conversion"].(map[string]any)
		if s, ok := conversion["strategy"].(string); ok {
			return s
		}
		return "None"
	}
	if a, b := strategy(was), strategy(is); a != b && len(was.Versions) > 1 && len(is.Versions) > 1 {
		c.add(is.SpecAt.At("conversion"), ".", "conversion-changed", a, b, "was %s and is %s: what one version has and another lacks may be lost, or come back", a, b)
	}
}

// served compares a version that both have.
func (c *comparison) served(was, is *tree.Version) {
	a, b := mapping(was.Raw["subresources"]), mapping(is.Raw["subresources"])
	for _, name := range []string{"status", "scale"} {
		switch had, has := a[name] != nil, b[name] != nil; {
		case had && !has:
			c.gone(was.At.At("subresources", name), ".", "subresource-gone", name, "requests to %s are refused", name)
		case has && !had && name == "status" && was.Schema != nil && (was.Schema.Properties[name] != nil || isMap(was.Schema)):
			c.add(is.At.At("subresources", name), ".status", "status-apart", nil, name, "requests but those to status do not write it any more")
		}
	}
	for i, f := range list(was.Raw["selectableFields"]) {
		path, _ := mapping(f)["jsonPath"].(string)
		if !slices.ContainsFunc(list(is.Raw["selectableFields"]), func(g any) bool { return mapping(g)["jsonPath"] == path }) {
			c.gone(was.At.At("selectableFields").Nth(i), path, "selectable-gone", path, "lists and watches that select by it are refused")
		}
	}
	if was.Schema != nil && is.Schema != nil {
		c.schema("", was.Schema, is.Schema)
	}
}

// storage compares the versions that are stored. Without conversion, fields that the stored
// version lacks are dropped whichever version they are sent in.
func (c *comparison) storage(was, is *tree.Document) {
	stored := func(d *tree.Document) *tree.Version {
		i := slices.IndexFunc(d.Versions, func(v *tree.Version) bool { return v.Storage })
		if i < 0 {
			return nil
		}
		return d.Versions[i]
	}
	a, b := stored(was), stored(is)
	if a == nil || b == nil || a.Name == b.Name {
		return
	}
	c.version = b.Name
	c.add(b.At.At("storage"), ".", "storage-version", a.Name, b.Name, "%s was stored and %s is: objects stay stored in the old one until they are written", a.Name, b.Name)
	if conversion, _ := is.Spec["conversion"].(map[string]any); a.Schema == nil || b.Schema == nil || conversion["strategy"] == "Webhook" {
		return
	}
	lost := &comparison{old: c.old, now: c.now, version: a.Name}
	lost.schema("", a.Schema, b.Schema)
	for _, l := range lost.changes {
		if l.Rule == "field-gone" || l.Rule == "unknown-fields-dropped" {
			l.Rule = "lost-in-storage"
			l.Message = fmt.Sprintf("%s has it, and %s, which is stored from now on, does not: it is dropped by the next write", a.Name, b.Name)
			c.changes = append(c.changes, l)
		}
	}
}

func mapping(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}
