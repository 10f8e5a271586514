// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
)

// typeOf returns the type of a kind from the definitions that openapi-gen generated. model is the
// name of the kind's definition.
func typeOf(definitions common.GetOpenAPIDefinitions, model string, kind schema.GroupVersionKind) (typed.ParseableType, error) {
	refer := func(name string) spec.Ref {
		return spec.MustCreateRef("#/definitions/" + common.EscapeJsonPointer(name))
	}
	document := spec.Swagger{SwaggerProps: spec.SwaggerProps{Swagger: "2.0", Definitions: spec.Definitions{}}}
	for name, d := range definitions(refer) {
		if name == model {
			d.Schema.AddExtension("x-kubernetes-group-version-kind", []any{
				map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind},
			})
		}
		document.Definitions[name] = d.Schema
	}
	data, err := json.Marshal(document)
	if err != nil {
		return typed.ParseableType{}, err
	}
	catalog := openapi.New(openapi.Options{})
	if err := catalog.AddOpenAPI("definitions", data); err != nil {
		return typed.ParseableType{}, err
	}
	typ, ok := catalog.Type(kind.GroupVersion().String(), kind.Kind)
	if !ok {
		return typ, fmt.Errorf("no definition %s of %v", model, kind)
	}
	return typ, nil
}

// strategy is an update strategy. Embed your strategy to get the other methods.
type strategy struct {
	scheme  *runtime.Scheme
	version schema.GroupVersion // a version whose schema has the markers
	typ     typed.ParseableType // the type of the objects in this version
}

// ValidateUpdate returns an error for each change of an immutable field.
func (s strategy) ValidateUpdate(_ context.Context, object, old runtime.Object) field.ErrorList {
	after, err := s.plain(object)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	before, err := s.plain(old)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	err = fieldmanager.CheckTransition(s.typ, before, after, typed.TransitionOptions{})
	var immutable *fieldmanager.ImmutableError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &immutable):
		return field.ErrorList{field.InternalError(nil, err)}
	}
	var errs field.ErrorList
	for _, f := range immutable.Fields {
		e := &field.Error{Type: field.ErrorTypeForbidden, Field: f.Field, Detail: f.Message}
		if f.Type != typed.TransitionForbidden {
			e.Type = field.ErrorTypeInvalid
			if f.New != nil {
				e.BadValue = f.New.Unstructured()
			}
		}
		errs = append(errs, e)
	}
	return errs
}

// plain converts an object to the version of the schema, and then to plain data. A strategy gets
// objects of the internal version, whose fields have no JSON names.
func (s strategy) plain(object runtime.Object) (map[string]any, error) {
	versioned, err := s.scheme.ConvertToVersion(object, s.version)
	if err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(versioned)
}
