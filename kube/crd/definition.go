// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"encoding/json"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dovetail-ssa/dovetail/kube/internal/beta"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Definition is a CustomResourceDefinition. It can be used by several
// goroutines at once.
type Definition struct {
	// Group, Kind and Plural are what the CRD says they are, even if they are
	// wrong.
	Group, Kind, Plural string
	// Namespaced says whether objects have a namespace.
	Namespaced bool
	// Versions are in the order of the document.
	Versions []*Version

	object *manifest.Object
	names  map[string]any
	spec   map[string]any
	specAt *place
	// beta says that the CRD is one of v1beta1, which has no markers. spec is then what
	// v1 makes of betaSpec.
	beta     bool
	betaSpec map[string]any
	// malformed is what could not be read.
	malformed Findings

	validate func() Findings
}

// Version is one version of a CustomResourceDefinition.
type Version struct {
	Name            string
	Served, Storage bool

	definition *Definition
	at         *place
	index      int
	raw        map[string]any
	// schema is nil if there is none.
	schema *node
	// status says that the version has a status subresource.
	status bool

	structure func() error
	objects   func() (*objectValidator, error)
}

// Read returns the CustomResourceDefinitions in data, YAML or JSON, one or
// several documents or a List. name is what findings call it. Objects of other
// kinds are passed over.
//
// CRDs of apiextensions.k8s.io/v1beta1 are read as API servers did, as those of v1;
// [Definition.Lint] says how to write them so.
//
// The error is manifest.Errors: what keeps the data from being read, or from
// being known as CRDs of these versions. What is wrong with a CRD
// beyond that is for [Definition.Validate] to say.
func Read(name string, data []byte) ([]*Definition, error) {
	objects, err := manifest.Read(name, data)
	if err != nil {
		return nil, err
	}
	var (
		all  []*Definition
		errs manifest.Errors
	)
	for _, o := range objects {
		id := o.Identity()
		switch {
		case id.Kind != "CustomResourceDefinition":
		case id.APIVersion != apiVersion && id.APIVersion != beta.APIVersion:
			errs = append(errs, o.Errorf(".apiVersion", "want %s, found %s", apiVersion, shorten(id.APIVersion, maxValue)))
		default:
			all = append(all, FromObject(o))
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	if len(all) == 0 {
		found := "nothing"
		if len(objects) > 0 {
			found = objects[0].Identity().Kind
		}
		return nil, manifest.Errors{{File: name, Message: "want a CustomResourceDefinition, found " + found}}
	}
	return all, nil
}

const apiVersion = "apiextensions.k8s.io/v1"

// FromObject returns the CRD that an object of a file is. Its kind is not looked
// at, and its apiVersion only for v1beta1: there is no immutability there.
func FromObject(o *manifest.Object) *Definition {
	d := &Definition{object: o, beta: o.Content["apiVersion"] == beta.APIVersion}
	rep := &report{object: o}
	r := &schemaReader{reader: reader{rep}}
	var at *place
	d.specAt = at.at("spec")
	d.spec = r.mapping(o.Content, at, "spec")
	if d.beta {
		d.betaSpec, d.spec = d.spec, beta.Spec(d.spec)
	}
	d.names = r.mapping(d.spec, d.specAt, "names")
	d.Group = r.text(d.spec, d.specAt, "group")
	d.Kind = r.text(d.names, d.specAt.at("names"), "kind")
	d.Plural = r.text(d.names, d.specAt.at("names"), "plural")
	d.Namespaced = r.text(d.spec, d.specAt, "scope") == "Namespaced"
	for i, v := range r.list(d.spec, d.specAt, "versions") {
		d.Versions = append(d.Versions, r.version(d, v, i))
	}
	d.malformed = rep.findings()
	d.validate = sync.OnceValue(d.check)
	return d
}

func (r *schemaReader) version(d *Definition, v any, index int) *Version {
	at := d.specAt.at("versions").nth(index)
	m := r.item(v, at)
	w := &Version{definition: d, at: at, index: index, raw: m}
	w.Name = r.text(m, at, "name")
	at.version = w.Name
	w.Served = r.flag(m, at, "served")
	w.Storage = r.flag(m, at, "storage")
	w.status = r.mapping(r.mapping(m, at, "subresources"), w.part("subresources"), "status") != nil
	schemaAt := w.part("schema").at("openAPIV3Schema")
	if s := r.mapping(m, at, "schema")["openAPIV3Schema"]; s != nil {
		w.schema = r.schema(s, schemaAt, 1)
	} else if d.beta && d.preserves() {
		w.schema = r.schema(map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, schemaAt, 1)
	}
	w.structure = sync.OnceValue(w.convert)
	w.objects = sync.OnceValues(w.objectValidator)
	return w
}

// part is where a field of the version stands in the document, which for v1beta1 may be
// above all versions.
func (v *Version) part(field string) *place {
	if !v.definition.beta {
		return v.at.at(field)
	}
	steps := beta.Origin(v.definition.betaSpec, v.index, field)
	if len(steps) == 3 {
		return v.at.at(field)
	}
	at := v.definition.specAt.at(steps[0].(string))
	at.version, at.stands = v.Name, "."+field
	return at
}

// preserves says that no object loses fields that its schema does not have.
func (d *Definition) preserves() bool { return d.spec["preserveUnknownFields"] == true }

// Version returns the version of a name; ok is false if there is none.
func (d *Definition) Version(name string) (v *Version, ok bool) {
	for _, v := range d.Versions {
		if v.Name == name {
			return v, true
		}
	}
	return nil, false
}

// Validate returns all for which the API server would refuse to create the CRD,
// and what it overlooks, see DIFFERENCES.md; nil if nothing is wrong.
func (d *Definition) Validate() Findings { return d.validate() }

// check is Validate, which keeps the result.
func (d *Definition) check() Findings {
	r := &report{object: d.object, list: append(Findings(nil), d.malformed...)}
	d.envelope(reader{r})
	if slices.ContainsFunc(d.malformed, func(f *Finding) bool { return f.Rule == TooDeep || f.Rule == TooLarge }) {
		return r.findings() // not all of it was read
	}
	for _, v := range d.Versions {
		if v.schema == nil {
			r.add(NoSchema, v.at, "want schema.openAPIV3Schema, found none: every version needs a schema")
			continue
		}
		before := len(r.list) + r.dropped
		c := &checker{r}
		c.structural(v.schema, v.status)
		if d.beta {
			c.beta(v.schema)
		}
		if len(r.list)+r.dropped > before || len(d.malformed) > 0 {
			// What follows is of no use without a schema that means something.
			continue
		}
		v.checkSelectable(reader{r})
		v.checkDefaults(r)
		if len(r.list)+r.dropped == before {
			v.checkRules(r)
		}
		if d.beta {
			c.betaDefaults(v.schema)
		}
	}
	if !slices.ContainsFunc(d.Versions, func(v *Version) bool { return v.schema == nil }) && len(d.malformed) == 0 {
		d.checkShared(reader{r})
	}
	return r.findings()
}

// decode returns the schema in the form of the API server's libraries.
func (v *Version) decode() (*apiextensionsv1.JSONSchemaProps, error) {
	text, err := json.Marshal(v.schema.raw)
	if err != nil {
		return nil, err
	}
	props := &apiextensionsv1.JSONSchemaProps{}
	return props, json.Unmarshal(text, props)
}
