// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Document is an OpenAPI document.
type Document struct {
	// Name is the document's name for messages, usually a file name.
	Name string
	// Data is JSON or YAML.
	Data []byte
}

// AddOpenAPI adds the definitions and kinds of an OpenAPI document. The document is v2 or v3, in
// JSON or YAML.
//
// The v2 documents of API servers contain no defaults. In a catalog from Builtin, definitions from
// v2 therefore get the defaults of the built-in types with the same names. In a catalog from New,
// they get no defaults. Call AddDefaults to add other defaults.
//
// The error is a *DocumentError, or several of them joined. AddOpenAPI rejects data that is not an
// OpenAPI document, references to definitions that neither the document nor the catalog has, and
// contradictory definitions. If kube-openapi tolerates a problem, it is only a warning; see
// Warnings.
func (c *Catalog) AddOpenAPI(name string, doc []byte) error {
	return c.AddOpenAPIs(Document{name, doc})
}

// AddOpenAPIs adds several OpenAPI documents that may refer to each other. For example, an
// API server publishes one document for each API group under /openapi/v3, and the source
// code of Kubernetes contains these documents in api/openapi-spec/v3. It returns the same
// errors as AddOpenAPI.
func (c *Catalog) AddOpenAPIs(docs ...Document) error {
	p, err := readPublished(docs)
	if err != nil {
		return err
	}
	p.builtinDefaults = c.builtin
	defs := c.definitions(p.source)
	if err := p.err(); err != nil {
		return err
	}
	c.commit(defs, p.kinds(), p.warnings())
	return nil
}

// IsDocument reports whether data looks like an OpenAPI document: a single document with a
// field "swagger" or "openapi".
func IsDocument(data []byte) bool {
	top, err := topLevel(Document{Data: data})
	return err == nil && isOpenAPI(top)
}

// IsV2 reports whether data is an OpenAPI v2 document, which has no defaults for built-in
// types.
func IsV2(data []byte) bool {
	top, err := topLevel(Document{Data: data})
	v2, _ := top["swagger"].(string)
	return err == nil && v2 != ""
}

// published is the content of several OpenAPI documents.
type published struct {
	*source
	// raw contains the definitions as plain data.
	raw   map[string]map[string]any
	paths paths
}

func readPublished(docs []Document) (*published, error) {
	p := &published{
		source: &source{findings: &findings{}, nodes: map[string]*node{}, published: true},
		raw:    map[string]map[string]any{},
		paths:  paths{},
	}
	for _, d := range docs {
		if err := p.document(d); err != nil {
			return nil, err
		}
	}
	return p, p.err()
}

// document reads one document. It returns an error if the data is not an OpenAPI document.
func (p *published) document(d Document) error {
	top, err := topLevel(d)
	if err != nil {
		return err
	}
	r := &reader{source: p.source, doc: d.Name}
	v2, v3 := r.text(top, nil, "swagger"), r.text(top, nil, "openapi")
	var defs map[string]any
	var at *place
	switch {
	case strings.HasPrefix(v2, "2."):
		r.v2 = true
		defs, at = r.mapping(top, nil, "definitions"), at.at("definitions")
	case strings.HasPrefix(v3, "3."):
		components := r.mapping(top, nil, "components")
		at = at.at("components")
		defs, at = r.mapping(components, at, "schemas"), at.at("schemas")
	default:
		return &DocumentError{Document: d.Name, Message: "want an OpenAPI document with swagger: \"2.0\" or openapi: 3.x, found " + describe(top)}
	}
	for name, v := range defs {
		p.definition(r, name, v, at.at(name))
	}
	return p.paths.add(d.Name, top["paths"])
}

func (p *published) definition(r *reader, name string, v any, at *place) {
	m, _ := v.(map[string]any) // a value that is not a map is reported by the method read
	before, again := p.raw[name]
	if again && m != nil && sameDefinition(before, m) {
		// Several documents may contain the same definition. Each of these documents adds the kinds of
		// its own API group to the definition.
		n := p.nodes[name]
		n.gvks = append(n.gvks, r.gvks(m, at)...)
		return
	}
	n := r.node(v, at, 1)
	if again {
		old := p.nodes[name]
		p.add(&p.warns, r.doc, at, "this definition replaces a different one of the same name in %s", old.doc)
		n.gvks = append(n.gvks, old.gvks...)
	}
	p.raw[name], p.nodes[name] = m, n
}

// sameDefinition reports whether two definitions are equal. It ignores their lists of kinds, and
// the descriptions at the top of each definition.
func sameDefinition(a, b map[string]any) bool {
	ignored := func(name string) bool {
		return name == "x-kubernetes-group-version-kind" || name == "description"
	}
	for name, v := range a {
		if w, ok := b[name]; !ignored(name) && (!ok || !reflect.DeepEqual(v, w)) {
			return false
		}
	}
	for name := range b {
		if _, ok := a[name]; !ignored(name) && !ok {
			return false
		}
	}
	return true
}

// kinds returns the kinds that the definitions declare. If several definitions declare the same
// kind, the definition whose name comes first in alphabetical order gets the kind.
func (p *published) kinds() map[gvk]Kind {
	kinds := map[gvk]Kind{}
	resources := p.paths.resources()
	for _, name := range sortedKeys(p.nodes) {
		n := p.nodes[name]
		for _, g := range n.gvks {
			if first, ok := kinds[g]; ok {
				if first.Type != name {
					p.add(&p.warns, n.doc, n.at, "the definition %[3]s already has the kind %[1]s %[2]s, so this one is ignored", g.apiVersion(), g.kind, first.Type)
				}
				continue
			}
			k := resources[g]
			k.APIVersion, k.Kind, k.Type, k.Source = g.apiVersion(), g.kind, name, n.doc
			kinds[g] = k
		}
	}
	return kinds
}

// topLevel returns the fields of a document. It does not decode the field "paths" of a JSON
// document, because this field is very large and callers need only parts of it.
func topLevel(d Document) (map[string]any, error) {
	var raw map[string]json.RawMessage
	if !bytes.HasPrefix(bytes.TrimLeft(d.Data, " \t\r\n"), []byte("{")) || json.Unmarshal(d.Data, &raw) != nil {
		docs, err := parse(d.Name, d.Data)
		if err != nil {
			return nil, err
		}
		if len(docs) != 1 {
			return nil, &DocumentError{Document: d.Name, Message: "want one document, found " + count(len(docs), "document")}
		}
		top, ok := docs[0].(map[string]any)
		if !ok {
			return nil, &DocumentError{Document: d.Name, Message: "want a map, found " + shape(docs[0])}
		}
		return top, nil
	}
	top := make(map[string]any, len(raw))
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		data := raw[name]
		if name == "paths" {
			top[name] = data
			continue
		}
		v, err := parseJSON(data)
		if err != nil {
			return nil, &DocumentError{Document: d.Name, Path: (*place)(nil).at(name).String(), Message: err.Error()}
		}
		top[name] = v
	}
	return top, nil
}

// describe describes a document that is not an OpenAPI document, for messages.
func describe(top map[string]any) string {
	if version, ok := top["swagger"].(string); ok {
		return "swagger: " + shorten(version)
	}
	if version, ok := top["openapi"].(string); ok {
		return "openapi: " + shorten(version)
	}
	kind, _ := top["kind"].(string)
	if kind == "" {
		return "a document with neither a version nor a kind"
	}
	apiVersion, _ := top["apiVersion"].(string)
	return strings.TrimSpace("an object of kind " + shorten(apiVersion+" "+kind))
}

// paths maps each URL path of a document to the kinds of its operations.
type paths map[string][]gvk

// operation is an entry under a URL path in an OpenAPI document. It is an HTTP operation, or another
// field such as "parameters". gvk is the kind that the HTTP operation declares. It is empty for other
// entries and for operations without a kind.
type operation struct{ gvk }

// UnmarshalJSON reads an entry of a URL path. It accepts any JSON.
func (o *operation) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		return nil
	}
	var op struct {
		GVK struct {
			Group, Version, Kind any
		} `json:"x-kubernetes-group-version-kind"`
	}
	if json.Unmarshal(data, &op) != nil {
		return nil
	}
	*o = operation{makeGVK(op.GVK.Group, op.GVK.Version, op.GVK.Kind)}
	return nil
}

func makeGVK(group, version, kind any) gvk {
	g, _ := group.(string)
	v, _ := version.(string)
	k, _ := kind.(string)
	return gvk{g, v, k}
}

// add reads the URL paths of a document. v is raw JSON or plain data.
func (p paths) add(doc string, v any) error {
	switch v := v.(type) {
	case nil:
	case json.RawMessage:
		var raw map[string]map[string]operation
		if err := json.Unmarshal(v, &raw); err != nil {
			// Decode the paths again as plain data, because that results in a better
			// error message.
			var plain any
			if err := json.Unmarshal(v, &plain); err != nil {
				return &DocumentError{Document: doc, Path: "paths", Message: "want a map of paths to operations"}
			}
			return p.add(doc, plain)
		}
		for path, ops := range raw {
			for _, op := range ops {
				p.operation(path, op.gvk)
			}
		}
	case map[string]any:
		for _, path := range sortedKeys(v) {
			ops, ok := v[path].(map[string]any)
			if !ok {
				return &DocumentError{Document: doc, Path: (*place)(nil).at("paths").at(path).String(),
					Message: fmt.Sprintf("want a map of operations, found %s", shape(v[path]))}
			}
			for _, op := range ops {
				if m, ok := op.(map[string]any); ok {
					g, _ := m["x-kubernetes-group-version-kind"].(map[string]any)
					p.operation(path, makeGVK(g["group"], g["version"], g["kind"]))
				}
			}
		}
	default:
		return &DocumentError{Document: doc, Path: "paths", Message: "want a map, found " + shape(v)}
	}
	return nil
}

func (p paths) operation(path string, g gvk) {
	if g.kind != "" && !slices.Contains(p[path], g) {
		p[path] = append(p[path], g)
	}
}

// resources derives the plural name, scope and subresources of each kind from the URL
// paths.
func (p paths) resources() map[gvk]Kind {
	kinds := map[gvk]Kind{}
	subs := map[[2]string]map[string]bool{} // subresources by group version and plural name
	for path := range p {
		version, r, ok := parsePath(path)
		if !ok || r.sub == "" {
			continue
		}
		key := [2]string{version, r.plural}
		if subs[key] == nil {
			subs[key] = map[string]bool{}
		}
		subs[key][r.sub] = true
	}
	for _, path := range slices.Sorted(maps.Keys(p)) {
		version, r, ok := parsePath(path)
		if !ok || r.sub != "" {
			continue
		}
		for _, g := range p[path] {
			k := kinds[g]
			k.Resource = r.plural
			k.Subresources = slices.Sorted(maps.Keys(subs[[2]string{version, r.plural}]))
			if r.namespaced {
				k.Scope = Namespaced
			} else if k.Scope == ScopeUnknown {
				k.Scope = ClusterWide
			}
			kinds[g] = k
		}
	}
	return kinds
}

// resourcePath is the part of a URL path after the group and version.
type resourcePath struct {
	namespaced  bool
	plural, sub string
}

// parsePath parses a URL path of the form
// /apis/GROUP/VERSION/namespaces/{namespace}/PLURAL/{name}/SUB. The namespace, and everything
// after PLURAL, are optional. For any other path, ok is false.
func parsePath(path string) (version string, r resourcePath, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		version, parts = parts[1]+"/"+parts[2], parts[3:]
	default:
		return "", r, false
	}
	if len(parts) >= 3 && parts[0] == "namespaces" && parts[1] == "{namespace}" {
		r.namespaced, parts = true, parts[2:]
	}
	switch {
	case parts[0] == "watch" || strings.HasPrefix(parts[0], "{"):
		return "", r, false
	case len(parts) == 1 || len(parts) == 2 && parts[1] == "{name}":
		r.plural = parts[0]
	case len(parts) == 3 && parts[1] == "{name}":
		r.plural, r.sub = parts[0], parts[2]
	default:
		return "", r, false
	}
	return version, r, true
}
