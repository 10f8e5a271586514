// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// node is an OpenAPI schema, reduced to the information that a merge schema needs.
type node struct {
	doc string
	at  *place
	// v2 is true if the schema comes from OpenAPI v2, which has no defaults.
	v2 bool

	// ref is the name of the definition that $ref points to, or "".
	ref string
	// kind is the type, or "" if any type is allowed.
	kind     string
	format   string
	nullable bool
	// def is the default, or nil.
	def any
	// metadataSchema is the schema that a CRD declares for metadata. Only its defaults are used.
	metadataSchema *node

	properties map[string]*node
	required   []string
	items      *node
	// additional is the schema in additionalProperties, if there is one. If additionalProperties is a
	// boolean, either open or closed is set: open for true, and closed for false.
	additional   *node
	open, closed bool
	allOf        []*node

	preserve, embedded bool
	// quantity is true if the schema looks like those that controller-gen generates for the Go
	// type Quantity.
	quantity bool
	// transition is the transition rule on the schema itself. If the schema is an allOf with one
	// reference, the rule can also be next to the reference. The method rule considers both places.
	transition schema.Transition

	listType, mapType       string
	keys                    []string
	patchStrategy, mergeKey string
	unions                  []union
	gvks                    []gvk
}

type gvk struct{ group, version, kind string }

func (g gvk) apiVersion() string {
	if g.group == "" {
		return g.version
	}
	return g.group + "/" + g.version
}

// target returns the name of the definition that n refers to, by $ref or by an allOf that contains
// only a $ref. It returns "" if n does not refer to a definition.
func (n *node) target() string {
	if n.ref == "" && len(n.allOf) == 1 {
		return n.allOf[0].ref
	}
	return n.ref
}

// effectiveDefault returns the default of n, or else the default of the first allOf branch
// that has one.
func (n *node) effectiveDefault() any {
	if n.def != nil {
		return n.def
	}
	for _, b := range n.allOf {
		if b.def != nil {
			return b.def
		}
	}
	return nil
}

// listsWithoutType appends the paths of lists in n that have neither a list type nor a
// patch strategy.
func (n *node) listsWithoutType(to []string, path string) []string {
	if n.target() != "" {
		return to
	}
	if n.items != nil {
		if n.listType == "" && n.patchStrategy == "" {
			to = append(to, path)
		}
		to = n.items.listsWithoutType(to, path+"[]")
	}
	if n.additional != nil {
		to = n.additional.listsWithoutType(to, path+"{}")
	}
	for _, name := range n.names() {
		to = n.properties[name].listsWithoutType(to, path+"."+name)
	}
	return to
}

// names returns the names of the properties in alphabetical order.
func (n *node) names() []string { return sortedKeys(n.properties) }

// quantityPattern is the pattern that controller-gen generates for quantities.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// maxDepth limits the nesting of schemas. In Kubernetes and published CRDs, they nest up
// to about 30 levels.
const maxDepth = 500

// reader reads the schemas of a document into nodes.
type reader struct {
	*source
	doc string
	// v2 is true if the document is OpenAPI v2.
	v2 bool
}

func (r *reader) fail(at *place, format string, args ...any) {
	r.add(&r.errs, r.doc, at, format, args...)
}

func (r *reader) warn(at *place, format string, args ...any) {
	r.add(&r.warns, r.doc, at, format, args...)
}

// warnOrFail reports a problem that Kubernetes' own code tolerates in published documents. The
// problem is a warning in a published document, and an error in any other document.
func (r *reader) warnOrFail(at *place, format string, args ...any) {
	if r.published {
		r.warn(at, format, args...)
	} else {
		r.fail(at, format, args...)
	}
}

// node reads a schema. It adds errors to r.errs, and returns a node even after an error.
func (r *reader) node(v any, at *place, depth int) *node { return r.read(v, at, depth, false) }

// read reads a schema. branch is true if the schema is part of an allOf. Such a schema may omit
// keywords that the schema with the allOf has.
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
		// OpenAPI v2 cannot express int-or-string, so such a schema has a type there. In OpenAPI v3
		// and in the API server, it has no type.
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
	r.checkEntryRule(n)
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

// check reports contradictions in a schema, and schemas that Kubernetes' own code rejects.
func (r *reader) check(n *node, branch bool) {
	if n.target() != "" || branch {
		return
	}
	if n.kind == "array" && n.items == nil {
		r.fail(n.at, "type array needs items, found none")
	}
	if n.kind != "" && n.kind != "object" && (len(n.properties) > 0 || n.additional != nil) {
		r.warn(n.at, "properties need type object, found type %s", n.kind)
	}
	if n.kind != "" && n.kind != "array" && n.format != "byte" && (n.listType != "" || len(n.keys) > 0) {
		r.warnOrFail(n.at, "a list type needs type array, found type %s", n.kind)
	}
	if n.kind != "" && n.kind != "object" && n.mapType != "" {
		r.warnOrFail(n.at, "a map type needs type object, found type %s", n.kind)
	}
	if n.listType == "map" && len(n.keys) == 0 && (n.kind == "" || n.kind == "array") {
		r.fail(n.at, "the list type map needs x-kubernetes-list-map-keys, found none")
	}
	if n.listType != "map" && len(n.keys) > 0 {
		r.warnOrFail(n.at, "x-kubernetes-list-map-keys need x-kubernetes-list-type map")
	}
	if (n.kind == "array" || n.kind == "") && !slices.Contains(patchStrategies, n.patchStrategy) {
		r.fail(n.at.at("x-kubernetes-patch-strategy"), "want one of %s, found %q",
			strings.Join(patchStrategies[1:], " "), shorten(n.patchStrategy))
	}
	if n.def != nil && !hasType(n.def, n.kind) {
		r.warn(n.at.at("default"), "want a default of type %s, found %s", n.kind, shape(n.def))
	}
	for _, b := range n.allOf {
		if b.ref != "" {
			r.warn(n.at, "this allOf has several branches, so the merge schema does not have the fields of the definitions that it refers to")
			break
		}
	}
}

// hasType reports whether a value has an OpenAPI type, such as "integer". The type "" allows every
// value. hasType does not look inside lists and maps. To check the type of a merge schema, use
// allowsKind.
func hasType(v any, kind string) bool {
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

// prefixes lists the prefixes of references to definitions, for OpenAPI v2 and v3.
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

// unescape decodes a JSON pointer in the fragment of a URL.
func unescape(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		s = u
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
}

// kind reads the field "type". Its value is one name, or a list of one name and "null".
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

// Each of the following methods reads a field of a map. If the field is absent or null, the method
// returns the zero value. If the field has a wrong type, the method reports an error.

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

// gvks reads x-kubernetes-group-version-kind. In definitions, it is a list.
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

// union is one entry of x-kubernetes-unions.
type union struct {
	discriminator string
	// fields lists the members in order. values lists the discriminator value of each member.
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

// transition reads the transition rule of a schema, which can have at most one. branch is true if
// the schema is part of an allOf. In that case, a rule is allowed only next to a $ref.
func (r *reader) transition(m map[string]any, at *place, branch bool) schema.Transition {
	var found schema.Transition
	for _, rule := range schema.Transitions() {
		marker := rule.Extension()
		v, ok := m[marker]
		switch {
		case !ok:
		case v != true:
			r.fail(at.at(marker), "want true, found %s; %s", shape(v), transitionFix(v))
		case branch && m["$ref"] == nil:
			r.warnOrFail(at.at(marker), "this marker has no effect in a branch of an allOf; move it to the schema around the allOf")
		case found != schema.NoTransition:
			r.fail(at, "want one of %s and %s, found both", found.Extension(), marker)
		default:
			found = rule
		}
	}
	return found
}

// transitionFix returns the fix for a transition marker with the value v instead of true. The value
// can be the name of another rule, such as setOnce.
func transitionFix(v any) string {
	for _, rule := range schema.Transitions() {
		if v == rule.String() {
			return "write " + rule.Extension() + ": true"
		}
	}
	return "remove it to allow changes"
}

// checkEntryRule reports a transition rule about keys or items if the values of the schema have
// neither keys nor items. It does not check references, because they may lead to another document.
func (r *reader) checkEntryRule(n *node) {
	rule := graph.Transition(n.transition).Rule()
	if n.target() != "" || n.transition == schema.NoTransition || rule.Whole {
		return
	}
	want := "additionalProperties or the list type map"
	fits := (n.additional != nil || n.open) && n.mapType != "atomic" || n.listType == "map"
	if rule.Sets {
		want = "additionalProperties, the list type map or the list type set"
		fits = fits || n.listType == "set"
	}
	if !fits {
		r.warnOrFail(n.at, "the marker %[2]s is only allowed with %[1]s, and not on an atomic map", want, n.transition)
	}
}

// rule returns the transition rule of n. If n is an allOf with one reference, the rule can also be
// next to the reference.
func (n *node) rule() schema.Transition {
	if n == nil {
		return schema.NoTransition
	}
	if n.ref == "" && len(n.allOf) == 1 {
		return cmp.Or(n.transition, n.allOf[0].transition)
	}
	return n.transition
}

// rejectMarkers reports transition rules in the schema of metadata. They would have no effect,
// because the API server has its own rules for metadata.
func (r *reader) rejectMarkers(n *node) {
	if n == nil {
		return
	}
	if n.rule() != schema.NoTransition {
		r.warnOrFail(n.at, "want no immutability marker in metadata, which the API server manages, found %s; remove it", n.rule())
	}
	for _, name := range n.names() {
		r.rejectMarkers(n.properties[name])
	}
	r.rejectMarkers(n.items)
	r.rejectMarkers(n.additional)
}
