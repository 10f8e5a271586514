// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"slices"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// Node is a schema as written in a CRD.
type Node struct {
	At *Place
	// Raw is the schema as plain data.
	Raw map[string]any

	Kind, Pattern        string
	Nullable, Unique     bool
	Embedded, IntString  bool
	Preserve             bool // x-kubernetes-preserve-unknown-fields is true
	PreserveSet          bool // x-kubernetes-preserve-unknown-fields is present, with the value true or false
	Def                  any  // the default, or nil
	Required             []string
	Properties           map[string]*Node
	Items                *Node
	Tuple                bool // items is a list of schemas
	Additional           *Node
	AdditionalSet        bool // additionalProperties is present, with a schema or a boolean
	AdditionalAllows     bool // additionalProperties is true
	AllOf, AnyOf, OneOf  []*Node
	Not                  *Node
	ListType, MapType    string
	ListTyped, MapTyped  bool
	Keys                 []string
	Rules                []Rule
	Unsupported, Unknown []string // keywords that CRDs must not use, and keywords that are not known

	// Structural is the same schema as the type that the API server's libraries use.
	// Version.Convert sets this field, except in schemas below allOf, anyOf, oneOf and not.
	Structural *structural.Structural
}

// Rule is an item of x-kubernetes-validations.
type Rule struct {
	At                                             *Place
	Text, Message, MessageExpression, Field        string
	Reason                                         string
	HasReason, HasOptionalOldSelf, OptionalOldSelf bool
}

const (
	// maxDepth limits the nesting of schemas. Published CRDs nest up to about 30 levels.
	// Package openapi has the same limit.
	maxDepth = 500
	// maxSchemas limits the number of schemas in a CRD. At most about 30,000 fit into etcd.
	maxSchemas = 100_000
)

// schemaReader reads the schemas of one CRD.
type schemaReader struct {
	Reader
	count int
}

// unsupported lists the JSON Schema keywords that CRDs must not use.
var unsupported = []string{"$ref", "$schema", "additionalItems", "definitions", "dependencies", "id", "patternProperties"}

// Keywords lists all JSON Schema keywords and all extensions that this package knows.
var Keywords = append(slices.Concat(unsupported, Markers), "description", "type", "format", "title", "default", "maximum",
	"exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems",
	"uniqueItems", "multipleOf", "enum", "maxProperties", "minProperties", "required", "items", "allOf", "oneOf", "anyOf",
	"not", "properties", "additionalProperties", "externalDocs", "example", "nullable",
	"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
	"x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-validations")

// schema reads a schema and reports values of a wrong type. The result is never nil.
func (r *schemaReader) schema(v any, at *Place, depth int) *Node {
	n := &Node{At: at, Raw: r.Item(v, at)}
	r.count++
	if r.count == maxSchemas+1 {
		r.report(tooLarge, at, "want at most %d schemas in a CRD, found more", maxSchemas)
	}
	if depth > maxDepth {
		r.report(tooDeep, at, "want at most %d nested schemas, found more", maxDepth)
		return n
	}
	if r.count > maxSchemas {
		return n
	}
	r.scalars(n)
	r.children(n, depth)
	r.extensions(n)
	for _, k := range SortedKeys(n.Raw) {
		switch {
		case slices.Contains(unsupported, k):
			n.Unsupported = append(n.Unsupported, k)
		case !slices.Contains(Keywords, k):
			n.Unknown = append(n.Unknown, k)
		}
	}
	return n
}

func (r *schemaReader) scalars(n *Node) {
	m, at := n.Raw, n.At
	n.Kind = r.Text(m, at, "type")
	n.Pattern = r.Text(m, at, "pattern")
	n.Nullable = r.Flag(m, at, "nullable")
	n.Unique = r.Flag(m, at, "uniqueItems")
	n.Def = m["default"]
	n.Required = r.Texts(m, at, "required")
	for _, f := range []string{"format", "title", "description", "$ref", "id", "$schema"} {
		r.Text(m, at, f)
	}
	for _, f := range []string{"exclusiveMaximum", "exclusiveMinimum"} {
		r.Flag(m, at, f)
	}
	for _, f := range []string{"maximum", "minimum", "multipleOf"} {
		r.number(m, at, f)
	}
	for _, f := range []string{"maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"} {
		r.Integer(m, at, f)
	}
	r.List(m, at, "enum")
	docs := r.Mapping(m, at, "externalDocs")
	r.Text(docs, at.At("externalDocs"), "url")
	r.Text(docs, at.At("externalDocs"), "description")
}

func (r *schemaReader) children(n *Node, depth int) {
	m, at := n.Raw, n.At
	if p := r.Mapping(m, at, "properties"); p != nil {
		n.Properties = make(map[string]*Node, len(p))
		below := at.At("properties")
		for _, name := range SortedKeys(p) {
			n.Properties[name] = r.schema(p[name], below.At(name), depth+1)
		}
	}
	switch a := m["additionalProperties"].(type) {
	case nil:
	case bool:
		n.AdditionalSet, n.AdditionalAllows = true, a
	case map[string]any:
		n.AdditionalSet = true
		n.Additional = r.schema(a, at.At("additionalProperties"), depth+1)
	default:
		r.wrong(at.At("additionalProperties"), "a schema, true or false", a)
	}
	switch items := m["items"].(type) {
	case nil:
	case map[string]any:
		n.Items = r.schema(items, at.At("items"), depth+1)
	case []any:
		n.Tuple = len(items) > 0
	default:
		r.wrong(at.At("items"), "a schema", items)
	}
	n.AllOf = r.branches(n, "allOf", depth)
	n.AnyOf = r.branches(n, "anyOf", depth)
	n.OneOf = r.branches(n, "oneOf", depth)
	if v := m["not"]; v != nil {
		n.Not = r.schema(v, at.At("not"), depth+1)
	}
}

func (r *schemaReader) branches(n *Node, field string, depth int) []*Node {
	var all []*Node
	for i, v := range r.List(n.Raw, n.At, field) {
		all = append(all, r.schema(v, n.At.At(field).Nth(i), depth+1))
	}
	return all
}

func (r *schemaReader) extensions(n *Node) {
	m, at := n.Raw, n.At
	n.Preserve, n.PreserveSet = r.OptionalFlag(m, at, "x-kubernetes-preserve-unknown-fields")
	n.Embedded = r.Flag(m, at, "x-kubernetes-embedded-resource")
	n.IntString = r.Flag(m, at, "x-kubernetes-int-or-string")
	n.ListType, n.ListTyped = r.OptionalText(m, at, "x-kubernetes-list-type")
	n.MapType, n.MapTyped = r.OptionalText(m, at, "x-kubernetes-map-type")
	n.Keys = r.Texts(m, at, "x-kubernetes-list-map-keys")
	for i, v := range r.List(m, at, "x-kubernetes-validations") {
		at := at.At("x-kubernetes-validations").Nth(i)
		m := r.Item(v, at)
		x := Rule{At: at}
		x.Text = r.Text(m, at, "rule")
		x.Message = r.Text(m, at, "message")
		x.MessageExpression = r.Text(m, at, "messageExpression")
		x.Field = r.Text(m, at, "fieldPath")
		x.Reason, x.HasReason = r.OptionalText(m, at, "reason")
		x.OptionalOldSelf, x.HasOptionalOldSelf = r.OptionalFlag(m, at, "optionalOldSelf")
		n.Rules = append(n.Rules, x)
	}
}

// Names returns the names of the properties in alphabetical order.
func (n *Node) Names() []string { return SortedKeys(n.Properties) }

// Has reports whether n sets a keyword to a value that has an effect. The values null,
// false and "" have no effect.
func (n *Node) Has(keyword string) bool {
	switch v := n.Raw[keyword].(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	}
	return true
}

// Each calls f for the properties of n in the order of their names, then for additionalProperties and
// for items. It skips the schemas in allOf, anyOf, oneOf and not, which Nested visits.
func (n *Node) Each(f func(child *Node)) {
	for _, name := range n.Names() {
		f(n.Properties[name])
	}
	if n.Additional != nil {
		f(n.Additional)
	}
	if n.Items != nil {
		f(n.Items)
	}
}

// Nested calls f for the schemas in allOf, anyOf, oneOf and not of n. These schemas only restrict
// values, while the schemas that Each visits also declare fields.
func (n *Node) Nested(f func(child *Node)) {
	for _, list := range [][]*Node{n.AllOf, n.AnyOf, n.OneOf} {
		for _, c := range list {
			f(c)
		}
	}
	if n.Not != nil {
		f(n.Not)
	}
}

// IsMeta reports whether name is a field that every resource has.
func IsMeta(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// OrNone returns s, or "none" if s is empty. It is for messages.
func OrNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
