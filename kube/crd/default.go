// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"context"
	"fmt"
	"slices"
	"strconv"

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

// defaults checks the defaults of one version.
type defaults struct {
	*report
	version *Version
	root    *tree.Node
	// budget limits the total cost of the CEL rules that still have to run on defaults of this
	// version.
	budget int64
}

// surroundings describes where a default is: the resource that contains it, and its position in this
// resource. The resource is the custom resource or an embedded resource.
type surroundings struct {
	resource *tree.Node
	// wrap returns a resource that contains only the given value, at the position of the default.
	wrap func(any) any
	// meta is true for a default of the resource's apiVersion, kind or metadata, or of a field
	// inside metadata.
	meta bool
}

// checkDefaults checks each default of the version. A default must be valid, and the
// schema must declare all its fields. The default is checked as written, before the
// defaults of fields inside it are filled in.
//
// Defaults of map values (additionalProperties) are also checked, although the API server
// does not check them.
//
// The API server checks defaults only if the whole schema is structural. checkDefaults checks
// each default whose own schema is structural, and skips the others.
func (v *Version) checkDefaults(r *report) {
	if !hasDefault(v.doc.Schema) {
		return
	}
	d := &defaults{report: r, version: v, root: v.doc.Schema, budget: celconfig.RuntimeCELCostBudget}
	d.check(v.doc.Schema, surroundings{})
}

// hasDefault reports whether n or a schema below it has a default.
func hasDefault(n *tree.Node) bool {
	found := n.Def != nil
	n.Each(func(child *tree.Node) { found = found || hasDefault(child) })
	return found
}

// structural converts the schema n to the type that the API server's libraries use. For the root of
// the CRD, the result is marked as a resource.
func (d *defaults) structural(n *tree.Node) *structural.Structural {
	if n != d.root {
		return n.Structural
	}
	resource := *n.Structural
	resource.XEmbeddedResource = true
	return &resource
}

// defaultRules lists the rules about a single default.
var defaultRules = []Rule{DefaultUnknown, openapi.DefaultValue, DefaultDuplicate, DefaultMetadata, DefaultRule}

// check checks the default of n and the defaults of all schemas below n. The argument around describes
// the resource that contains n.
func (d *defaults) check(n *tree.Node, around surroundings) {
	resource := n == d.root || n.Embedded
	if resource {
		around = surroundings{resource: n, wrap: func(v any) any { return v }}
	}
	if n.Def != nil {
		read := n
		if around.meta {
			read = around.resource
		}
		if cause := d.version.readable(d.report, read); cause != nil {
			d.skip(n.At.At("default"), cause, defaultRules...)
		} else {
			d.value(n, around)
		}
	}
	for _, name := range n.Names() {
		p := n.Properties[name]
		below := around
		below.meta = around.meta || resource && tree.IsMeta(name)
		below.wrap = func(v any) any { return around.wrap(map[string]any{name: v}) }
		d.check(p, below)
	}
	if n.Additional != nil {
		below := around
		below.wrap = func(v any) any { return around.wrap(map[string]any{"key": v}) }
		d.check(n.Additional, below)
	}
	if n.Items != nil {
		below := around
		below.wrap = func(v any) any { return around.wrap([]any{v}) }
		d.check(n.Items, below)
	}
}

// value checks one default. It runs CEL rules last, because they work only on values
// of the right type.
func (d *defaults) value(n *tree.Node, around surroundings) {
	at, s := n.At.At("default"), d.structural(n)
	before := len(d.listed) + d.dropped
	fresh := func() any { return runtime.DeepCopyJSONValue(n.Def) }
	if around.meta {
		d.metadata(at, around.wrap(fresh()), d.structural(around.resource))
	} else {
		d.unknown(at, n.Def, n, false)
		d.resources(at, fresh(), s)
	}
	if len(d.listed)+d.dropped > before {
		return
	}
	validator := validation.NewSchemaValidatorFromOpenAPI(s.ToKubeOpenAPI())
	for _, err := range withoutRepeated(validation.ValidateCustomResource(nil, fresh(), validator)) {
		hint, fix := requiredWithDefault(n, err)
		if err.Type == field.ErrorTypeTypeInvalid && fieldOf(err) == "" {
			fix = d.retyped(n, validator)
		}
		d.fixable(openapi.DefaultValue, within(at, n.Def, err), fix, "invalid default: %s%s", errorText(err, n.Def), hint)
	}
	for _, err := range duplicates(s, fresh()) {
		d.add(DefaultDuplicate, within(at, n.Def, err), "the default has duplicate items, which a list of this type must not have: %s", errorText(err, n.Def))
	}
	if len(d.listed)+d.dropped > before || d.budget < 0 {
		return
	}
	if cause := d.uncompiled(n); cause != nil {
		d.skip(at, cause, DefaultRule)
		return
	}
	d.rules(at, n, s, n == around.resource)
}

// uncompiled returns the finding that prevents the validation rules of n from running, for example
// that a rule does not compile. It returns nil if all rules can run, or if there are none.
func (d *defaults) uncompiled(n *tree.Node) *Finding {
	switch {
	case !hasRule(n):
		return nil
	case d.faults.rules[n.At] != nil:
		return d.faults.rules[n.At]
	}
	return d.faults.schema[d.root.At] // checkRules compiles no rules if any schema of the version has an error
}

// retyped returns the fix for a scalar default that only has the wrong type, such as "1" for an
// integer or 1 for a string. The fix changes the type and keeps the text. retyped returns nil if the
// schema would reject the default even with the right type.
func (d *defaults) retyped(n *tree.Node, validator validation.SchemaValidator) *Fix {
	text, _, ok := d.object.Scalar(n.At.At("default").String())
	var v any
	switch was, isText := n.Def.(string); {
	case !ok || n.IntString:
		return nil
	case n.Kind == "string" && !isText:
		v = text
	case n.Kind == "boolean" && isText && (was == "true" || was == "false"):
		v = was == "true"
	case n.Kind == "integer" || n.Kind == "number":
		i, err := strconv.ParseInt(was, 10, 64)
		if err != nil || strconv.FormatInt(i, 10) != was {
			return nil
		}
		v = i
	default:
		return nil
	}
	if len(validation.ValidateCustomResource(nil, v, validator)) > 0 {
		return nil
	}
	return &Fix{"writes default: " + tree.Flow(v), manifest.Change{Steps: n.At.Steps(), Set: "default", Value: v, Replace: true}}
}

// requiredWithDefault returns a hint and a fix if a default lacks a required field, and this field has
// a default of its own. The API server validates the outer default before it sets the default of the
// field. For any other error, requiredWithDefault returns "" and nil.
func requiredWithDefault(n *tree.Node, err *field.Error) (hint string, fix *Fix) {
	steps, _ := splitPath(n.Def, fieldOf(err))
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
	hint = fmt.Sprintf("; the field %s has its own default, but the API server validates the outer default first; remove %s from required, or add it to the outer default", name, name)
	if !slices.Contains(n.Required, name) {
		return hint, nil // the field is required in allOf, anyOf, oneOf or not, which the fix cannot edit
	}
	// The fix does not affect objects, because the API server fills in the defaults of an
	// object before it checks required fields.
	return hint, &Fix{"removes " + name + " from required", manifest.Change{
		Steps: n.At.Steps(), Field: "required", Drop: func(item any) bool { return item == name },
	}}
}

// within returns the place of an error that a library reports for a default. The argument at is the
// place of the default itself. The path in the error is relative to the default.
func within(at *tree.Place, def any, err *field.Error) *tree.Place {
	steps, _ := splitPath(def, fieldOf(err))
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

// metadata checks a default of a resource's apiVersion, kind or metadata, or of a field inside
// metadata. The argument object is a resource that contains only this default.
func (d *defaults) metadata(at *tree.Place, object any, resource *structural.Structural) {
	m, ok := object.(map[string]any)
	if !ok {
		return // the default is a whole resource, which is checked by the method resources
	}
	if _, ok := m["apiVersion"]; !ok {
		m["apiVersion"] = "validation/v1"
	}
	if _, ok := m["kind"]; !ok {
		m["kind"] = "Validation"
	}
	d.checkMetadata(at, m, resource, true)
}

// resources checks the metadata of all embedded resources in a default.
func (d *defaults) resources(at *tree.Place, object any, s *structural.Structural) {
	d.checkMetadata(at, object, s, s.XEmbeddedResource)
}

// checkMetadata reports metadata in object that is invalid or has a wrong type. root is
// true if object itself is a resource.
func (d *defaults) checkMetadata(at *tree.Place, object any, s *structural.Structural, root bool) {
	if err := objectmeta.Coerce(nil, object, s, root, false); err != nil {
		d.add(DefaultMetadata, at, "the default has invalid metadata: %s: %s", fieldOf(err), errorText(err, object))
		return
	}
	for _, err := range objectmeta.Validate(context.Background(), nil, object, s, root) {
		d.add(DefaultMetadata, at, "the default has invalid metadata: %s: %s", fieldOf(err), errorText(err, object))
	}
}

// rules runs the validation rules of the schema on the default. The rules run twice: first as in an
// update that does not change the value, and then as for a new value. If the first run finds errors,
// the second run is skipped.
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
			d.add(DefaultRule, within(at, n.Def, err), "the default breaks a validation rule of its schema: %s", errorText(err, n.Def))
		}
		if len(errs) > 0 {
			break
		}
	}
	d.budget = left
}

// unknown reports the fields of a default that the schema does not declare, because the API server
// would prune them. The metadata of an embedded resource may have any fields.
//
// keep is true if v is an item of a list that preserves unknown fields. The API server then also
// preserves the unknown fields of v.
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
	d.add(DefaultUnknown, at.At(name), "the schema does not have the field %s, so the API server would prune it; declare the field, or remove it from the default", tree.Shorten(name, tree.MaxValue))
}

// noSchema reports all fields of a value that has no schema.
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

// duplicates returns an error for each duplicate item in the sets and the lists of type map inside
// v. s is the schema of v.
func duplicates(s *structural.Structural, v any) field.ErrorList {
	// The library checks only objects, so wrap the value in one.
	const name = "x"
	wrapped := &structural.Structural{Properties: map[string]structural.Structural{name: *s}}
	errs := listtype.ValidateListSetsAndMaps(nil, wrapped, map[string]any{name: v})
	for _, err := range errs {
		err.Field = err.Field[len(name):]
	}
	return errs
}
