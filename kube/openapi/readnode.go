// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"net/url"
	"slices"
	"strings"
)

// maxDepth bounds how deeply schemas nest. The deepest in Kubernetes and in
// published CRDs have about 30 levels.
const maxDepth = 500

// reader turns schemas into nodes.
type reader struct {
	*source
	doc string
	// v2 says that the document is OpenAPI v2.
	v2 bool
}

func (r *reader) fail(at *place, format string, args ...any) {
	r.add(&r.errs, r.doc, at, format, args...)
}

func (r *reader) warn(at *place, format string, args ...any) {
	r.add(&r.warns, r.doc, at, format, args...)
}

// dispute reports what upstream passes over in a published document: there it
// is a warning, elsewhere an error.
func (r *reader) dispute(at *place, format string, args ...any) {
	if r.published {
		r.warn(at, format, args...)
	} else {
		r.fail(at, format, args...)
	}
}

// node reads a schema. It always returns a node; what is wrong is in r.errs.
func (r *reader) node(v any, at *place, depth int) *node { return r.read(v, at, depth, false) }

// read reads a schema, or a branch of an allOf, which may leave out what the
// schema around it has.
func (r *reader) read(v any, at *place, depth int, branch bool) *node {
	n := &node{doc: r.doc, at: at, v2: r.v2}
	m, ok := v.(map[string]any)
	if !ok {
		r.fail(at, "want a schema, which is a map, found %s", shape(v))
		return n
	}
	if depth > maxDepth {
		r.fail(at, "want at most %d nested schemas, found more", maxDepth)
		return n
	}
	n.ref = r.reference(m, at)
	n.kind, n.nullable = r.kind(m, at)
	n.format = r.text(m, at, "format")
	if r.v2 && n.kind == "string" && n.format == "int-or-string" {
		// OpenAPI v2 has no word for it; v3, and the API server, put no type.
		n.kind = ""
	}
	n.nullable = r.flag(m, at, "nullable") || n.nullable
	n.def = m["default"]
	n.required = r.texts(m, at, "required")

	if p := r.mapping(m, at, "properties"); p != nil {
		n.properties = make(map[string]*node, len(p))
		below := at.at("properties")
		for name, v := range p {
			n.properties[name] = r.read(v, below.at(name), depth+1, branch)
		}
	}
	switch a := m["additionalProperties"].(type) {
	case nil:
	case bool:
		n.open, n.closed = a, !a
	default:
		n.additional = r.read(a, at.at("additionalProperties"), depth+1, branch)
	}
	if items, ok := m["items"]; ok {
		if _, tuple := items.([]any); tuple {
			r.fail(at.at("items"), "want one schema for all items, found a list of schemas")
			n.items = &node{doc: r.doc, at: at.at("items")}
		} else {
			n.items = r.read(items, at.at("items"), depth+1, branch)
		}
	}
	for i, b := range r.list(m, at, "allOf") {
		n.allOf = append(n.allOf, r.read(b, at.at("allOf").item(i), depth+1, true))
	}
	r.extensions(n, m, at)
	n.transition = r.transition(m, at, branch)
	r.entries(n)
	r.check(n, branch)
	return n
}

func (r *reader) extensions(n *node, m map[string]any, at *place) {
	n.preserve = r.flag(m, at, "x-kubernetes-preserve-unknown-fields")
	n.embedded = r.flag(m, at, "x-kubernetes-embedded-resource")
	n.quantity = r.flag(m, at, "x-kubernetes-int-or-string") && n.kind == "" && m["pattern"] == quantityPattern
	n.listType = r.choice(m, at, "x-kubernetes-list-type", "atomic", "set", "map")
	n.mapType = r.choice(m, at, "x-kubernetes-map-type", "atomic", "granular")
	n.keys = r.texts(m, at, "x-kubernetes-list-map-keys")
	if n.listType == "" {
		n.patchStrategy = r.text(m, at, "x-kubernetes-patch-strategy")
		n.mergeKey = r.text(m, at, "x-kubernetes-patch-merge-key")
	}
	n.unions = r.unions(m, at)
	n.gvks = r.gvks(m, at)
}

var patchStrategies = []string{"", "merge", "merge,retainKeys", "retainKeys", "replace"}

// check reports what contradicts itself and what upstream refuses.
func (r *reader) check(n *node, branch bool) {
	if n.target() != "" || branch {
		return
	}
	if n.kind == "array" && n.items == nil {
		r.fail(n.at, "want items, since the type is array")
	}
	if n.kind != "" && n.kind != "object" && (len(n.properties) > 0 || n.additional != nil) {
		r.warn(n.at, "want type object, since there are properties, found type %s", n.kind)
	}
	if n.kind != "" && n.kind != "array" && n.format != "byte" && (n.listType != "" || len(n.keys) > 0) {
		r.dispute(n.at, "want type array, since there is a list type, found type %s", n.kind)
	}
	if n.kind != "" && n.kind != "object" && n.mapType != "" {
		r.dispute(n.at, "want type object, since there is a map type, found type %s", n.kind)
	}
	if n.listType == "map" && len(n.keys) == 0 && (n.kind == "" || n.kind == "array") {
		r.fail(n.at, "want x-kubernetes-list-map-keys, since the list type is map")
	}
	if n.listType != "map" && len(n.keys) > 0 {
		r.dispute(n.at, "want x-kubernetes-list-type map, since there are x-kubernetes-list-map-keys")
	}
	if n.kind == "array" && !slices.Contains(patchStrategies, n.patchStrategy) {
		r.fail(n.at.at("x-kubernetes-patch-strategy"), "want one of %s, found %q",
			strings.Join(patchStrategies[1:], " "), shorten(n.patchStrategy))
	}
	if n.def != nil && !fits(n.def, n.kind) {
		r.warn(n.at.at("default"), "want a default of type %s, found %s", n.kind, shape(n.def))
	}
	for _, b := range n.allOf {
		if b.ref != "" {
			r.warn(n.at, "an allOf with several branches: fields of the definitions it refers to are not in the merge schema")
			break
		}
	}
}

// fits reports whether a default is of a type, as far as the type alone says.
func fits(v any, kind string) bool {
	switch v := v.(type) {
	case map[string]any:
		return kind == "" || kind == "object"
	case []any:
		return kind == "" || kind == "array"
	case string:
		return kind == "" || kind == "string"
	case bool:
		return kind == "" || kind == "boolean"
	case int64:
		return kind == "" || kind == "integer" || kind == "number"
	case float64:
		return kind == "" || kind == "number" || kind == "integer" && v == float64(int64(v))
	}
	return false
}

// prefixes are where OpenAPI v2 and v3 keep definitions.
var prefixes = []string{"#/definitions/", "#/components/schemas/"}

func (r *reader) reference(m map[string]any, at *place) string {
	ref := r.text(m, at, "$ref")
	if ref == "" {
		return ""
	}
	for _, prefix := range prefixes {
		if name, ok := strings.CutPrefix(ref, prefix); ok && name != "" && !strings.Contains(name, "/") {
			name = unescape(name)
			r.refs = append(r.refs, reference{name, r.doc, at.at("$ref")})
			return name
		}
	}
	r.fail(at.at("$ref"), "want a reference to a definition of the document, %sNAME or %sNAME, found %q",
		prefixes[0], prefixes[1], shorten(ref))
	return ""
}

// unescape undoes the escapes of a JSON pointer in the fragment of a URL.
func unescape(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		s = u
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
}

// kind reads the type: one name, or a list of one name and "null".
func (r *reader) kind(m map[string]any, at *place) (kind string, nullable bool) {
	kinds := []any{m["type"]}
	if list, ok := m["type"].([]any); ok {
		kinds = list
	}
	for _, v := range kinds {
		switch s, ok := v.(string); {
		case v == nil && len(kinds) == 1:
		case ok && s == "null" && len(kinds) > 1:
			nullable = true
		case !ok:
			r.fail(at.at("type"), "want the name of a type, found %s", shape(v))
		case !slices.Contains([]string{"", "object", "array", "string", "integer", "number", "boolean"}, s):
			r.fail(at.at("type"), "want object, array, string, integer, number or boolean, found %q", shorten(s))
		case kind != "":
			r.fail(at.at("type"), "want one type, found %s and %s", kind, s)
		default:
			kind = s
		}
	}
	return kind, nullable
}
