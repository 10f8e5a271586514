// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/internal/beta"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Definition is a CustomResourceDefinition. It is safe for concurrent use.
type Definition struct {
	// Group, Kind and Plural are as written in the CRD, even if they are invalid.
	Group, Kind, Plural string
	// Namespaced reports whether objects have a namespace.
	Namespaced bool
	// Versions are in the order in which the CRD lists them.
	Versions []*Version

	object *manifest.Object
	doc    *tree.Document
	// malformed lists the findings about values of a wrong type.
	malformed Findings

	validate func() Findings
}

// Version is one version of a CustomResourceDefinition.
type Version struct {
	Name            string
	Served, Storage bool

	definition *Definition
	doc        *tree.Version

	structure func() error
	objects   func() (*objectValidator, error)
}

// Read returns the CustomResourceDefinitions in data. data is YAML or JSON and may contain
// several documents or a List. Objects of other kinds are ignored. name is the file name
// for findings.
//
// Read converts CRDs of apiextensions.k8s.io/v1beta1 to v1, as old API servers did.
// [Definition.Lint] reports how to write such CRDs in v1.
//
// The error has the type manifest.Errors. Read fails if the data cannot be parsed, has no
// CRD, or has a CRD of an unknown version. Read does not report other problems of a CRD.
// Call [Definition.Validate] to find them.
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
		case id.APIVersion != tree.APIVersion && id.APIVersion != beta.APIVersion:
			errs = append(errs, o.Errorf(".apiVersion", "want %s, found %s", tree.APIVersion, tree.Shorten(id.APIVersion, tree.MaxValue)))
		default:
			all = append(all, New(o))
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

// New returns the CRD in an object, without checking its kind. It reads the apiVersion
// only to recognize CRDs of v1beta1, which cannot have immutability markers.
func New(o *manifest.Object) *Definition {
	rep := &report{object: o}
	r := rep.reading()
	d := &Definition{object: o, doc: tree.Read(o.Content, r.Report)}
	at := d.doc.SpecAt
	d.Group = r.Text(d.doc.Spec, at, "group")
	d.Kind = r.Text(d.doc.Names, at.At("names"), "kind")
	d.Plural = r.Text(d.doc.Names, at.At("names"), "plural")
	d.Namespaced = r.Text(d.doc.Spec, at, "scope") == "Namespaced"
	for _, v := range d.doc.Versions {
		w := &Version{Name: v.Name, Served: v.Served, Storage: v.Storage, definition: d, doc: v}
		w.structure = sync.OnceValue(v.Convert)
		w.objects = sync.OnceValues(w.objectValidator)
		d.Versions = append(d.Versions, w)
	}
	d.malformed = rep.findings()
	d.validate = sync.OnceValue(d.check)
	return d
}

// Object returns the object that the CRD was read from.
func (d *Definition) Object() *manifest.Object { return d.object }

// Version returns the version with this name. ok is false if there is none.
func (d *Definition) Version(name string) (v *Version, ok bool) {
	for _, v := range d.Versions {
		if v.Name == name {
			return v, true
		}
	}
	return nil, false
}

// Declares reports whether the schema declares the field at a path in an object. In the
// path, a string is a field name and an int is a list index.
func (v *Version) Declares(path []any) bool {
	n := v.doc.Schema
	for _, step := range path {
		if n == nil {
			return false
		}
		name, isField := step.(string)
		switch {
		case !isField:
			n = n.Items
		case n.Properties[name] != nil:
			n = n.Properties[name]
		default:
			n = n.Additional
		}
	}
	return n != nil
}

// Validate returns the errors that would make the API server refuse to create the CRD. It
// also returns a few errors that the API server overlooks; see DIFFERENCES.md. Validate
// returns nil if the CRD is valid. All calls return the same slice, which callers must not
// change.
//
// If the schema of a version is not structural, Validate does not check the defaults and CEL
// rules of the version. The API server does not check them in this case, either.
func (d *Definition) Validate() Findings { return d.validate() }

// check computes the findings that Validate returns.
func (d *Definition) check() Findings {
	r := &report{object: d.object, listed: append(Findings(nil), d.malformed...)}
	d.envelope(r.reading())
	if slices.ContainsFunc(d.malformed, func(f *Finding) bool { return f.Rule == TooDeep || f.Rule == TooLarge }) {
		return r.findings() // the CRD was not read completely
	}
	for _, v := range d.Versions {
		if v.doc.Schema == nil {
			r.add(NoSchema, v.doc.At, "want schema.openAPIV3Schema, found none; every version needs a schema")
			continue
		}
		before := len(r.listed) + r.dropped
		c := &checker{r}
		c.structural(v.doc.Schema, v.doc.Status)
		if d.doc.Beta {
			c.beta(v.doc.Schema)
		}
		if len(r.listed)+r.dropped > before || len(d.malformed) > 0 {
			// The following checks need a structural schema. For example, only such a schema
			// determines which fields of a default the API server prunes.
			continue
		}
		v.checkSelectable(r.reading())
		v.checkDefaults(r)
		if len(r.listed)+r.dropped == before {
			v.checkRules(r)
		}
		if d.doc.Beta {
			c.betaDefaults(v.doc.Schema)
		}
	}
	if !slices.ContainsFunc(d.Versions, func(v *Version) bool { return v.doc.Schema == nil }) && len(d.malformed) == 0 {
		d.checkShared(r.reading())
	}
	return r.findings()
}
