// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Change is a difference between two definitions that may break existing objects or
// clients.
type Change struct {
	// Rule is the id of the rule in package internal/rules.
	Rule string
	// At is the position of the change in the new file. If the change is a removal, At is the
	// position in the old file.
	At manifest.Position
	// Version is the version with the change, or "" if the change concerns all versions. Path is
	// the changed field, such as .spec.ports[*].name, or "." for the whole object.
	Version, Path string
	// Old and New are the old and the new value of the keyword. nil means that the keyword is
	// absent.
	Old, New any
	// Message describes the effect.
	Message string
}

// Compare returns the breaking changes between an old and a new definition, in the order of the old
// versions and fields. Both definitions must have the same group and plural. If a schema is not
// structural, Compare reads as much of it as it can.
func Compare(old, now *crd.Definition) []Change {
	c := &comparison{old: old, now: now}
	before, after := read(old), read(now)
	fixKind(before)
	c.siblings = siblingSchemas(before)
	if strategy(after) != "Webhook" {
		c.stored = storedSchemas(before)
	}
	c.conversion(before, after)
	c.pruning(before, after)
	c.names(before, after)
	for _, v := range before.Versions {
		if !v.Served {
			continue
		}
		c.version = v.Name
		w := find(after, v.Name)
		if w == nil || !w.Served {
			c.addRemoved(v.At, ".", "version-gone", v.Name, "the version is no longer served: requests for it fail, and the next write of an object removes the field ownership recorded in it")
			continue
		}
		c.served(v, w)
	}
	c.storage(before, after)
	return c.changes
}

// valueRules lists the rules for changes of the values that a schema accepts.
var valueRules = []string{"type-changed", "null-refused", "enum-narrowed", "bound-tightened", "pattern-added", "pattern-changed", "conditions-changed", "rule-added"}

// CompareValues compares two OpenAPI schemas. It returns a Change for each difference that
// makes the new schema reject values that the old schema accepts. It does not compare fields,
// defaults, required fields or references. The changes have no positions.
func CompareValues(old, now map[string]any) []Change {
	c := &comparison{}
	c.schema("", tree.ReadSchema(withoutReferences(old)), tree.ReadSchema(withoutReferences(now)))
	return slices.DeleteFunc(c.changes, func(x Change) bool { return !slices.Contains(valueRules, x.Rule) })
}

// withoutReferences returns a copy of schema in which each reference accepts any value.
func withoutReferences(schema map[string]any) map[string]any {
	isReference := func(m map[string]any) bool { return m["$ref"] != nil }
	all, _ := schema["allOf"].([]any)
	if isReference(schema) || len(all) == 1 && isReference(mapping(all[0])) {
		return map[string]any{"x-kubernetes-preserve-unknown-fields": true, "nullable": true}
	}
	m := maps.Clone(schema)
	for _, k := range []string{"items", "additionalProperties"} {
		if below, ok := m[k].(map[string]any); ok {
			m[k] = withoutReferences(below)
		}
	}
	if fields, ok := m["properties"].(map[string]any); ok {
		fields = maps.Clone(fields)
		for name, below := range fields {
			fields[name] = withoutReferences(mapping(below))
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
	// siblings maps each schema of the old definition to the schemas of the same field in the other
	// old versions.
	siblings map[*tree.Node][]*tree.Node
	// stored maps each schema of the old definition to the schema of the same field in the old storage
	// version. It is empty if a webhook converts objects.
	stored map[*tree.Node]storedSchema
	// startsPruning is true if only the old definition has preserveUnknownFields: true.
	startsPruning bool
	// removed lists the rules with oldSelf that were removed from the schema being compared or
	// from a schema around it.
	removed []*removedRule
	// fixed is true inside a value that a generated rule makes immutable.
	fixed bool
}

// storedSchema is a schema of the old storage version, with the name of this version.
type storedSchema struct {
	version string
	schema  *tree.Node
}

// siblingSchemas computes comparison.siblings.
func siblingSchemas(d *tree.Document) map[*tree.Node][]*tree.Node {
	siblings := map[*tree.Node][]*tree.Node{}
	for _, v := range d.Versions {
		for _, w := range d.Versions {
			if v != w {
				pair(v.Schema, w.Schema, func(n, other *tree.Node) { siblings[n] = append(siblings[n], other) })
			}
		}
	}
	return siblings
}

// storedSchemas computes comparison.stored.
func storedSchemas(d *tree.Document) map[*tree.Node]storedSchema {
	stored, w := map[*tree.Node]storedSchema{}, storageVersion(d)
	for _, v := range d.Versions {
		if w != nil && v != w {
			pair(v.Schema, w.Schema, func(n, other *tree.Node) { stored[n] = storedSchema{w.Name, other} })
		}
	}
	return stored
}

// pair calls f for the two schemas, and for the schemas inside them that have the same path in both.
func pair(n, other *tree.Node, f func(n, other *tree.Node)) {
	if n == nil || other == nil {
		return
	}
	f(n, other)
	pair(n.Items, other.Items, f)
	pair(n.Additional, other.Additional, f)
	for name, below := range n.Properties {
		pair(below, other.Properties[name], f)
	}
}

// add records a change at a place in the new definition.
func (c *comparison) add(at *tree.Place, path, rule string, old, now any, format string, args ...any) {
	c.append(c.now, at, path, rule, old, now, format, args...)
}

// addRemoved records a change at a place that only the old definition has.
func (c *comparison) addRemoved(at *tree.Place, path, rule string, old any, format string, args ...any) {
	c.append(c.old, at, path, rule, old, nil, format, args...)
}

func (c *comparison) append(d *crd.Definition, at *tree.Place, path, rule string, old, now any, format string, args ...any) {
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

// conversion compares the conversion strategies. It reports nothing if either
// definition has only one version.
func (c *comparison) conversion(before, after *tree.Document) {
	if a, b := strategy(before), strategy(after); a != b && len(before.Versions) > 1 && len(after.Versions) > 1 {
		c.add(after.SpecAt.At("conversion"), ".", "conversion-changed", a, b, "the conversion changed from %s to %s: fields that exist only in some versions may be lost or reappear", a, b)
	}
}

// pruning reports that servers start to drop undeclared fields, because preserveUnknownFields is no
// longer true.
func (c *comparison) pruning(before, after *tree.Document) {
	if !before.Preserves() || after.Preserves() {
		return
	}
	c.startsPruning = true
	if slices.ContainsFunc(after.Versions, func(v *tree.Version) bool { return v.Schema != nil && dropsFields(v.Schema) }) {
		c.add(after.SpecAt.At("preserveUnknownFields"), ".", "unknown-fields-dropped", true, nil, "preserveUnknownFields is no longer true: fields that the schema does not declare are now dropped")
	}
}

// names reports the names of the resource that are no longer valid in commands.
func (c *comparison) names(before, after *tree.Document) {
	singular := func(d *tree.Document) string {
		if s, ok := d.Names["singular"].(string); ok && s != "" {
			return s
		}
		kind, _ := d.Names["kind"].(string)
		return strings.ToLower(kind)
	}
	plural, _ := after.Names["plural"].(string)
	kept := append(texts(after.Names["shortNames"]), singular(after), plural)
	at := before.SpecAt.At("names")
	for i, name := range texts(before.Names["shortNames"]) {
		if name != "" && !slices.Contains(kept, name) {
			c.addRemoved(at.At("shortNames").Nth(i), ".", "short-name-gone", name, "the short name %s was removed; commands that use it fail", name)
		}
	}
	if name := singular(before); !slices.Contains(kept, name) {
		c.addRemoved(at.At("singular"), ".", "short-name-gone", name, "the singular name %s was removed; commands that use it fail", name)
	}
	categories := texts(after.Names["categories"])
	for i, name := range texts(before.Names["categories"]) {
		if name != "" && !slices.Contains(categories, name) {
			c.addRemoved(at.At("categories").Nth(i), ".", "short-name-gone", name, "the category %s was removed; kubectl get %s no longer lists the objects", name, name)
		}
	}
}

// strategy returns the conversion strategy of a definition.
func strategy(d *tree.Document) string {
	if s, ok := mapping(d.Spec["conversion"])["strategy"].(string); ok {
		return s
	}
	return "None"
}

// served compares a version that both definitions serve.
func (c *comparison) served(before, after *tree.Version) {
	a, b := mapping(before.Raw["subresources"]), mapping(after.Raw["subresources"])
	for _, name := range []string{"status", "scale"} {
		switch hadBefore, hasAfter := a[name] != nil, b[name] != nil; {
		case hadBefore && !hasAfter:
			c.addRemoved(before.At.At("subresources", name), ".", "subresource-gone", name, "the subresource %s was removed: requests to it fail", name)
		case hasAfter && !hadBefore && name == "status" && before.Schema != nil && (before.Schema.Properties[name] != nil || hasOpenFields(before.Schema)):
			c.add(after.At.At("subresources", name), ".status", "status-apart", nil, name, "status is now a subresource: only requests to the subresource write this field, and all other requests ignore it")
		}
	}
	if a["scale"] != nil && b["scale"] != nil {
		c.scale(before, after)
	}
	for i, f := range list(before.Raw["selectableFields"]) {
		path, _ := mapping(f)["jsonPath"].(string)
		if !slices.ContainsFunc(list(after.Raw["selectableFields"]), func(g any) bool { return mapping(g)["jsonPath"] == path }) {
			c.addRemoved(before.At.At("selectableFields").Nth(i), path, "selectable-gone", path, "this selectable field was removed: lists and watches that select by it fail")
		}
	}
	if before.Schema != nil && after.Schema != nil {
		c.schema("", before.Schema, after.Schema)
	}
}

// scale compares the paths of the subresource scale.
func (c *comparison) scale(before, after *tree.Version) {
	at := func(v *tree.Version, k string) (path string, place *tree.Place) {
		path, _ = mapping(mapping(v.Raw["subresources"])["scale"])[k].(string)
		return path, v.Part("subresources").At("scale", k)
	}
	for _, k := range []string{"specReplicasPath", "statusReplicasPath", "labelSelectorPath"} {
		old, was := at(before, k)
		now, is := at(after, k)
		switch {
		case old == "" || old == now:
		case now == "":
			c.addRemoved(was, old, "scale-path", old, "the %s of the subresource scale was removed: autoscalers, which need it, fail", k)
		default:
			clients := "autoscalers"
			if k == "specReplicasPath" {
				clients = "autoscalers and kubectl scale"
			}
			c.add(is, old, "scale-path", old, now, "the %s of the subresource scale changed from %s to %s: %s now use a different field", k, old, now, clients)
		}
	}
}

// storage compares the old storage version, in which objects are stored, with the new storage
// version and with the versions that the new definition starts to serve. When a client writes an
// object in any version, the server drops the fields that the storage version does not declare.
// When a client uses a new version, the server reads stored objects in this version. With a
// conversion webhook, storage does not compare schemas, because the webhook may change objects.
func (c *comparison) storage(before, after *tree.Document) {
	a, b := storageVersion(before), storageVersion(after)
	if a == nil || b == nil {
		return
	}
	if a.Name != b.Name {
		c.version = b.Name
		c.add(b.At.At("storage"), ".", "storage-version", a.Name, b.Name, "the storage version changed from %s to %s: an object stays in the old version until its next write", a.Name, b.Name)
	}
	if a.Schema == nil || strategy(after) == "Webhook" {
		return
	}
	for _, w := range after.Versions {
		starts := startsToServe(before, w)
		if w.Schema == nil || w.Name == a.Name || !w.Storage && !starts {
			continue
		}
		changes := &comparison{old: c.old, now: c.now, version: a.Name, siblings: c.siblings, startsPruning: c.startsPruning}
		changes.schema("", a.Schema, w.Schema)
		for _, l := range changes.changes {
			switch {
			case l.Path == ".apiVersion": // the conversion changes it
				continue
			case l.Rule == "field-gone" || l.Rule == "unknown-fields-dropped":
				if !w.Storage {
					continue
				}
				l.Rule = "lost-in-storage"
				l.Message = fmt.Sprintf("%s has this field, but the new storage version %s does not: the next write of an object drops it", a.Name, w.Name)
			case !starts || !concernsStored(l, w.Storage):
				continue
			default:
				l.Version = w.Name
				l.Message = fmt.Sprintf("compared with the old storage version %s, %s", a.Name, l.Message)
			}
			c.changes = append(c.changes, l)
		}
	}
}

// concernsStored reports whether a difference between the old storage version and a new version
// concerns stored objects. The argument storage is true if the new version is the storage version. If
// it is false, only the rule items-unique concerns stored objects. Every other difference then matters
// only to clients that choose the new version.
func concernsStored(c Change, storage bool) bool {
	text, _ := c.New.(string)
	switch {
	case c.Rule == "items-unique":
		return true
	case !storage, c.Rule == "rule-added" && oldSelf.MatchString(text): // a rule about updates
		return false
	}
	return slices.Contains(valueRules, c.Rule) || c.Rule == "field-required" || c.Rule == "field-declared"
}

func storageVersion(d *tree.Document) *tree.Version {
	i := slices.IndexFunc(d.Versions, func(v *tree.Version) bool { return v.Storage })
	if i < 0 {
		return nil
	}
	return d.Versions[i]
}

// startsToServe reports whether w is a version that the definition before does not serve.
func startsToServe(before *tree.Document, w *tree.Version) bool {
	v := find(before, w.Name)
	return w.Served && (v == nil || !v.Served)
}

// NewVersion is a version in which clients start to read stored objects, or in which the server
// starts to store them. Servers convert stored objects to it by name: they change only apiVersion,
// and drop undeclared fields.
type NewVersion struct {
	// Stored is the old storage version. Name is the new version.
	Stored, Name string
	// Served is true if only the new definition serves the version. Storage is true if the version
	// is the new storage version. At least one of them is true.
	Served, Storage bool
}

// NewVersions returns the versions that only the new definition serves. If the storage versions of the
// definitions differ, the result also contains the new storage version. NewVersions returns nil if the
// old definition has no storage version. It also returns nil if the new definition has a conversion
// webhook, because the webhook may change objects. Both definitions must have the same group and
// plural.
func NewVersions(old, now *crd.Definition) (all []NewVersion) {
	before, after := tree.Read(old.Object().Content, nil), tree.Read(now.Object().Content, nil)
	a := storageVersion(before)
	if a == nil || strategy(after) == "Webhook" {
		return nil
	}
	for _, w := range after.Versions {
		if served := startsToServe(before, w); w.Name != a.Name && (served || w.Storage) {
			all = append(all, NewVersion{Stored: a.Name, Name: w.Name, Served: served, Storage: w.Storage})
		}
	}
	return all
}

func mapping(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// texts returns the strings in a list. An item that is not a string becomes "".
func texts(v any) []string {
	all := make([]string, len(list(v)))
	for i, x := range list(v) {
		all[i], _ = x.(string)
	}
	return all
}
