// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
)

// objectValidator validates objects of one version.
type objectValidator struct {
	version *Version
	typ     typed.ParseableType
	schema  *structural.Structural
	values  validation.SchemaValidator
	rules   *cel.Validator // nil if there are none
	// stored is the schema in force, if embedded resources have defaults in
	// their metadata. Nil otherwise.
	stored *structural.Structural
}

// objectValidator makes what the version's objects are validated with.
func (v *Version) objectValidator() (*objectValidator, error) {
	prefix, shared := v.at.String(), v.part("schema").String()
	for _, f := range v.definition.Validate() {
		if f.Rule == DefaultVersion {
			continue // a CRD that is there has its defaults
		}
		if strings.HasPrefix(f.Path, prefix+".") || strings.HasPrefix(f.Path, shared+".") {
			return nil, fmt.Errorf("the schema of %s cannot be used: %w", v.apiVersion(), f)
		}
	}
	if v.schema == nil {
		return nil, fmt.Errorf("the version %s has no schema", v.Name)
	}
	if err := v.structure(); err != nil {
		return nil, err
	}
	o := &objectValidator{version: v, schema: v.schema.structural}
	props, err := v.internal()
	if err != nil {
		return nil, err
	}
	if o.values, _, err = validation.NewSchemaValidator(props); err != nil {
		return nil, err
	}
	o.rules = cel.NewValidator(o.schema, true, celconfig.PerCallLimit)
	if v.schema.hasMetaDefault(false) {
		if o.stored, err = v.prunedDefaults(); err != nil {
			return nil, err
		}
	}
	o.typ, err = v.parseable()
	return o, err
}

func (v *Version) apiVersion() string { return v.definition.Group + "/" + v.Name }

// parseable returns the merge type of the version, served or not.
func (v *Version) parseable() (typed.ParseableType, error) {
	root := v.schema.raw
	if v.schema.hasDefault() {
		pruned, err := v.prunedDefaults()
		if err != nil {
			return typed.ParseableType{}, err
		}
		root = withDefaults(v.schema, pruned)
	}
	version := map[string]any{"name": v.Name, "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": root}}
	spec := map[string]any{
		"group": v.definition.Group, "scope": v.definition.spec["scope"], "names": v.definition.names,
		"versions": []any{version}, "preserveUnknownFields": v.definition.preserves(),
	}
	doc, err := json.Marshal(map[string]any{"apiVersion": apiVersion, "kind": "CustomResourceDefinition", "spec": spec})
	if err != nil {
		return typed.ParseableType{}, err
	}
	catalog := openapi.New()
	if err := catalog.AddCRD(v.at.String(), doc); err != nil {
		return typed.ParseableType{}, err
	}
	t, ok := catalog.Type(v.apiVersion(), v.definition.Kind)
	if !ok {
		return t, fmt.Errorf("%s %s has no merge type", v.apiVersion(), v.definition.Kind)
	}
	return t, nil
}

// Type returns the merge type of the version's objects, as package openapi
// makes it. It fails as Validate does.
func (v *Version) Type() (typed.ParseableType, error) {
	o, err := v.objects()
	if err != nil {
		return typed.ParseableType{}, err
	}
	return o.typ, nil
}

// Validate returns what is wrong with an object of this version; nil if nothing
// is. It judges as the API server does: unknown fields are set aside and
// reported, defaults are filled in, then types, required fields, bounds,
// formats, lists with unique items and x-kubernetes-validations are checked.
//
// old is the object that it replaces, nil if it is new. Rules that speak of
// oldSelf need it, and what did not change since is not held against the
// object. Neither is written to.
//
// The error says that the schema of the version cannot be used, see
// [Definition.Validate], or that an object is no JSON.
func (v *Version) Validate(object, old map[string]any) (Findings, error) {
	o, err := v.objects()
	if err != nil {
		return nil, err
	}
	now, unknown, err := o.prepare(object)
	if err != nil {
		return nil, err
	}
	var before map[string]any
	if old != nil {
		if before, _, err = o.prepare(old); err != nil {
			return nil, fmt.Errorf("the old object: %w", err)
		}
	}
	c := &objectCheck{objectValidator: o, object: now, old: before}
	for _, path := range unknown {
		c.say(ObjectUnknown, path, "found a field that the schema does not have; the API server would drop it")
	}
	c.kind()
	c.metadata()
	c.validate()
	list := c.findings()
	return list, nil
}

// Default returns a copy of an object as the API server would store it: without
// fields that the schema does not have and with all defaults.
func (v *Version) Default(object map[string]any) (map[string]any, error) {
	o, err := v.objects()
	if err != nil {
		return nil, err
	}
	now, _, err := o.prepare(object)
	return now, err
}

// prepare copies an object, fills in defaults and drops unknown fields.
func (o *objectValidator) prepare(object map[string]any) (_ map[string]any, unknown []string, err error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, nil, err
	}
	var fresh map[string]any
	if err := utiljson.Unmarshal(bytes.TrimSpace(text), &fresh); err != nil {
		return nil, nil, err
	}
	// The merge type of what may be anything takes null for a value of it.
	defaulting.PruneNonNullableNullsWithoutDefaults(fresh, o.schema)
	defaulted, err := o.typ.Default(fresh)
	if err != nil {
		return nil, nil, err
	}
	m, ok := defaulted.(map[string]any)
	if !ok {
		return nil, nil, fmt.Errorf("want an object, found %s", shape(defaulted))
	}
	if o.stored != nil {
		defaulting.Default(m, o.stored)
	}
	if !o.version.definition.preserves() {
		unknown = pruning.PruneWithOptions(m, o.schema, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	}
	// Metadata of embedded resources becomes what the type of all metadata makes
	// of it. What it makes nothing of is reported when the object is validated.
	_ = objectmeta.Coerce(nil, m, o.schema, false, false)
	return m, unknown, nil
}
