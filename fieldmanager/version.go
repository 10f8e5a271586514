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

// ErrUnknownType is wrapped by the error of a TypeSource that knows no such
// type.
var ErrUnknownType = errors.New("unknown type")

// ErrUnknownVersion is wrapped by the error of a Converter asked for an API
// version that does not exist.
var ErrUnknownVersion = errors.New("unknown version")

// NewTypeSource is a TypeSource over a lookup that has all types there are: a type that it does
// not find is unknown. With package kube/openapi:
//
//	types := fieldmanager.NewTypeSource(openapi.Builtin(openapi.Options{}).Type)
//
// A lookup that may fail for another reason, as one over a network can, is a TypeSource
// of its own: what it cannot find just now must not look like what does not exist.
func NewTypeSource(lookup func(apiVersion, kind string) (t typed.ParseableType, known bool)) TypeSource {
	return func(apiVersion, kind string) (typed.ParseableType, error) {
		t, known := lookup(apiVersion, kind)
		if !known {
			return typed.ParseableType{}, fmt.Errorf("%s %s: %w", apiVersion, kind, ErrUnknownType)
		}
		return t, nil
	}
}

// NoneConverter is a Converter between versions that differ in their name only,
// as custom resources with the conversion strategy None do.
func NoneConverter(object map[string]any, apiVersion string) (map[string]any, error) {
	converted := document.Shallow(object)
	converted["apiVersion"] = apiVersion
	return converted, nil
}

// Type finds the type of one version of a kind, as Options have it.
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

// Convert gives object in another version, with its type, as requests do. It has
// object itself, or parts of it, where nothing is to be converted.
func (m *FieldManager) Convert(object map[string]any, apiVersion string) (map[string]any, typed.ParseableType, error) {
	from, kind := document.TypeOf(object)
	t, err := m.Type(apiVersion, kind)
	if err != nil || from == apiVersion {
		return object, t, err
	}
	converter := m.o.Converter
	if converter != nil {
		object = m.lend(object)
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

// lend is object for a function that Options have: a copy, unless it writes to nothing.
func (m *FieldManager) lend(object map[string]any) map[string]any {
	if m.o.NoWrites {
		return object
	}
	return data.Clone(object).(map[string]any)
}

// versions is the merge.Converter of one request. It is not safe for
// concurrent use.
type versions struct {
	m *FieldManager
	// done are the conversions of this request: the merge asks for the same
	// one once for every manager.
	done map[conversion]converted
	// missing are the versions that turned out not to exist.
	missing map[string]error
	// home is the version of the endpoint. open says that objects in it may have
	// fields that its type does not know.
	home fieldpath.APIVersion
	open bool
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

// Convert implements merge.Converter. With an error it returns object itself,
// which the merge goes on with when the version is missing.
func (v *versions) Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	if c, ok := v.done[conversion{object, version}]; ok {
		return c.tv, c.err
	}
	tv, err := v.convert(object, string(version))
	if v.IsMissingVersionError(err) {
		if v.missing == nil {
			v.missing = map[string]error{}
		}
		v.missing[string(version)] = err
	}
	if v.done == nil {
		v.done = map[conversion]converted{}
	}
	v.done[conversion{object, version}] = converted{tv, err}
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
	tv, err := v.typeIn(version, t).FromUnstructured(converted)
	if err != nil {
		return object, err
	}
	return tv, nil
}

// IsMissingVersionError implements merge.Converter.
func (v *versions) IsMissingVersionError(err error) bool {
	return errors.Is(err, ErrUnknownVersion) || errors.Is(err, ErrUnknownType)
}
