// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"context"
	"fmt"
	"slices"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// defaults checks the defaults of one version. Its schema is structural.
type defaults struct {
	*report
	root *node
	// budget is what the rules of all defaults together may cost to run.
	budget int64
}

// surroundings are what a default stands in, up to the nearest resource.
type surroundings struct {
	resource *structural.Structural
	// wrap puts a value at its place in an otherwise empty resource.
	wrap func(any) any
	// meta says that the place is in apiVersion, kind or metadata.
	meta bool
}

// checkDefaults checks every default of the version by itself: what stands in
// it must be known to the schema and valid, without the defaults below it.
//
// Those of map values are checked like others; the API server forgets them.
func (v *Version) checkDefaults(r *report) {
	if !hasDefault(v.doc.schema) {
		return
	}
	if err := v.structure(); err != nil {
		r.add(Malformed, v.doc.schema.at, "want a schema that the API server can read: %v", err)
		return
	}
	d := &defaults{report: r, root: v.doc.schema, budget: celconfig.RuntimeCELCostBudget}
	d.check(v.doc.schema, asResource(v.doc.schema.structural), surroundings{})
}

// hasDefault says whether n or a schema below it has a default.
func hasDefault(n *node) bool {
	found := n.def != nil
	n.each(func(child *node) { found = found || hasDefault(child) })
	return found
}

// asResource returns s as the schema of a whole resource.
func asResource(s *structural.Structural) *structural.Structural {
	resource := *s
	resource.XEmbeddedResource = true
	return &resource
}

// check checks the default of n, whose schema is s, and those below it.
func (d *defaults) check(n *node, s *structural.Structural, in surroundings) {
	if s.XEmbeddedResource {
		in = surroundings{resource: s, wrap: func(v any) any { return v }}
	}
	if n.def != nil {
		d.value(n, s, in)
	}
	for _, name := range n.names() {
		p := n.properties[name]
		below := in
		below.meta = in.meta || s.XEmbeddedResource && isMeta(name)
		below.wrap = func(v any) any { return in.wrap(map[string]any{name: v}) }
		d.check(p, p.structural, below)
	}
	if n.additional != nil {
		below := in
		below.wrap = func(v any) any { return in.wrap(map[string]any{"key": v}) }
		d.check(n.additional, n.additional.structural, below)
	}
	if n.items != nil {
		below := in
		below.wrap = func(v any) any { return in.wrap([]any{v}) }
		d.check(n.items, n.items.structural, below)
	}
}

// value checks one default: first its shape, which the rules rely on.
func (d *defaults) value(n *node, s *structural.Structural, in surroundings) {
	at := n.at.at("default")
	before := len(d.listed) + d.dropped
	fresh := func() any { return runtime.DeepCopyJSONValue(n.def) }
	if in.meta {
		d.metadata(at, in.wrap(fresh()), in.resource)
	} else {
		d.unknown(at, n.def, n, false)
		d.resources(at, fresh(), s)
	}
	if len(d.listed)+d.dropped > before {
		return
	}
	validator := validation.NewSchemaValidatorFromOpenAPI(s.ToKubeOpenAPI())
	for _, err := range without(validation.ValidateCustomResource(nil, fresh(), validator)) {
		hint, fix := filledLater(n, err)
		d.fixable(DefaultValue, within(at, n.def, err), fix, "want a default that is valid: %s%s", words(err, n.def), hint)
	}
	for _, err := range uniqueness(s, fresh()) {
		d.add(DefaultDuplicate, within(at, n.def, err), "want each item once in a list of this type: %s", words(err, n.def))
	}
	if len(d.listed)+d.dropped > before || d.budget < 0 {
		return
	}
	d.rules(at, n, s, s == in.resource)
}

// filledLater says what to do where a default lacks a required field that has a default
// of its own: it is judged before the other is filled in.
func filledLater(n *node, err *field.Error) (hint string, fix *Fix) {
	steps, _ := follow(n.def, fieldOf(err))
	if err.Type != field.ErrorTypeRequired || len(steps) == 0 {
		return "", nil
	}
	for _, step := range steps[:len(steps)-1] {
		if name, ok := step.(string); !ok {
			n = n.items
		} else if p := n.properties[name]; p != nil {
			n = p
		} else {
			n = n.additional
		}
		if n == nil {
			return "", nil
		}
	}
	name, _ := steps[len(steps)-1].(string)
	if p := n.properties[name]; p == nil || p.def == nil {
		return "", nil
	}
	hint = fmt.Sprintf("; %s has a default, but that is filled in only after this one is judged: take %s out of required, or write it here", name, name)
	if !slices.Contains(n.required, name) {
		return hint, nil // value validation requires it
	}
	// Whether a field with a default is required makes no difference to objects, whose
	// defaults are filled in before they are judged.
	return hint, &Fix{"takes " + name + " out of required", manifest.Change{
		Steps: n.at.steps(), Field: "required", Drop: func(item any) bool { return item == name },
	}}
}

// within is the place in a default that an error of a library names.
func within(at *place, def any, err *field.Error) *place {
	steps, _ := follow(def, fieldOf(err))
	for _, step := range steps {
		switch step := step.(type) {
		case int:
			at = at.nth(step)
		case string:
			at = at.at(step)
		}
	}
	return at
}

// metadata checks a default that is a part of apiVersion, kind or metadata of a
// resource: the resource around it must come out right.
func (d *defaults) metadata(at *place, object any, resource *structural.Structural) {
	m, ok := object.(map[string]any)
	if !ok {
		return // the default is a whole resource, which is looked at as such
	}
	if _, ok := m["apiVersion"]; !ok {
		m["apiVersion"] = "validation/v1"
	}
	if _, ok := m["kind"]; !ok {
		m["kind"] = "Validation"
	}
	d.coerced(at, m, resource, true)
}

// resources checks the metadata of all embedded resources in a default.
func (d *defaults) resources(at *place, object any, s *structural.Structural) {
	d.coerced(at, object, s, s.XEmbeddedResource)
}

func (d *defaults) coerced(at *place, object any, s *structural.Structural, root bool) {
	if err := objectmeta.Coerce(nil, object, s, root, false); err != nil {
		d.add(DefaultMetadata, at, "want a default with metadata of a resource: %s: %s", fieldOf(err), words(err, object))
		return
	}
	for _, err := range objectmeta.Validate(context.Background(), nil, object, s, root) {
		d.add(DefaultMetadata, at, "want a default with metadata of a resource: %s: %s", fieldOf(err), words(err, object))
	}
}

// rules runs the rules of the schema on the default: as an update that changes
// nothing, and as something new.
func (d *defaults) rules(at *place, n *node, s *structural.Structural, root bool) {
	validator := cel.NewValidator(s, root, celconfig.PerCallLimit)
	if validator == nil {
		return
	}
	left := d.budget
	for _, old := range []any{n.def, nil} {
		errs, rest := validator.Validate(context.Background(), nil, s, n.def, old, d.budget)
		left = min(left, rest)
		for _, err := range errs {
			d.add(DefaultRule, within(at, n.def, err), "want a default that keeps the rules of its schema: %s", words(err, n.def))
		}
		if len(errs) > 0 {
			break
		}
	}
	d.budget = left
}

// unknown reports the fields of a default that the schema does not have, which
// the API server would prune. Metadata of an embedded resource may hold any.
// keep is set for the items of lists that preserve unknown fields, which then
// keep theirs.
func (d *defaults) unknown(at *place, v any, n *node, keep bool) {
	keep = keep || n.preserve
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedKeys(v) {
			p := n.properties[name]
			switch {
			case (n.embedded || n == d.root) && isMeta(name):
			case p != nil:
				d.unknown(at.at(name), v[name], p, false)
			case n.additional != nil:
				d.unknown(at.at(name), v[name], n.additional, false)
			case n.additionalSet:
				d.noSchema(at.at(name), v[name])
			case !keep:
				d.pruned(at, name)
			}
		}
	case []any:
		for i, item := range v {
			if n.items != nil {
				d.unknown(at.nth(i), item, n.items, keep)
			} else if !keep {
				d.noSchema(at.nth(i), item)
			}
		}
	}
}

func (d *defaults) pruned(at *place, name string) {
	d.add(DefaultUnknown, at.at(name), "want a field that the schema has, found %s, which the API server would prune; declare it or remove it", shorten(name, maxValue))
}

// noSchema reports the fields of a value that has no schema.
func (d *defaults) noSchema(at *place, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedKeys(v) {
			d.pruned(at, name)
		}
	case []any:
		for i, item := range v {
			d.noSchema(at.nth(i), item)
		}
	}
}

// uniqueness returns the items of lists that are there twice.
func uniqueness(s *structural.Structural, v any) field.ErrorList {
	// The library takes objects only.
	const name = "x"
	wrapped := &structural.Structural{Properties: map[string]structural.Structural{name: *s}}
	errs := listtype.ValidateListSetsAndMaps(nil, wrapped, map[string]any{name: v})
	for _, err := range errs {
		err.Field = err.Field[len(name):]
	}
	return errs
}
