// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// ErrUnknownType is the error that a TypeSource wraps if the type does not exist.
var ErrUnknownType = errors.New("unknown type")

// ErrUnknownVersion is the error that a Converter wraps if the API version does not exist.
var ErrUnknownVersion = errors.New("unknown version")

// NewTypeSource returns a TypeSource that calls lookup. lookup must know all types. If lookup
// does not find a type, the TypeSource reports that the type does not exist. With package
// kube/openapi:
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

// Type returns the type of a kind in one API version, from Options.Types. If Types does not have the
// type or is nil, and Options.Untyped is set, it returns typed.DeducedParseableType.
func (m *FieldManager) Type(apiVersion, kind string) (typed.ParseableType, error) {
	if m.options.Types == nil {
		return typed.DeducedParseableType, nil
	}
	t, err := m.options.Types(apiVersion, kind)
	if err != nil {
		if m.options.Untyped && errors.Is(err, ErrUnknownType) {
			return typed.DeducedParseableType, nil
		}
		return typed.ParseableType{}, err
	}
	return t, nil
}

// Convert converts object to the given API version with Options.Converter, and returns the result
// with its type in this version. If the result of the Converter has another version or kind,
// Convert returns an error. If object already has this version, Convert returns object itself.
// Otherwise, the result may share memory with object. Without a Converter, Convert uses
// NoneConverter if Options.Untyped is set, and otherwise returns an error.
func (m *FieldManager) Convert(object map[string]any, apiVersion string) (map[string]any, typed.ParseableType, error) {
	from, kind := document.TypeOf(object)
	t, err := m.Type(apiVersion, kind)
	if err != nil || from == apiVersion {
		return object, t, err
	}
	converter := m.options.Converter
	if converter != nil {
		object = m.copyForCallback(object)
	} else {
		if !m.options.Untyped {
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
// with Options.ReadOnlyCallbacks.
func (m *FieldManager) copyForCallback(object map[string]any) map[string]any {
	if m.options.ReadOnlyCallbacks {
		return object
	}
	return data.Clone(object).(map[string]any)
}

// requestConverter is the merge.Converter of one request. It is not safe for
// concurrent use.
type requestConverter struct {
	m *FieldManager
	// cache has the conversions of this request, so that no object is converted twice to the same
	// version. For example, mergeConfig can apply the config again with force, and the values of
	// conflicts are shown in the versions of their owners.
	cache map[conversionKey]conversionResult
	// missing has the versions that do not exist, each with the error of the Converter or TypeSource.
	missing map[string]error
	// endpoint is the version of the endpoint. If lenient is true, objects in this version may
	// have undeclared fields.
	endpoint fieldpath.APIVersion
	lenient  bool
}

// conversionKey identifies a conversion. Objects are compared by address.
type conversionKey struct {
	from *typed.TypedValue
	to   fieldpath.APIVersion
}

// conversionResult is the cached result of Convert.
type conversionResult struct {
	tv  *typed.TypedValue
	err error
}

var _ merge.Converter = (*requestConverter)(nil)

// Convert implements merge.Converter. It returns object itself if object is already in the
// version. If the version does not exist, it records the error in rc.missing.
func (rc *requestConverter) Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	key := conversionKey{object, version}
	if c, ok := rc.cache[key]; ok {
		return c.tv, c.err
	}
	tv, err := rc.convert(object, string(version))
	if rc.IsMissingVersionError(err) {
		if rc.missing == nil {
			rc.missing = map[string]error{}
		}
		rc.missing[string(version)] = err
	}
	if rc.cache == nil {
		rc.cache = map[conversionKey]conversionResult{}
	}
	rc.cache[key] = conversionResult{tv, err}
	return tv, err
}

// convert does the same as Convert, but without the cache and without rc.missing.
func (rc *requestConverter) convert(object *typed.TypedValue, version string) (*typed.TypedValue, error) {
	plain, ok := object.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("want an object, got %s", document.Kind(object.AsValue().Unstructured()))
	}
	if from, _ := document.TypeOf(plain); from == version {
		return object, nil
	}
	converted, t, err := rc.m.Convert(plain, version)
	if err != nil {
		return nil, err
	}
	return rc.typeForVersion(version, t).FromUnstructured(converted)
}

// typeForVersion returns the type to use for objects in an API version: the type t, or a lenient
// form of t that accepts undeclared fields. Without Options.CarryUnknown, it returns t. With this
// option, the result for the version of the endpoint is lenient only if the live object has
// undeclared fields. For any other version, the result is always lenient, because a converted
// object may have undeclared fields.
func (rc *requestConverter) typeForVersion(version string, t typed.ParseableType) typed.ParseableType {
	if rc.m.options.CarryUnknown && (rc.lenient || fieldpath.APIVersion(version) != rc.endpoint) {
		return place.Lenient(t)
	}
	return t
}

// IsMissingVersionError implements merge.Converter.
func (rc *requestConverter) IsMissingVersionError(err error) bool {
	return errors.Is(err, ErrUnknownVersion) || errors.Is(err, ErrUnknownType)
}
