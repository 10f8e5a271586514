// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/internal/beta"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// AddCRD adds the served versions of the CustomResourceDefinitions in doc. With
// [Options.UnservedVersions], it adds all versions. doc is JSON or YAML, and may contain several
// documents or a List. name is the name of doc in messages.
//
// AddCRD converts CRDs of apiextensions.k8s.io/v1beta1 to v1, as API servers do. If doc contains at
// least one CRD, AddCRD ignores objects of other kinds, with a warning.
//
// The error is a *DocumentError, or several of them joined. AddCRD rejects malformed input. It also
// rejects a list key that the items do not declare, that is nullable, or whose default is not a
// scalar.
func (c *Catalog) AddCRD(name string, doc []byte) error {
	docs, err := parse(name, doc)
	if err != nil {
		return err
	}
	f := &findings{}
	var crds, others []crdDocument
	for i, d := range docs {
		var at *place
		if len(docs) > 1 {
			at = at.item(i)
		}
		crds = appendCRDs(crds, &others, f, name, d, at)
	}
	warnIgnored(f, name, others)
	if len(crds) == 0 {
		e := &DocumentError{Document: name, Message: "want a CustomResourceDefinition, found none"}
		if len(docs) > 0 {
			e.Message = "want a CustomResourceDefinition, found " + describeAny(docs[0])
		}
		return e
	}
	defs, kinds := map[string]*definition{}, map[gvk]Kind{}
	for _, crd := range crds {
		c.crd(f, name, crd, defs, kinds)
	}
	if err := f.err(); err != nil {
		return err
	}
	c.commit(defs, kinds, f.warnings())
	return nil
}

const crdVersion = "apiextensions.k8s.io/v1"

type crdDocument struct {
	fields map[string]any
	at     *place
}

// appendCRDs sorts objects into CRDs and others. It appends v to crds if v is a CRD, and to others if
// v is any other object. If v is a List, it sorts the items of the List in the same way.
func appendCRDs(crds []crdDocument, others *[]crdDocument, f *findings, name string, v any, at *place) []crdDocument {
	m, ok := v.(map[string]any)
	if !ok {
		f.add(&f.errs, name, at, "want an object, found %s", shape(v))
		return crds
	}
	kind, _ := m["kind"].(string)
	switch kind {
	case "CustomResourceDefinition":
		return append(crds, crdDocument{m, at})
	case "List", "CustomResourceDefinitionList":
		items, ok := m["items"].([]any)
		if !ok {
			f.add(&f.errs, name, at.at("items"), "want a list, found %s", shape(m["items"]))
		}
		for i, item := range items {
			if sub, ok := item.(map[string]any); ok && sub["kind"] == kind {
				f.add(&f.errs, name, at.at("items").item(i), "want an object, found a %s within a %s", kind, kind)
				continue
			}
			crds = appendCRDs(crds, others, f, name, item, at.at("items").item(i))
		}
		return crds
	}
	*others = append(*others, crdDocument{m, at})
	return crds
}

// warnIgnored warns about objects that are not CRDs. It adds only one warning, because a
// rendered chart may have many such objects.
func warnIgnored(f *findings, name string, others []crdDocument) {
	switch len(others) {
	case 0:
	case 1:
		f.add(&f.warns, name, others[0].at, "ignored: want a CustomResourceDefinition, found %s", describe(others[0].fields))
	default:
		f.add(&f.warns, name, nil, "%d objects are ignored because they are not CustomResourceDefinitions", len(others))
	}
}

func describeAny(v any) string {
	if m, ok := v.(map[string]any); ok {
		return describe(m)
	}
	return shape(v)
}

// crd reads a CRD. It adds the CRD's definitions to defs and its kinds to kinds.
func (c *Catalog) crd(f *findings, doc string, crd crdDocument, defs map[string]*definition, kinds map[gvk]Kind) {
	r := &reader{source: &source{findings: f}, doc: doc}
	v := r.text(crd.fields, crd.at, "apiVersion")
	if v != crdVersion && v != beta.APIVersion {
		r.fail(crd.at.at("apiVersion"), "want %s, found %q", crdVersion, shorten(v))
		return
	}
	at := crd.at.at("spec")
	spec := r.mapping(crd.fields, crd.at, "spec")
	if spec == nil {
		r.fail(at, "want a map, found null")
		return
	}
	written := spec
	if v == beta.APIVersion {
		spec = beta.Spec(spec)
	}
	names := r.mapping(spec, at, "names")
	res := resourceNames{
		group:    r.requiredText(spec, at, "group"),
		kind:     r.requiredText(names, at.at("names"), "kind"),
		plural:   r.requiredText(names, at.at("names"), "plural"),
		listKind: r.text(names, at.at("names"), "listKind"),
		singular: r.text(names, at.at("names"), "singular"),
		short:    r.texts(names, at.at("names"), "shortNames"),
	}
	if res.listKind == "" {
		res.listKind = res.kind + "List"
	}
	switch scope := r.requiredText(spec, at, "scope"); scope {
	case "Namespaced":
		res.scope = Namespaced
	case "Cluster":
		res.scope = ClusterWide
	case "":
	default:
		r.fail(at.at("scope"), "want Namespaced or Cluster, found %q", shorten(scope))
	}
	preserve := r.flag(spec, at, "preserveUnknownFields")
	versions := r.list(spec, at, "versions")
	if len(versions) == 0 {
		r.fail(at.at("versions"), "want at least one version")
	}
	var seen []string
	for i, version := range versions {
		schemaAt := at.at("versions").item(i).at("schema")
		if v == beta.APIVersion {
			schemaAt = at
			for _, step := range beta.Origin(written, i, "schema") {
				switch step := step.(type) {
				case string:
					schemaAt = schemaAt.at(step)
				case int:
					schemaAt = schemaAt.item(step)
				}
			}
		}
		v, at := version, at.at("versions").item(i)
		m, ok := v.(map[string]any)
		if !ok {
			r.fail(at, "want a map, found %s", shape(v))
			continue
		}
		version := r.requiredText(m, at, "name")
		if slices.Contains(seen, version) && version != "" {
			r.fail(at.at("name"), "want each version name only once, found %q twice", shorten(version))
		}
		seen = append(seen, version)
		if !r.flag(m, at, "served") && !c.options.UnservedVersions {
			continue
		}
		s := &source{findings: f, nodes: map[string]*node{}, preserve: preserve, structural: !preserve}
		cv := crdVersionReader{reader: &reader{source: s, doc: doc}, catalog: c, names: res, version: version}
		cv.read(m, at, schemaAt.at("openAPIV3Schema"), kinds)
		if len(f.errs) == 0 {
			for name, d := range c.definitions(s) {
				defs[name] = d
			}
		}
	}
}

// resourceNames contains the names and the scope that all versions of a CRD share.
type resourceNames struct {
	group, kind, listKind, plural, singular string
	short                                   []string
	scope                                   Scope
}

// requiredText is like text, but reports an empty or missing field.
func (r *reader) requiredText(m map[string]any, at *place, field string) string {
	s := r.text(m, at, field)
	if s == "" && (m == nil || m[field] == nil || m[field] == "") {
		r.fail(at.at(field), "want a name, found nothing")
	}
	return s
}

// modelName returns the name that API servers give to the definition of a custom kind, such as
// com.example.v1.Widget for the kind Widget in the group example.com.
func modelName(group, version, kind string) string {
	labels := strings.Split(group, ".")
	slices.Reverse(labels)
	return strings.Join(append(labels, version, kind), ".")
}

// crdVersionReader reads one version of a CRD.
type crdVersionReader struct {
	*reader
	catalog *Catalog
	names   resourceNames
	version string
}

// read reads one version of a CRD. It adds the definitions of the kind and of its list kind to
// r.source, as API servers publish them. It adds both kinds to the map kinds.
func (r *crdVersionReader) read(m map[string]any, at, schemaAt *place, kinds map[gvk]Kind) {
	root := &node{doc: r.doc, at: schemaAt, kind: "object"}
	switch v := r.mapping(m, at, "schema")["openAPIV3Schema"]; {
	case v != nil:
		root = r.node(v, schemaAt, 1)
		if root.kind != "object" && root.ref == "" {
			r.fail(schemaAt.at("type"), "want object, found %q", root.kind)
		}
		for _, ref := range r.refs {
			r.fail(ref.at, "a CRD cannot have references; replace it with the schema that it refers to")
		}
		r.refs = nil
		if root.rule() != 0 {
			r.fail(schemaAt, "want no immutability marker on the whole object, found %s; mark spec or its fields", root.rule())
		}
		r.embedded(root)
		r.object(root)
	case !r.preserve:
		r.fail(schemaAt, "want a schema, found none")
	}

	name := modelName(r.names.group, r.version, r.names.kind)
	listName := modelName(r.names.group, r.version, r.names.listKind)
	r.nodes[listName] = r.list(name, at)
	r.nodes[name] = root

	k := Kind{
		APIVersion:   gvk{r.names.group, r.version, r.names.kind}.apiVersion(),
		Kind:         r.names.kind,
		Type:         name,
		Resource:     r.names.plural,
		Singular:     r.names.singular,
		ShortNames:   r.names.short,
		Scope:        r.names.scope,
		Subresources: sortedKeys(r.mapping(m, at, "subresources")),
		Source:       r.doc,
	}
	list := Kind{APIVersion: k.APIVersion, Kind: r.names.listKind, Type: listName, Source: r.doc}
	kinds[gvk{r.names.group, r.version, list.Kind}] = list
	kinds[gvk{r.names.group, r.version, k.Kind}] = k
}

const (
	objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	listMeta   = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"
)

// object sets the properties that every object has: apiVersion, kind and metadata. If the CRD declares
// these properties, they are replaced. Immutability markers on apiVersion and kind are kept.
func (r *crdVersionReader) object(n *node) {
	if n.properties == nil {
		n.properties = map[string]*node{}
	}
	at := n.at.at("properties")
	for _, name := range []string{"apiVersion", "kind"} {
		n.properties[name] = &node{doc: r.doc, at: at.at(name), kind: "string", transition: n.properties[name].rule()}
	}
	r.rejectMarkers(n.properties["metadata"])
	n.properties["metadata"] = &node{doc: r.doc, at: at.at("metadata"), ref: objectMeta}
}

// list returns the definition of the list kind. The argument name is the name of the definition of the
// list items.
func (r *crdVersionReader) list(name string, at *place) *node {
	text := &node{doc: r.doc, at: at, kind: "string"}
	return &node{
		doc: r.doc, at: at, kind: "object",
		required: []string{"items"},
		properties: map[string]*node{
			"apiVersion": text,
			"kind":       text,
			"metadata":   {doc: r.doc, at: at, ref: listMeta},
			"items":      {doc: r.doc, at: at, kind: "array", items: &node{doc: r.doc, at: at, ref: name}},
		},
	}
}

// embedded adds apiVersion, kind and metadata to all embedded resources in n.
//
// The metadata of an embedded resource always has the type ObjectMeta, with the defaults that the
// CRD declares for it. Like the API server, embedded drops unknown fields from these defaults.
func (r *crdVersionReader) embedded(n *node) {
	for _, p := range n.properties {
		r.embedded(p)
	}
	if n.items != nil {
		r.embedded(n.items)
	}
	if n.additional != nil {
		r.embedded(n.additional)
	}
	n.def = r.coerceDefaults(n.def, n)
	if !n.embedded {
		return
	}
	declared := maps.Clone(n.properties)
	r.object(n)
	for _, name := range []string{"apiVersion", "kind"} {
		if p := declared[name]; p != nil && hasType(p.def, "string") {
			n.properties[name].def = p.def
		}
	}
	if p := declared["metadata"]; p != nil {
		meta := n.properties["metadata"]
		meta.def, meta.metadataSchema = r.metadata(p.def), p
		for _, field := range p.properties {
			if isUnset(field.def) {
				field.def = nil
			}
		}
	}
	n.required = append(n.required, "kind", "apiVersion")
}

// coerceDefaults returns a copy of def, which is a default of the schema n. In the copy, the metadata
// of embedded resources has only valid fields.
func (r *crdVersionReader) coerceDefaults(def any, n *node) any {
	switch def := def.(type) {
	case map[string]any:
		m := maps.Clone(def)
		for name, v := range m {
			p, ok := n.properties[name]
			switch {
			case n.embedded && name == "metadata":
				m[name] = r.metadata(v)
			case ok:
				m[name] = r.coerceDefaults(v, p)
			case n.additional != nil:
				m[name] = r.coerceDefaults(v, n.additional)
			}
		}
		return m
	case []any:
		if n.items == nil {
			return def
		}
		list := make([]any, len(def))
		for i := range def {
			list[i] = r.coerceDefaults(def[i], n.items)
		}
		return list
	}
	return def
}

// metadata returns a copy of a resource's metadata without fields that are empty, unknown or of a
// wrong type.
func (r *crdVersionReader) metadata(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	kept := map[string]any{}
	for name, v := range m {
		if isUnset(v) {
			continue
		}
		field, _ := r.catalog.pruned(map[string]any{name: v}, schema.TypeRef{NamedType: ptr(objectMeta)}).(map[string]any)
		maps.Copy(kept, field)
	}
	return kept
}

// isUnset reports whether Go's encoder omits a metadata field with the value v.
func isUnset(v any) bool { return v == nil || v == "" || isEmpty(v) }

// pruned returns a default without the fields that its type lacks. ref refers to the type, which
// belongs to the API machinery. If the result does not fit the type, pruned returns nil.
func (c *Catalog) pruned(def any, ref schema.TypeRef) any {
	types := map[string]schema.TypeDef{}
	eachName(schema.Atom{List: &schema.List{ElementType: ref}}, func(name string) {
		reached, _ := c.reachable(name)
		maps.Copy(types, reached)
	})
	s := &schema.Schema{Types: placeDefaults(types)}
	known, err := typed.AsTypedUnvalidated(value.NewValueInterface(def), s, ref).Prune()
	if err != nil || known.Validate() != nil {
		return nil
	}
	return known.AsValue().Unstructured()
}

// withDefaults returns a reference to a copy of the type in ref. The copy also has the defaults that the
// schema n declares for fields and items. If n declares none, withDefaults returns ref itself.
func (c *Catalog) withDefaults(ref schema.TypeRef, n *node) schema.TypeRef {
	if !n.defaultBelow() {
		return ref
	}
	a := copyAtom(c.atomOf(ref, nil))
	put := func(def *any, ref *schema.TypeRef, n *node) {
		if n == nil {
			return
		}
		if n.def != nil {
			if given := c.pruned(n.def, *ref); given != nil {
				*def = given
			}
		}
		*def = c.defaultOf(*def, *ref)
		*ref = c.withDefaults(*ref, n)
	}
	if a.List != nil {
		put(&a.List.ElementDefault, &a.List.ElementType, n.items)
	}
	if a.Map != nil {
		if a.Map.ElementType != (schema.TypeRef{}) {
			put(&a.Map.ElementDefault, &a.Map.ElementType, n.additional)
		}
		for i := range a.Map.Fields {
			f := &a.Map.Fields[i]
			put(&f.Default, &f.Type, n.properties[f.Name])
		}
	}
	ref.NamedType, ref.Inlined = nil, a
	return ref
}

// defaultBelow reports whether the schema n declares a default for a field or item, at any depth.
func (n *node) defaultBelow() bool {
	has := func(n *node) bool { return n != nil && (n.def != nil || n.defaultBelow()) }
	for _, p := range n.properties {
		if has(p) {
			return true
		}
	}
	return has(n.items) || has(n.additional)
}
