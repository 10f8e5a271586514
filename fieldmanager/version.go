// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// ErrUnknownType is the error that a TypeSource wraps if the type does not exist.
var ErrUnknownType = errors.New("unknown type")

// ErrUnknownVersion is the error that a Converter wraps if the API version does not exist.
var ErrUnknownVersion = errors.New("unknown version")

// NewTypeSource returns a TypeSource that calls lookup. lookup must know all types. If
// lookup does not find a type, the type counts as nonexistent. With package kube/openapi:
//
//	types := fieldmanager.NewTypeSource(openapi.Builtin(openapi.Options{}).Type)
//
// If your lookup can fail for another reason, such as a network error, write your own
// TypeSource. A temporary failure must not look like a type that does not exist.
func NewTypeSource(lookup func(apiVersion, kind string) (t typed.ParseableType, known bool)) TypeSource {
	return func(apiVersion, kind string) (typed.ParseableType, error) {
		t, known := lookup(apiVersion, kind)
		if !known {
			return typed.ParseableType{}, fmt.Errorf("%s %s: %w", apiVersion, kind, ErrUnknownType)
		}
		return t, nil
	}
}

// NoneConverter is a Converter for versions that differ only in apiVersion, such as
// custom resources with the conversion strategy None.
func NoneConverter(object map[string]any, apiVersion string) (map[string]any, error) {
	converted := document.Shallow(object)
	converted["apiVersion"] = apiVersion
	return converted, nil
}

// Type returns the type of a kind in one API version, from Options.Types or Options.Untyped.
func (m *FieldManager) Type(apiVersion, kind string) (typed.ParseableType, error) {
	if m.o.Types == nil {
		return typed.DeducedParseableType, nil
	}
	t, err := m.o.Types(apiVersion, kind)
	if err != nil {
		if m.o.Untyped && errors.Is(err, ErrUnknownType) {
			return typed.DeducedParseableType, nil
		}
		return typed.ParseableType{}, err
	}
	return t, nil
}

// Convert converts object to another API version, and returns the result with its type. If
// there is nothing to convert, it returns object itself. The result may share parts with
// object.
func (m *FieldManager) Convert(object map[string]any, apiVersion string) (map[string]any, typed.ParseableType, error) {
	from, kind := document.TypeOf(object)
	t, err := m.Type(apiVersion, kind)
	if err != nil || from == apiVersion {
		return object, t, err
	}
	converter := m.o.Converter
	if converter != nil {
		object = m.copyForCallback(object)
	} else {
		if !m.o.Untyped {
			return nil, t, fmt.Errorf("%s cannot be converted from %s to %s: no converter", kind, from, apiVersion)
		}
		converter = NoneConverter
	}
	converted, err := converter(object, apiVersion)
	if err != nil {
		return nil, t, fmt.Errorf("convert %s from %s to %s: %w", kind, from, apiVersion, err)
	}
	if to, toKind := document.TypeOf(converted); to != apiVersion || toKind != kind {
		return nil, t, fmt.Errorf("convert %s from %s to %s: got %s %s", kind, from, apiVersion, to, toKind)
	}
	return converted, t, nil
}

// copyForCallback returns a copy of object for Converter or Defaulter, or object itself
// with Options.NoWrites.
func (m *FieldManager) copyForCallback(object map[string]any) map[string]any {
	if m.o.NoWrites {
		return object
	}
	return data.Clone(object).(map[string]any)
}

// versions is the merge.Converter of one request. It is not safe for
// concurrent use.
type versions struct {
	m *FieldManager
	// conversions caches the conversions of this request, because the merge requests the same
	// conversion again for every manager.
	conversions map[conversion]converted
	// missing has the versions that do not exist, each with the Converter's error.
	missing map[string]error
	// endpoint is the version of the endpoint. If lenient is true, objects in this version may
	// have undeclared fields.
	endpoint fieldpath.APIVersion
	lenient  bool
}

type conversion struct {
	from *typed.TypedValue
	to   fieldpath.APIVersion
}

type converted struct {
	tv  *typed.TypedValue
	err error
}

var _ merge.Converter = (*versions)(nil)

// Convert implements merge.Converter. If the conversion fails, it returns object itself
// together with the error. If the error means that the version does not exist, the merge
// continues with object.
func (v *versions) Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	if c, ok := v.conversions[conversion{object, version}]; ok {
		return c.tv, c.err
	}
	tv, err := v.convert(object, string(version))
	if v.IsMissingVersionError(err) {
		if v.missing == nil {
			v.missing = map[string]error{}
		}
		v.missing[string(version)] = err
	}
	if v.conversions == nil {
		v.conversions = map[conversion]converted{}
	}
	v.conversions[conversion{object, version}] = converted{tv, err}
	return tv, err
}

func (v *versions) convert(object *typed.TypedValue, version string) (*typed.TypedValue, error) {
	plain, ok := object.AsValue().Unstructured().(map[string]any)
	if !ok {
		return object, fmt.Errorf("want an object, got %s", document.Kind(object.AsValue().Unstructured()))
	}
	if from, _ := document.TypeOf(plain); from == version {
		return object, nil
	}
	converted, t, err := v.m.Convert(plain, version)
	if err != nil {
		return object, err
	}
	tv, err := v.typeForVersion(version, t).FromUnstructured(converted)
	if err != nil {
		return object, err
	}
	return tv, nil
}

// IsMissingVersionError implements merge.Converter.
func (v *versions) IsMissingVersionError(err error) bool {
	return errors.Is(err, ErrUnknownVersion) || errors.Is(err, ErrUnknownType)
}
