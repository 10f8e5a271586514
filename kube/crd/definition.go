// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"
	"sync"

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
	doc    *document
	// malformed is what could not be read.
	malformed Findings

	validate func() Findings
}

// Version is one version of a CustomResourceDefinition.
type Version struct {
	Name            string
	Served, Storage bool

	definition *Definition
	doc        *docVersion

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

// FromObject returns the CRD that an object of a file is. Its kind is not looked
// at, and its apiVersion only for v1beta1: there is no immutability there.
func FromObject(o *manifest.Object) *Definition {
	rep := &report{object: o}
	r := rep.reading()
	d := &Definition{object: o, doc: readDocument(o.Content, r.tell)}
	at := d.doc.specAt
	d.Group = r.text(d.doc.spec, at, "group")
	d.Kind = r.text(d.doc.names, at.at("names"), "kind")
	d.Plural = r.text(d.doc.names, at.at("names"), "plural")
	d.Namespaced = r.text(d.doc.spec, at, "scope") == "Namespaced"
	for _, v := range d.doc.versions {
		w := &Version{Name: v.name, Served: v.served, Storage: v.storage, definition: d, doc: v}
		w.structure = sync.OnceValue(v.convert)
		w.objects = sync.OnceValues(w.objectValidator)
		d.Versions = append(d.Versions, w)
	}
	d.malformed = rep.findings()
	d.validate = sync.OnceValue(d.check)
	return d
}

// Object returns the object that the CRD was made from.
func (d *Definition) Object() *manifest.Object { return d.object }

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
	r := &report{object: d.object, listed: append(Findings(nil), d.malformed...)}
	d.envelope(r.reading())
	if slices.ContainsFunc(d.malformed, func(f *Finding) bool { return f.Rule == TooDeep || f.Rule == TooLarge }) {
		return r.findings() // not all of it was read
	}
	for _, v := range d.Versions {
		if v.doc.schema == nil {
			r.add(NoSchema, v.doc.at, "want schema.openAPIV3Schema, found none: every version needs a schema")
			continue
		}
		before := len(r.listed) + r.dropped
		c := &checker{r}
		c.structural(v.doc.schema, v.doc.status)
		if d.doc.beta {
			c.beta(v.doc.schema)
		}
		if len(r.listed)+r.dropped > before || len(d.malformed) > 0 {
			// What follows is of no use without a schema that means something.
			continue
		}
		v.checkSelectable(r.reading())
		v.checkDefaults(r)
		if len(r.listed)+r.dropped == before {
			v.checkRules(r)
		}
		if d.doc.beta {
			c.betaDefaults(v.doc.schema)
		}
	}
	if !slices.ContainsFunc(d.Versions, func(v *Version) bool { return v.doc.schema == nil }) && len(d.malformed) == 0 {
		d.checkShared(r.reading())
	}
	return r.findings()
}
