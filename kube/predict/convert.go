// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// Convert converts the live object to the version of a request. t is the object's type
// in the version of the request. As on a server, a custom resource loses the fields
// that only the old version declares, and Convert returns a warning for each of them.
// Fields that neither version declares stay, because the object may be older than the
// current definition. An object of a cluster-scoped kind loses its namespace.
func (s *Server) Convert(live map[string]any, apiVersion string, t typed.ParseableType) (map[string]any, []managedfields.Warning, error) {
	live, _ = s.RemoveNamespace(live)
	was, kind := document.TypeOf(live)
	if was == apiVersion {
		return live, nil, nil
	}
	if s.FieldManager.Converter == nil {
		return nil, nil, fmt.Errorf("cannot convert it from %s to %s: there is no converter", was, apiVersion)
	}
	converted, err := s.FieldManager.Converter(live, apiVersion)
	if err != nil {
		return nil, nil, err
	}
	if _, custom := s.custom(converted); !custom || s.FieldManager.Types == nil {
		return converted, nil, nil
	}
	from, err := s.FieldManager.Types(was, kind)
	if err != nil {
		return converted, nil, nil
	}
	if _, err := from.FromUnstructured(document.WithoutManagedFields(live), typed.AllowDuplicates); err != nil {
		return converted, nil, nil
	}
	return s.dropUnconverted(converted, was, t)
}

// dropUnconverted removes the fields of a converted object that its type does not declare, with a
// warning for each of them. The warnings mention the version that the object had before the
// conversion.
func (s *Server) dropUnconverted(converted map[string]any, oldVersion string, t typed.ParseableType) (map[string]any, []managedfields.Warning, error) {
	plain := document.WithoutManagedFields(converted)
	lost := place.Undeclared(plain, t)
	if len(lost) == 0 {
		return converted, nil, nil
	}
	pruned, err := typed.AsTypedUnvalidated(value.NewValueInterface(plain), t.Schema, t.TypeRef).Prune()
	if err != nil {
		return converted, nil, nil // the merge validates the object and returns the error
	}
	after, _ := pruned.AsValue().Unstructured().(map[string]any) // pruning an object results in an object
	apiVersion, _ := document.TypeOf(converted)
	var warnings []managedfields.Warning
	for _, e := range lost {
		warnings = append(warnings, managedfields.Warning{Path: e.Path, Live: true,
			Message: fmt.Sprintf("removed: %s has this field, but %s, the version of the request, does not", oldVersion, apiVersion)})
	}
	return withManagedFields(after, converted), warnings, nil
}

// An UndeclaredError means that the object has a field that the API version of a managed
// fields entry does not declare. A server converts the object to the version of each entry.
// Without a conversion webhook, the conversion keeps all fields. An apply then fails with
// status 500. An update is stored, but the managed fields are not updated.
type UndeclaredError struct {
	// APIVersion is the version of the entry. From is the version of the request.
	APIVersion, From string
	// Fields contains an error for each field that From declares and APIVersion does not.
	Fields typed.ValidationErrors
}

func (e *UndeclaredError) Error() string { return e.Fields.Error() }

// convertsByName reports whether object is a custom resource that is converted without a
// webhook.
func (s *Server) convertsByName(object map[string]any) bool {
	d, custom := s.custom(object)
	if !custom || s.FieldManager.Converter == nil {
		return false
	}
	c, ok := d.(interface{ ConvertsByName() bool })
	return ok && c.ConvertsByName()
}

// keepingFields wraps a Converter. The returned Converter fails with an *UndeclaredError if
// the object has a field that only the old version declares. It ignores fields that neither
// version declares, because the object may be older than the current definition.
func (s *Server) keepingFields(convert fieldmanager.Converter) fieldmanager.Converter {
	return func(object map[string]any, apiVersion string) (map[string]any, error) {
		converted, err := convert(object, apiVersion)
		if err != nil {
			return nil, err
		}
		from, kind := document.TypeOf(object)
		t, err := s.FieldManager.Types(apiVersion, kind)
		if err != nil {
			return converted, nil // the merge will return the same error
		}
		unknown := place.UndeclaredAfter(converted, t, object, func() (typed.ParseableType, error) {
			return s.FieldManager.Types(from, kind)
		})
		if len(unknown) == 0 {
			return converted, nil
		}
		return nil, &UndeclaredError{APIVersion: apiVersion, From: from, Fields: unknown}
	}
}

func hasUnknown(object map[string]any, t typed.ParseableType) bool {
	return len(place.Undeclared(document.WithoutManagedFields(object), t)) > 0
}

// withManagedFields returns a shallow copy of object with the managed fields of source.
func withManagedFields(object, source map[string]any) map[string]any {
	managed, there := document.Metadata(source)["managedFields"]
	if !there {
		return object
	}
	object, metadata := document.WithMetadata(object)
	metadata["managedFields"] = managed
	return object
}
