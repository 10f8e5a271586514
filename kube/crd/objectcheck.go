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

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// objectCheck is the check of one object.
type objectCheck struct {
	*objectValidator
	object, old map[string]any
	report
}

func (c *objectCheck) say(rule Rule, path, format string, args ...any) {
	if path != "" && path[0] != '.' && path[0] != '[' {
		path = "." + path
	}
	c.list = append(c.list, &Finding{Path: path, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// all reports errors of the API server's libraries.
func (c *objectCheck) all(rule Rule, errs field.ErrorList) {
	for _, err := range errs {
		r := rule
		switch {
		case rule != ObjectValue:
		case err.Type == field.ErrorTypeTypeInvalid:
			r = ObjectType
		case err.Type == field.ErrorTypeRequired:
			r = ObjectRequired
		}
		c.say(r, fieldOf(err), "%s", words(err, c.object))
	}
}

// kind checks that the object is of this version and kind.
func (c *objectCheck) kind() {
	for _, w := range [][2]string{{"apiVersion", c.version.apiVersion()}, {"kind", c.version.definition.Kind}} {
		if found := c.object[w[0]]; found != w[1] {
			c.say(ObjectKind, w[0], "want %s, found %s", w[1], flow(found))
		}
	}
}

// metadata checks the metadata of the object and of the resources in it.
func (c *objectCheck) metadata() {
	meta, _, err := objectmeta.GetObjectMeta(c.object, false)
	if err != nil {
		c.unreadable(err)
		return
	}
	if meta != nil {
		// A namespace that is missing comes from the request.
		namespaced := c.version.definition.Namespaced && meta.Namespace != ""
		c.all(ObjectMeta, apivalidation.ValidateObjectMeta(meta, namespaced, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata")))
	} else {
		c.say(ObjectMeta, "", "want metadata with a name, found none")
	}
	if err := objectmeta.Coerce(nil, c.object, c.schema, false, false); err != nil {
		c.all(ObjectMeta, field.ErrorList{err})
		return
	}
	c.all(ObjectMeta, objectmeta.Validate(context.Background(), nil, c.object, c.schema, false))
}

// unreadable reports metadata that is not of its type.
func (c *objectCheck) unreadable(err error) {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		c.say(ObjectMeta, "metadata", "want the metadata of an object: %v", err)
		return
	}
	want := map[reflect.Kind]string{reflect.String: "a string", reflect.Map: "a map", reflect.Slice: "a list", reflect.Struct: "a map",
		reflect.Int64: "an integer", reflect.Bool: "true or false"}[wrong.Type.Kind()]
	if want == "" {
		want = "another type"
	}
	c.say(ObjectMeta, "metadata."+wrong.Field, "want %s, found a %s", want, wrong.Value)
}

// validate checks values against the schema, then the rules if the values are
// such that a rule can be about them.
func (c *objectCheck) validate() {
	var (
		errs     field.ErrorList
		lists    = listtype.ValidateListSetsAndMaps(nil, c.schema, c.object)
		ratchets []cel.Option
		old      any // a nil map would be an old object
	)
	if c.old == nil {
		errs = validation.ValidateCustomResource(nil, c.object, c.values)
	} else {
		old = c.old
		same := common.NewCorrelatedObject(c.object, c.old, remember(&model.Structural{Structural: c.schema}))
		ratchets = append(ratchets, cel.WithRatcheting(same))
		errs = validation.ValidateCustomResourceUpdate(nil, c.object, c.old, c.values, validation.WithRatcheting(same))
		if len(listtype.ValidateListSetsAndMaps(nil, c.schema, c.old)) > 0 {
			lists = nil
		}
	}
	c.all(ObjectValue, without(errs))
	c.all(ObjectDuplicate, lists)
	if c.rules == nil {
		return
	}
	for _, err := range slices.Concat(errs, lists) {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			c.say(ObjectUnchecked, "", "rules of x-kubernetes-validations were not checked, since the object is not valid otherwise")
			return
		}
	}
	broken, _ := c.rules.Validate(context.Background(), nil, c.schema, c.object, old, celconfig.RuntimeCELCostBudget, ratchets...)
	c.all(ObjectRule, broken)
}
