// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

// crdVersionReader reads one version of a CRD.
type crdVersionReader struct {
	*reader
	catalog *Catalog
	names   resourceNames
	version string
}

// read adds the definitions of the kind and of its list to the source, as the
// API server publishes them, and both kinds to kinds.
func (r *crdVersionReader) read(m map[string]any, at, schemaAt *place, kinds map[gvk]Kind) {
	root := &node{doc: r.doc, at: schemaAt, kind: "object"}
	switch v := r.mapping(m, at, "schema")["openAPIV3Schema"]; {
	case v != nil:
		root = r.node(v, schemaAt, 1)
		if root.kind != "object" && root.ref == "" {
			r.fail(schemaAt.at("type"), "want object, found %q", root.kind)
		}
		for _, ref := range r.refs {
			r.fail(ref.at, "want the schema itself, found a reference, which a CRD cannot have")
		}
		r.refs = nil
		if root.marked() != 0 {
			r.fail(schemaAt, "want no mark of immutability on the whole object, found %s; mark spec or fields of it", root.marked())
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

// object gives n the fields that every object has. They take the place of what
// the CRD says about them, but for marks of immutability on apiVersion and kind.
func (r *crdVersionReader) object(n *node) {
	if n.properties == nil {
		n.properties = map[string]*node{}
	}
	at := n.at.at("properties")
	for _, name := range []string{"apiVersion", "kind"} {
		n.properties[name] = &node{doc: r.doc, at: at.at(name), kind: "string", transition: n.properties[name].marked()}
	}
	r.unmarked(n.properties["metadata"])
	n.properties["metadata"] = &node{doc: r.doc, at: at.at("metadata"), ref: objectMeta}
}

// list returns the definition of the list of a definition.
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
