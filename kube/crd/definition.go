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
	// malformed contains the findings about values of a wrong type, such as a string instead of a
	// list. faults maps the place of each of these values to its finding.
	malformed Findings
	faults    faults

	validate func() checked
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
// The error has the type manifest.Errors. Read fails if the data cannot be parsed, contains
// no CRD, or contains a CRD of an unknown version. Read does not report other problems of a
// CRD. Call [Definition.Validate] to find them.
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

// New reads a CRD from an object. It does not check the kind. It uses the apiVersion only to
// recognize CRDs of v1beta1, whose spec it converts to v1.
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
	d.malformed, d.faults = rep.findings(), rep.faults
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

// Validate returns the errors that would make the API server refuse to create the CRD. It also
// returns a few errors that the API server overlooks; see DIFFERENCES.md. Validate returns nil if
// the CRD is valid. All calls return the same slice, which callers must not change.
//
// An error in a schema may prevent Validate from checking other parts of the CRD: the defaults of
// enclosing schemas, and the CEL rules and selectable fields of the version. [Definition.Unchecked]
// lists these parts.
func (d *Definition) Validate() Findings { return d.validate().findings }

// Unchecked returns the parts of the CRD that Validate could not check, each with the error that
// prevented the check. Callers that ignore such an error must not assume that these parts are
// valid. All calls return the same slice, which callers must not change.
func (d *Definition) Unchecked() []Unchecked { return d.validate().unchecked }

// checked is the result of checking a definition.
type checked struct {
	findings  Findings
	unchecked []Unchecked
}

// check computes the results of Validate and Unchecked.
func (d *Definition) check() checked {
	r := &report{object: d.object, faults: d.faults.clone(), seen: map[string]bool{}}
	for _, f := range d.malformed {
		r.listed = append(r.listed, f)
		r.seen[f.key()] = true
	}
	d.checkParts(r)
	omitted := r.dropped > 0
	result := checked{r.findings(), r.unchecked}
	if omitted {
		// Every omitted finding may have prevented other checks, so report the whole CRD as unchecked.
		// The reported cause is the last finding, which says how many findings were omitted.
		last := result.findings[len(result.findings)-1]
		result.unchecked = append(result.unchecked, Unchecked{Cause: last})
	}
	return result
}

// checkParts checks all parts of the CRD. It adds the findings to r, and the parts that it could
// not check.
func (d *Definition) checkParts(r *report) {
	d.envelope(r.reading())
	for _, f := range d.malformed {
		if f.Rule == TooDeep || f.Rule == TooLarge { // the CRD was not read completely
			r.unchecked = append(r.unchecked, Unchecked{Cause: f})
			return
		}
	}
	for _, v := range d.Versions {
		if v.doc.Schema == nil {
			r.add(NoSchema, v.doc.At, "want schema.openAPIV3Schema, found none; every version needs a schema")
			continue
		}
		c := &checker{r}
		c.structural(v.doc.Schema, v.doc.Status)
		if d.doc.Beta {
			c.beta(v.doc.Schema)
		}
		v.checkReadable(r)
		v.checkSelectable(r.reading())
		v.checkRules(r)
		v.checkDefaults(r)
		if d.doc.Beta {
			c.betaDefaults(v.doc.Schema)
		}
	}
	if !slices.ContainsFunc(d.Versions, func(v *Version) bool { return v.doc.Schema == nil }) && len(d.malformed) == 0 {
		d.checkShared(r.reading())
	}
}
