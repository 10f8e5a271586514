// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
)

// objectValidator validates objects of one version of a CRD.
type objectValidator struct {
	version *Version
	typ     typed.ParseableType
	schema  *structural.Structural
	values  validation.SchemaValidator
	rules   *cel.Validator // nil if there are none
	embeds  bool           // whether the schema allows embedded resources
}

// objectValidator returns the validator for objects of this version. It fails if the
// schema has errors.
func (v *Version) objectValidator() (*objectValidator, error) {
	prefix, shared := v.doc.At.String(), v.doc.Part("schema").String()
	for _, f := range v.definition.Validate() {
		if f.Rule == DefaultVersion {
			continue // a v1beta1 CRD that already exists may have defaults, and API servers apply them
		}
		if strings.HasPrefix(f.Path, prefix+".") || strings.HasPrefix(f.Path, shared+".") {
			return nil, fmt.Errorf("the schema of %s is invalid: %w", v.apiVersion(), f)
		}
	}
	if v.doc.Schema == nil {
		return nil, fmt.Errorf("the version %s has no schema", v.Name)
	}
	if err := v.structure(); err != nil {
		return nil, err
	}
	o := &objectValidator{version: v, schema: v.doc.Schema.Structural, embeds: embeds(v.doc.Schema.Structural)}
	props, err := v.doc.Internal()
	if err != nil {
		return nil, err
	}
	if o.values, _, err = validation.NewSchemaValidator(props); err != nil {
		return nil, err
	}
	o.rules = cel.NewValidator(o.schema, true, celconfig.PerCallLimit)
	o.typ, err = v.parseable()
	return o, err
}

func (v *Version) apiVersion() string { return v.definition.Group + "/" + v.Name }

// parseable returns the type for merging objects of this version, even if the version is
// not served.
func (v *Version) parseable() (typed.ParseableType, error) {
	root := v.doc.Schema.Raw
	version := map[string]any{"name": v.Name, "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": root}}
	spec := map[string]any{
		"group": v.definition.Group, "scope": v.definition.doc.Spec["scope"], "names": v.definition.doc.Names,
		"versions": []any{version}, "preserveUnknownFields": v.definition.doc.Preserves(),
	}
	doc, err := json.Marshal(map[string]any{"apiVersion": tree.APIVersion, "kind": "CustomResourceDefinition", "spec": spec})
	if err != nil {
		return typed.ParseableType{}, err
	}
	catalog := openapi.New(openapi.Options{})
	if err := catalog.AddCRD(v.doc.At.String(), doc); err != nil {
		return typed.ParseableType{}, err
	}
	t, ok := catalog.Type(v.apiVersion(), v.definition.Kind)
	if !ok {
		return t, fmt.Errorf("%s %s has no type for merging", v.apiVersion(), v.definition.Kind)
	}
	return t, nil
}

// Type returns the type for merging objects of this version, which package openapi derives from the
// schema. It returns an error if the schema is invalid.
func (v *Version) Type() (typed.ParseableType, error) {
	o, err := v.objects()
	if err != nil {
		return typed.ParseableType{}, err
	}
	return o.typ, nil
}

// Validate returns the problems of an object of this version, or nil if it is valid. Like the
// API server, it first drops unknown fields and fills in defaults. It also reports the
// unknown fields. Then it checks types, required fields, bounds, formats, duplicates in lists
// and the rules of x-kubernetes-validations.
//
// old is the object before an update, or nil for a new object. Rules that use oldSelf run
// only with an old object. As on a server, an update tolerates errors in values that it
// does not change. Validate changes neither object.
//
// Validate returns an error if the schema of the version is invalid (see
// [Definition.Validate]), or if an object cannot be encoded as JSON.
func (v *Version) Validate(object, old map[string]any) (Findings, error) {
	c, err := v.check(object, old)
	if err != nil {
		return nil, err
	}
	return c.findings(), nil
}

// ServerErrors returns the errors with which an API server rejects an object of this version. The
// errors are in an order that the server can return: first errors in the metadata, then in the schema,
// in embedded resources, duplicates in lists, and broken rules of x-kubernetes-validations. The server
// walks through maps in a random order. ServerErrors sorts their keys.
//
// The arguments and the error are the same as those of Validate.
func (v *Version) ServerErrors(object, old map[string]any) (field.ErrorList, error) {
	c, err := v.check(object, old)
	if err != nil {
		return nil, err
	}
	return c.served, nil
}

// check validates an object that replaces old.
func (v *Version) check(object, old map[string]any) (*objectCheck, error) {
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
			return nil, fmt.Errorf("old object: %w", err)
		}
	}
	c := &objectCheck{objectValidator: o, object: now, old: before}
	for _, path := range unknown {
		c.addFinding(ObjectUnknown, path, "the schema does not have this field, so the API server would drop it; remove it, or declare it in the schema")
	}
	c.kind()
	c.metadata()
	c.validate()
	return c, nil
}

// Default returns a copy of object as the API server would store it: with all defaults, and without
// undeclared fields.
func (v *Version) Default(object map[string]any) (map[string]any, error) {
	o, err := v.objects()
	if err != nil {
		return nil, err
	}
	now, _, err := o.prepare(object)
	return now, err
}

// CheckNulls returns an error if a merged object has a null that an API server rejects. The error
// has the API server's text. The server drops such nulls when it decodes a request, but not after a
// merge. A null in a field with a default is accepted, because the default replaces it.
//
// CheckNulls ignores all other problems and does not change object. The caller must first check
// that Default accepts the object.
func (v *Version) CheckNulls(object map[string]any) error {
	o, err := v.objects()
	if err != nil {
		return err
	}
	merged, nulls, err := copyObject(object)
	if err != nil || !nulls {
		return err
	}
	defaulting.Default(merged, o.schema)
	o.prune(merged)
	errs := slices.DeleteFunc(validation.ValidateCustomResource(nil, merged, o.values), func(err *field.Error) bool {
		return err.Type != field.ErrorTypeTypeInvalid || err.BadValue != "null"
	})
	if len(errs) == 0 {
		return nil
	}
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	meta, _ := object["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	return apierrors.NewInvalid(schema.GroupKind{Group: v.definition.Group, Kind: v.definition.Kind}, name, errs)
}

// prepare returns a copy of object with defaults and without unknown fields. The second
// result lists the paths of the removed fields.
func (o *objectValidator) prepare(object map[string]any) (_ map[string]any, unknown []string, err error) {
	fresh, nulls, err := copyObject(object)
	if err != nil {
		return nil, nil, err
	}
	if nulls {
		// Remove nulls first, because Default keeps a null in a field that allows any value.
		defaulting.PruneNonNullableNullsWithoutDefaults(fresh, o.schema)
	}
	o.decodeMetadata(fresh)
	defaulted, err := o.typ.Default(fresh)
	if err != nil {
		return nil, nil, err
	}
	m, ok := defaulted.(map[string]any)
	if !ok {
		return nil, nil, fmt.Errorf("want an object, found %s", tree.Shape(defaulted))
	}
	return m, o.prune(m), nil
}

// decodeMetadata decodes the metadata of m and of its embedded resources into Go types, and encodes it
// again, as the server does before it sets defaults. For example, a null label becomes an empty string,
// and an empty generateName is removed. Metadata with a value of a wrong type does not change; method
// objectCheck.metadata reports the error.
func (o *objectValidator) decodeMetadata(m map[string]any) {
	if o.embeds {
		_ = objectmeta.Coerce(nil, m, o.schema, false, false)
	}
	if meta, found, err := objectmeta.GetObjectMeta(m, false); found && err == nil {
		_ = objectmeta.SetObjectMeta(m, meta) // metadata of a Go type can always be encoded
	}
}

// prune removes from m the fields that the schema does not declare, and returns their
// paths.
func (o *objectValidator) prune(m map[string]any) (unknown []string) {
	if !o.version.definition.doc.Preserves() {
		unknown = pruning.PruneWithOptions(m, o.schema, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	}
	if o.embeds {
		// The server drops unknown fields in the metadata of embedded resources when it decodes the
		// metadata. Errors are ignored here, because they are reported by objectCheck.metadata.
		_ = objectmeta.Coerce(nil, m, o.schema, false, false)
	}
	return unknown
}

// embeds reports whether a schema contains embedded resources.
func embeds(s *structural.Structural) bool {
	if s == nil {
		return false
	}
	for _, p := range s.Properties {
		if embeds(&p) {
			return true
		}
	}
	return s.XEmbeddedResource || embeds(s.Items) || s.AdditionalProperties != nil && embeds(s.AdditionalProperties.Structural)
}

// objectCheck validates one object.
type objectCheck struct {
	*objectValidator
	object, old map[string]any
	report
	// served contains the errors of the server, in the server's order.
	served field.ErrorList
	// wrongKind contains the server's errors about the apiVersion and the kind.
	wrongKind field.ErrorList
	// coerced is true if the metadata of all embedded resources could be decoded.
	coerced bool
}

func (c *objectCheck) addFinding(rule Rule, path, format string, args ...any) {
	if path != "" && path[0] != '.' && path[0] != '[' {
		path = "." + path
	}
	c.listed = append(c.listed, newFinding(rule, path, format, args...))
}

// addErrors adds errors that the API server's libraries returned.
func (c *objectCheck) addErrors(rule Rule, errs field.ErrorList) {
	if rule == ObjectMeta {
		sortLabels(errs)
	}
	c.served = append(c.served, errs...)
	if rule == ObjectValue {
		errs = withoutRepeated(slices.Clone(errs))
	}
	for _, err := range errs {
		r := rule
		switch {
		case rule != ObjectValue:
		case err.Type == field.ErrorTypeTypeInvalid:
			r = ObjectType
		case err.Type == field.ErrorTypeRequired:
			r = ObjectRequired
		}
		c.addFinding(r, fieldOf(err), "%s", errorText(err, c.object))
		c.listed[len(c.listed)-1].Served = err
	}
}

// addOwn adds a finding with its own text.
func (c *objectCheck) addOwn(rule Rule, path, format string, args ...any) {
	c.addFinding(rule, path, format, args...)
	c.served = append(c.served, &field.Error{Type: field.ErrorTypeInvalid, Field: path, BadValue: field.OmitValueType{}, Detail: fmt.Sprintf(format, args...)})
}

// kind checks that the object has the apiVersion and kind of this version.
func (c *objectCheck) kind() {
	for _, w := range [][2]string{{"kind", c.version.definition.Kind}, {"apiVersion", c.version.apiVersion()}} {
		if found := c.object[w[0]]; found != w[1] {
			c.addFinding(ObjectKind, w[0], "want %s, found %s", w[1], tree.Flow(found))
			c.wrongKind = append(c.wrongKind, field.Invalid(field.NewPath(w[0]), found, "must be "+w[1]))
		}
	}
}

// metadata checks the metadata of the object, and decodes the metadata of all embedded resources.
func (c *objectCheck) metadata() {
	meta, _, err := objectmeta.GetObjectMeta(c.object, false)
	if err != nil {
		c.unreadable(err)
		return
	}
	if meta != nil {
		// An object may omit its namespace. The server then takes the namespace from the request.
		namespaced := c.version.definition.Namespaced && meta.Namespace != ""
		c.addErrors(ObjectMeta, apivalidation.ValidateObjectMeta(meta, namespaced, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata")))
	} else {
		c.addFinding(ObjectMeta, "metadata", "want metadata with a name, found none")
		c.served = append(c.served, field.Required(field.NewPath("metadata", "name"), "name or generateName is required"))
	}
	if err := objectmeta.Coerce(nil, c.object, c.schema, false, false); err != nil {
		c.addErrors(ObjectMeta, field.ErrorList{err})
		return
	}
	c.coerced = true
}

// unreadable reports a value of a wrong type in metadata.
func (c *objectCheck) unreadable(err error) {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		c.addOwn(ObjectMeta, "metadata", "invalid metadata: %v", err)
		return
	}
	want := map[reflect.Kind]string{reflect.String: "a string", reflect.Map: "a map", reflect.Slice: "a list", reflect.Struct: "a map",
		reflect.Int64: "an integer", reflect.Bool: "true or false"}[wrong.Type.Kind()]
	if want == "" {
		want = "another type"
	}
	c.addOwn(ObjectMeta, "metadata."+wrong.Field, "want %s, found a %s", want, wrong.Value)
}

// validate checks the object against the schema and then runs the CEL rules. Some errors, such as a
// missing field, make it impossible to run the rules. In that case, validate skips them.
func (c *objectCheck) validate() {
	var (
		errs     field.ErrorList
		lists    = listtype.ValidateListSetsAndMaps(nil, c.schema, c.object)
		ratchets []cel.Option
		old      any // an untyped nil if there is no old object, because the validator treats a nil map as an object
	)
	if c.old == nil {
		errs = validation.ValidateCustomResource(nil, c.object, c.values)
	} else {
		old = c.old
		correlated := common.NewCorrelatedObject(c.object, c.old, cacheSchema(&model.Structural{Structural: c.schema}))
		ratchets = append(ratchets, cel.WithRatcheting(correlated))
		errs = validation.ValidateCustomResourceUpdate(nil, c.object, c.old, c.values, validation.WithRatcheting(correlated))
		if len(listtype.ValidateListSetsAndMaps(nil, c.schema, c.old)) > 0 {
			lists = nil
		}
	}
	sortSiblings(errs)
	c.addErrors(ObjectValue, errs)
	if c.wrongKind != nil { // the server then checks neither the metadata nor the schema
		c.served = c.wrongKind
	}
	if c.coerced {
		embedded := objectmeta.Validate(context.Background(), nil, c.object, c.schema, false)
		sortSiblings(embedded)
		c.addErrors(ObjectMeta, embedded)
	}
	sortSiblings(lists)
	c.addErrors(ObjectDuplicate, lists)
	if c.rules == nil {
		return
	}
	if slices.ContainsFunc(c.served, c.blocksRules) {
		c.addFinding(ObjectUnchecked, "", "rules of x-kubernetes-validations were not checked, because the object has other errors; correct these first")
		unchecked := field.Invalid(nil, nil, uncheckedRules)
		c.listed[len(c.listed)-1].Served = unchecked
		c.served = append(c.served, unchecked)
		return
	}
	ruleErrors, _ := c.rules.Validate(context.Background(), nil, c.schema, c.object, old, celconfig.RuntimeCELCostBudget, ratchets...)
	sortSiblings(ruleErrors)
	c.addErrors(ObjectRule, ruleErrors)
}

// uncheckedRules is the server's message about rules that it did not check.
const uncheckedRules = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

// blocksRules reports whether this error keeps the server from checking the CEL rules of the object.
func (c *objectCheck) blocksRules(err *field.Error) bool {
	switch err.Type {
	case field.ErrorTypeRequired:
		meta, _ := c.object["metadata"].(map[string]any)
		// The server generates a missing name before it validates the object.
		return err.Field != "metadata.name" || meta["generateName"] == nil
	case field.ErrorTypeNotSupported, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
		return true
	}
	return false
}
