// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// node is a schema as a CRD states it.
type node struct {
	at *place
	// raw is the schema as it stands there.
	raw map[string]any

	kind, pattern        string
	nullable, unique     bool
	embedded, intString  bool
	preserve, preserves  bool // the value of the extension, and whether it is set
	def                  any  // nil if there is no default
	required             []string
	properties           map[string]*node
	items                *node
	tuple                bool // items is a list of schemas
	additional           *node
	additionalSet        bool // additionalProperties is there, a schema or not
	additionalAllows     bool // additionalProperties: true
	allOf, anyOf, oneOf  []*node
	not                  *node
	listType, mapType    string
	listTyped, mapTyped  bool
	keys                 []string
	rules                []rule
	unsupported, unknown []string // keywords

	// structural is the schema in the form that the libraries of the API server
	// take. It is set once the version it is of is known to be structural, and
	// only outside of value validation.
	structural *structural.Structural
}

// rule is an item of x-kubernetes-validations.
type rule struct {
	at                                             *place
	rule, message, messageExpression, field        string
	reason                                         string
	hasReason, hasOptionalOldSelf, optionalOldSelf bool
}

const (
	// maxDepth bounds how deeply schemas nest. The deepest in published CRDs
	// have about 30 levels. Package openapi has the same bound.
	maxDepth = 500
	// maxSchemas bounds how many schemas a CRD has. etcd takes no more than
	// about 30,000.
	maxSchemas = 100_000
)

// schemaReader reads the schemas of one CRD.
type schemaReader struct {
	reader
	count int
}

// unsupported are keywords of JSON Schema that no CRD can have.
var unsupported = []string{"$ref", "$schema", "additionalItems", "definitions", "dependencies", "id", "patternProperties"}

var keywords = append(slices.Concat(unsupported, markers), "description", "type", "format", "title", "default", "maximum",
	"exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems",
	"uniqueItems", "multipleOf", "enum", "maxProperties", "minProperties", "required", "items", "allOf", "oneOf", "anyOf",
	"not", "properties", "additionalProperties", "externalDocs", "example", "nullable",
	"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
	"x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-validations")

// schema reads a schema; what is wrong with its form is reported. The result is
// never nil.
func (r *schemaReader) schema(v any, at *place, depth int) *node {
	n := &node{at: at, raw: r.item(v, at)}
	r.count++
	if r.count == maxSchemas+1 {
		r.problem(tooLarge, at, "want at most %d schemas in a CRD, found more", maxSchemas)
	}
	if depth > maxDepth {
		r.problem(tooDeep, at, "want at most %d nested schemas, found more", maxDepth)
		return n
	}
	if r.count > maxSchemas {
		return n
	}
	r.scalars(n)
	r.children(n, depth)
	r.extensions(n)
	for _, k := range sortedKeys(n.raw) {
		switch {
		case slices.Contains(unsupported, k):
			n.unsupported = append(n.unsupported, k)
		case !slices.Contains(keywords, k):
			n.unknown = append(n.unknown, k)
		}
	}
	return n
}

func (r *schemaReader) scalars(n *node) {
	m, at := n.raw, n.at
	n.kind = r.text(m, at, "type")
	n.pattern = r.text(m, at, "pattern")
	n.nullable = r.flag(m, at, "nullable")
	n.unique = r.flag(m, at, "uniqueItems")
	n.def = m["default"]
	n.required = r.texts(m, at, "required")
	for _, f := range []string{"format", "title", "description", "$ref", "id", "$schema"} {
		r.text(m, at, f)
	}
	for _, f := range []string{"exclusiveMaximum", "exclusiveMinimum"} {
		r.flag(m, at, f)
	}
	for _, f := range []string{"maximum", "minimum", "multipleOf"} {
		r.number(m, at, f)
	}
	for _, f := range []string{"maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"} {
		r.integer(m, at, f)
	}
	r.list(m, at, "enum")
	docs := r.mapping(m, at, "externalDocs")
	r.text(docs, at.at("externalDocs"), "url")
	r.text(docs, at.at("externalDocs"), "description")
}

func (r *schemaReader) children(n *node, depth int) {
	m, at := n.raw, n.at
	if p := r.mapping(m, at, "properties"); p != nil {
		n.properties = make(map[string]*node, len(p))
		below := at.at("properties")
		for _, name := range sortedKeys(p) {
			n.properties[name] = r.schema(p[name], below.at(name), depth+1)
		}
	}
	switch a := m["additionalProperties"].(type) {
	case nil:
	case bool:
		n.additionalSet, n.additionalAllows = true, a
	case map[string]any:
		n.additionalSet = true
		n.additional = r.schema(a, at.at("additionalProperties"), depth+1)
	default:
		r.wrong(at.at("additionalProperties"), "a schema, true or false", a)
	}
	switch items := m["items"].(type) {
	case nil:
	case map[string]any:
		n.items = r.schema(items, at.at("items"), depth+1)
	case []any:
		n.tuple = len(items) > 0
	default:
		r.wrong(at.at("items"), "a schema", items)
	}
	n.allOf = r.junctor(n, "allOf", depth)
	n.anyOf = r.junctor(n, "anyOf", depth)
	n.oneOf = r.junctor(n, "oneOf", depth)
	if v := m["not"]; v != nil {
		n.not = r.schema(v, at.at("not"), depth+1)
	}
}

func (r *schemaReader) junctor(n *node, field string, depth int) []*node {
	var all []*node
	for i, v := range r.list(n.raw, n.at, field) {
		all = append(all, r.schema(v, n.at.at(field).nth(i), depth+1))
	}
	return all
}

func (r *schemaReader) extensions(n *node) {
	m, at := n.raw, n.at
	n.preserve, n.preserves = r.optionalFlag(m, at, "x-kubernetes-preserve-unknown-fields")
	n.embedded = r.flag(m, at, "x-kubernetes-embedded-resource")
	n.intString = r.flag(m, at, "x-kubernetes-int-or-string")
	n.listType, n.listTyped = r.optionalText(m, at, "x-kubernetes-list-type")
	n.mapType, n.mapTyped = r.optionalText(m, at, "x-kubernetes-map-type")
	n.keys = r.texts(m, at, "x-kubernetes-list-map-keys")
	for i, v := range r.list(m, at, "x-kubernetes-validations") {
		at := at.at("x-kubernetes-validations").nth(i)
		m := r.item(v, at)
		x := rule{at: at}
		x.rule = r.text(m, at, "rule")
		x.message = r.text(m, at, "message")
		x.messageExpression = r.text(m, at, "messageExpression")
		x.field = r.text(m, at, "fieldPath")
		x.reason, x.hasReason = r.optionalText(m, at, "reason")
		x.optionalOldSelf, x.hasOptionalOldSelf = r.optionalFlag(m, at, "optionalOldSelf")
		n.rules = append(n.rules, x)
	}
}

// names returns the names of the properties, sorted.
func (n *node) names() []string { return sortedKeys(n.properties) }

// has says whether the schema says anything by a keyword: null, false and ""
// say nothing.
func (n *node) has(keyword string) bool {
	switch v := n.raw[keyword].(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	}
	return true
}

// each calls f for the schemas directly below n that say what data looks like:
// properties in the order of their names, map values, items. Value validation
// is left out.
func (n *node) each(f func(child *node)) {
	for _, name := range n.names() {
		f(n.properties[name])
	}
	if n.additional != nil {
		f(n.additional)
	}
	if n.items != nil {
		f(n.items)
	}
}

// nested calls f for the schemas directly below n that only validate values.
func (n *node) nested(f func(child *node)) {
	for _, list := range [][]*node{n.allOf, n.anyOf, n.oneOf} {
		for _, c := range list {
			f(c)
		}
	}
	if n.not != nil {
		f(n.not)
	}
}

func isMeta(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

func orNone(kind string) string {
	if kind == "" {
		return "none"
	}
	return kind
}
