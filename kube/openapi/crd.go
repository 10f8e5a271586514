// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/internal/beta"
)

// AddCRD adds every served version of the CustomResourceDefinitions in doc:
// apiextensions.k8s.io/v1 or, as API servers read it, v1beta1, JSON or YAML, one or several documents or a List.
// name is what messages call it. Objects of other kinds beside a CRD are
// passed over with a warning.
//
// The error is an *Error or several of them joined. Besides malformed input,
// these are: a list-map key that its items do not have, that is nullable or
// whose default is not a scalar.
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
	passOver(f, name, others)
	if len(crds) == 0 {
		e := &Error{Document: name, Message: "want a CustomResourceDefinition, found none"}
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

// appendCRDs adds the CRDs in v: v itself, or the items of a List. What is none goes
// to others.
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

// passOver warns of objects that are no CRDs, of many at once: a rendered chart has
// some of both.
func passOver(f *findings, name string, others []crdDocument) {
	switch len(others) {
	case 0:
	case 1:
		f.add(&f.warns, name, others[0].at, "passed over: want a CustomResourceDefinition, found %s", describe(others[0].fields))
	default:
		f.add(&f.warns, name, nil, "%d objects are passed over, which are no CustomResourceDefinitions", len(others))
	}
}

func describeAny(v any) string {
	if m, ok := v.(map[string]any); ok {
		return describe(m)
	}
	return shape(v)
}

// crd reads one CRD and adds its definitions and kinds.
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
		group:    r.want(spec, at, "group"),
		kind:     r.want(names, at.at("names"), "kind"),
		plural:   r.want(names, at.at("names"), "plural"),
		listKind: r.text(names, at.at("names"), "listKind"),
	}
	if res.listKind == "" {
		res.listKind = res.kind + "List"
	}
	switch scope := r.want(spec, at, "scope"); scope {
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
		version := r.want(m, at, "name")
		if slices.Contains(seen, version) && version != "" {
			r.fail(at.at("name"), "want a version of another name, found %q again", shorten(version))
		}
		seen = append(seen, version)
		if !r.flag(m, at, "served") {
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

// resourceNames are what a CRD says for all its versions.
type resourceNames struct {
	group, kind, listKind, plural string
	scope                         Scope
}

// want is text for a field that must not be empty.
func (r *reader) want(m map[string]any, at *place, field string) string {
	s := r.text(m, at, field)
	if s == "" && (m == nil || m[field] == nil || m[field] == "") {
		r.fail(at.at(field), "want a name, found nothing")
	}
	return s
}

// modelName is the name the API server gives to the definition of a kind of a
// CRD: the group's labels in reverse order, version, kind.
func modelName(group, version, kind string) string {
	labels := strings.Split(group, ".")
	slices.Reverse(labels)
	return strings.Join(append(labels, version, kind), ".")
}
