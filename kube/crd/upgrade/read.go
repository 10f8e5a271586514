// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"maps"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// read returns the tree of a definition. It adds the fields that every resource has, because schemas
// need not declare them. If spec.preserveUnknownFields is true, each object in the tree keeps undeclared
// fields.
func read(d *crd.Definition) *tree.Document {
	doc := tree.Read(d.Object().Content, nil)
	for _, v := range doc.Versions {
		if v.Schema == nil {
			continue
		}
		declareEmbedded(v.Schema)
		declareMeta(v.Schema)
		v.Schema.Required = append(v.Schema.Required, "apiVersion", "kind", "metadata")
		metadata := v.Schema.Properties["metadata"]
		metadata.Required = append(metadata.Required, "name")
		if doc.Preserves() {
			keepUndeclared(v.Schema)
		}
	}
	return doc
}

// fixKind makes the kind of the objects the only allowed value of the field kind in the schemas of d.
// Compare calls fixKind for the old definition. A new schema that also allows only this kind then
// accepts all old objects.
func fixKind(d *tree.Document) {
	for _, v := range d.Versions {
		if k := d.Names["kind"]; k != nil && v.Schema != nil {
			field := v.Schema.Properties["kind"]
			raw := map[string]any{}
			maps.Copy(raw, field.Raw) // nil if the schema of the field is not an object
			raw["enum"] = []any{k}
			field.Raw = raw
		}
	}
}

// declareEmbedded calls declareMeta for the embedded resources in n. API servers require apiVersion
// and kind there, but not metadata.
func declareEmbedded(n *tree.Node) {
	for _, below := range children(n) {
		declareEmbedded(below)
	}
	if n.Embedded {
		declareMeta(n)
		n.Required = append(n.Required, "apiVersion", "kind")
	}
}

// children returns the schemas of the fields, items and values of n.
func children(n *tree.Node) (all []*tree.Node) {
	for _, name := range n.Names() {
		all = append(all, n.Properties[name])
	}
	for _, below := range []*tree.Node{n.Items, n.Additional} {
		if below != nil {
			all = append(all, below)
		}
	}
	return all
}

// declareMeta adds apiVersion, kind and metadata to the schema of a resource, if the schema does not
// declare them. A server never drops these fields, whether or not the schema declares them.
func declareMeta(n *tree.Node) {
	text := func() *tree.Node { return impliedNode(n, "string") }
	texts := func() *tree.Node {
		m := impliedNode(n, "object")
		m.Additional = text()
		return m
	}
	addImplied(n, "apiVersion", text())
	addImplied(n, "kind", text())
	addImplied(n, "metadata", impliedNode(n, "object"))
	metadata := n.Properties["metadata"]
	metadata.Preserve = true
	for _, name := range []string{"name", "generateName", "namespace"} {
		addImplied(metadata, name, text())
	}
	for _, name := range []string{"labels", "annotations"} {
		addImplied(metadata, name, texts())
	}
}

func addImplied(n *tree.Node, name string, field *tree.Node) {
	if n.Properties == nil {
		n.Properties = map[string]*tree.Node{}
	}
	if n.Properties[name] == nil {
		n.Properties[name] = field
	}
}

// impliedNode returns the schema of a field that the schema of a resource does not declare. The place
// of the field is the place of the resource.
func impliedNode(resource *tree.Node, kind string) *tree.Node {
	return &tree.Node{At: resource.At, Kind: kind, Raw: map[string]any{"type": kind}}
}

// isImplied reports whether declareMeta added field to the schema n, because n does not declare it.
func isImplied(n, field *tree.Node) bool { return n.At == field.At }

// keepUndeclared lets every object in n keep undeclared fields.
func keepUndeclared(n *tree.Node) {
	if n.Kind == "object" || n.Kind == "" && !n.IntString {
		n.Preserve = true
	}
	for _, below := range children(n) {
		keepUndeclared(below)
	}
}

// hasOpenFields reports whether a schema accepts undeclared fields.
func hasOpenFields(n *tree.Node) bool { return n.Preserve || n.Additional != nil || n.AdditionalAllows }

// dropsFields reports whether the server drops fields that n, or a schema in n, does not declare. With
// additionalProperties: true, the server keeps all fields of the object, but drops the fields inside
// these fields.
func dropsFields(n *tree.Node) bool {
	if n.Kind == "object" && !hasOpenFields(n) || n.AdditionalAllows {
		return true
	}
	for _, below := range children(n) {
		if dropsFields(below) {
			return true
		}
	}
	return false
}

// holdsFields reports whether a value of n can be an object with fields, or a list of such objects.
func holdsFields(n *tree.Node) bool {
	switch {
	case n.Items != nil:
		return holdsFields(n.Items)
	case n.Kind == "":
		return n.Preserve
	}
	return n.Kind == "object" && (hasOpenFields(n) || len(n.Properties) > 0)
}

// acceptsAnything reports whether n accepts every value and drops nothing in it.
func acceptsAnything(n *tree.Node) bool {
	for k := range n.Raw {
		switch k {
		case "description", "title", "example", "externalDocs", "default", "nullable", "x-kubernetes-preserve-unknown-fields":
		default:
			return false
		}
	}
	return n.Preserve
}
