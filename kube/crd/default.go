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

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// defaults checks the defaults of one version. Its schema is structural.
type defaults struct {
	*report
	root *tree.Node
	// budget is what the rules of all defaults together may cost to run.
	budget int64
}

// surroundings are what a default stands in, up to the nearest resource.
type surroundings struct {
	resource *structural.Structural
	// wrap puts a value at its place in an otherwise empty resource.
	wrap func(any) any
	// meta says that the place is in APIVersion, kind or metadata.
	meta bool
}

// checkDefaults checks every default of the version by itself: what stands in
// it must be known to the schema and valid, without the defaults below it.
//
// Those of map values are checked like others; the API server forgets them.
func (v *Version) checkDefaults(r *report) {
	if !hasDefault(v.doc.Schema) {
		return
	}
	if err := v.structure(); err != nil {
		r.add(Malformed, v.doc.Schema.At, "want a schema that the API server can read: %v", err)
		return
	}
	d := &defaults{report: r, root: v.doc.Schema, budget: celconfig.RuntimeCELCostBudget}
	d.check(v.doc.Schema, asResource(v.doc.Schema.Structural), surroundings{})
}

// hasDefault says whether n or a schema below it has a default.
func hasDefault(n *tree.Node) bool {
	found := n.Def != nil
	n.Each(func(child *tree.Node) { found = found || hasDefault(child) })
	return found
}

// asResource returns s as the schema of a whole resource.
func asResource(s *structural.Structural) *structural.Structural {
	resource := *s
	resource.XEmbeddedResource = true
	return &resource
}

// check checks the default of n, whose schema is s, and those below it.
func (d *defaults) check(n *tree.Node, s *structural.Structural, in surroundings) {
	if s.XEmbeddedResource {
		in = surroundings{resource: s, wrap: func(v any) any { return v }}
	}
	if n.Def != nil {
		d.value(n, s, in)
	}
	for _, name := range n.Names() {
		p := n.Properties[name]
		below := in
		below.meta = in.meta || s.XEmbeddedResource && tree.IsMeta(name)
		below.wrap = func(v any) any { return in.wrap(map[string]any{name: v}) }
		d.check(p, p.Structural, below)
	}
	if n.Additional != nil {
		below := in
		below.wrap = func(v any) any { return in.wrap(map[string]any{"key": v}) }
		d.check(n.Additional, n.Additional.Structural, below)
	}
	if n.Items != nil {
		below := in
		below.wrap = func(v any) any { return in.wrap([]any{v}) }
		d.check(n.Items, n.Items.Structural, below)
	}
}

// value checks one default: first its shape, which the rules rely on.
func (d *defaults) value(n *tree.Node, s *structural.Structural, in surroundings) {
	at := n.At.At("default")
	before := len(d.listed) + d.dropped
	fresh := func() any { return runtime.DeepCopyJSONValue(n.Def) }
	if in.meta {
		d.metadata(at, in.wrap(fresh()), in.resource)
	} else {
		d.unknown(at, n.Def, n, false)
		d.resources(at, fresh(), s)
	}
	if len(d.listed)+d.dropped > before {
		return
	}
	validator := validation.NewSchemaValidatorFromOpenAPI(s.ToKubeOpenAPI())
	for _, err := range without(validation.ValidateCustomResource(nil, fresh(), validator)) {
		hint, fix := filledLater(n, err)
		d.fixable(openapi.DefaultValue, within(at, n.Def, err), fix, "want a default that is valid: %s%s", words(err, n.Def), hint)
	}
	for _, err := range uniqueness(s, fresh()) {
		d.add(DefaultDuplicate, within(at, n.Def, err), "want each item once in a list of this type: %s", words(err, n.Def))
	}
	if len(d.listed)+d.dropped > before || d.budget < 0 {
		return
	}
	d.rules(at, n, s, s == in.resource)
}

// filledLater says what to do where a default lacks a required field that has a default
// of its own: it is judged before the other is filled in.
func filledLater(n *tree.Node, err *field.Error) (hint string, fix *Fix) {
	steps, _ := follow(n.Def, fieldOf(err))
	if err.Type != field.ErrorTypeRequired || len(steps) == 0 {
		return "", nil
	}
	for _, step := range steps[:len(steps)-1] {
		if name, ok := step.(string); !ok {
			n = n.Items
		} else if p := n.Properties[name]; p != nil {
			n = p
		} else {
			n = n.Additional
		}
		if n == nil {
			return "", nil
		}
	}
	name, _ := steps[len(steps)-1].(string)
	if p := n.Properties[name]; p == nil || p.Def == nil {
		return "", nil
	}
	hint = fmt.Sprintf("; %s has a default, but that is filled in only after this one is judged: take %s out of required, or write it here", name, name)
	if !slices.Contains(n.Required, name) {
		return hint, nil // value validation requires it
	}
	// Whether a field with a default is required makes no difference to objects, whose
	// defaults are filled in before they are judged.
	return hint, &Fix{"takes " + name + " out of required", manifest.Change{
		Steps: n.At.Steps(), Field: "required", Drop: func(item any) bool { return item == name },
	}}
}

// within is the place in a default that an error of a library names.
func within(at *tree.Place, def any, err *field.Error) *tree.Place {
	steps, _ := follow(def, fieldOf(err))
	for _, step := range steps {
		switch step := step.(type) {
		case int:
			at = at.Nth(step)
		case string:
			at = at.At(step)
		}
	}
	return at
}

// metadata checks a default that is a part of APIVersion, kind or metadata of a
// resource: the resource around it must come out right.
func (d *defaults) metadata(at *tree.Place, object any, resource *structural.Structural) {
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
func (d *defaults) resources(at *tree.Place, object any, s *structural.Structural) {
	d.coerced(at, object, s, s.XEmbeddedResource)
}

func (d *defaults) coerced(at *tree.Place, object any, s *structural.Structural, root bool) {
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
func (d *defaults) rules(at *tree.Place, n *tree.Node, s *structural.Structural, root bool) {
	validator := cel.NewValidator(s, root, celconfig.PerCallLimit)
	if validator == nil {
		return
	}
	left := d.budget
	for _, old := range []any{n.Def, nil} {
		errs, rest := validator.Validate(context.Background(), nil, s, n.Def, old, d.budget)
		left = min(left, rest)
		for _, err := range errs {
			d.add(DefaultRule, within(at, n.Def, err), "want a default that keeps the rules of its schema: %s", words(err, n.Def))
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
func (d *defaults) unknown(at *tree.Place, v any, n *tree.Node, keep bool) {
	keep = keep || n.Preserve
	switch v := v.(type) {
	case map[string]any:
		for _, name := range tree.SortedKeys(v) {
			p := n.Properties[name]
			switch {
			case (n.Embedded || n == d.root) && tree.IsMeta(name):
			case p != nil:
				d.unknown(at.At(name), v[name], p, false)
			case n.Additional != nil:
				d.unknown(at.At(name), v[name], n.Additional, false)
			case n.AdditionalSet:
				d.noSchema(at.At(name), v[name])
			case !keep:
				d.pruned(at, name)
			}
		}
	case []any:
		for i, item := range v {
			if n.Items != nil {
				d.unknown(at.Nth(i), item, n.Items, keep)
			} else if !keep {
				d.noSchema(at.Nth(i), item)
			}
		}
	}
}

func (d *defaults) pruned(at *tree.Place, name string) {
	d.add(DefaultUnknown, at.At(name), "want a field that the schema has, found %s, which the API server would prune; declare it or remove it", tree.Shorten(name, tree.MaxValue))
}

// noSchema reports the fields of a value that has no schema.
func (d *defaults) noSchema(at *tree.Place, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range tree.SortedKeys(v) {
			d.pruned(at, name)
		}
	case []any:
		for i, item := range v {
			d.noSchema(at.Nth(i), item)
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
