// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"maps"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// FilledDefaults describes the defaults that were set in an object.
type FilledDefaults struct {
	// Before and After are the object before and after its defaults were set, without managed
	// fields. They are nil if the defaults of the kind are not known.
	Before, After map[string]any
	// Custom is true for a custom resource. In that case, each value that is only in After is a
	// default.
	Custom bool
	// Defaults lists the defaults of a built-in kind that the server's Go code set, in the order
	// in which it set them.
	Defaults []defaults.Default
}

// Fill returns an object with the defaults that the server sets. t is the type of the object. The
// argument now is the time of the request. The defaults depend on the kind:
//
//   - A custom resource gets the defaults of its definition and loses undeclared fields. If the
//     argument carries is true, it keeps these fields and gets only the defaults of its type.
//   - A kind in Declared gets the defaults of its type.
//   - A built-in kind gets the defaults of the server's Go code.
//   - Objects of other kinds stay the same.
func (s *Server) Fill(object map[string]any, t typed.ParseableType, carries bool, now time.Time) (map[string]any, FilledDefaults, error) {
	d, custom := s.custom(object)
	if !custom && s.Declared != nil && s.Declared(document.TypeOf(object)) {
		return s.fillCustom(object, nil, t, carries)
	}
	if !custom {
		after, filled := s.fillBuiltin(object, t, now)
		return after, filled, nil
	}
	return s.fillCustom(object, d, t, carries)
}

// FillNulls replaces nulls in the maps and lists of an object with the values that the server
// stores for them. It changes only objects of built-in kinds.
func (s *Server) FillNulls(object map[string]any) map[string]any {
	if !s.hasGoType(object) {
		return object
	}
	return s.GoForm.FillNulls(object)
}

// fillCustom sets the defaults of a custom resource. d is its definition, or nil if the
// definition is not known.
func (s *Server) fillCustom(object map[string]any, d Definition, t typed.ParseableType, carries bool) (map[string]any, FilledDefaults, error) {
	plain := document.WithoutManagedFields(object)
	after := withEmptyTexts(plain)
	if d != nil && !carries {
		var err error
		if after, err = d.Default(plain); err != nil {
			return nil, FilledDefaults{}, err
		}
	}
	if d == nil || carries || s.TypeDefaults {
		if carries {
			t.Schema, t.TypeRef = t.Schema.Lenient(t.TypeRef)
		}
		whole, err := typed.AsTypedUnvalidated(value.NewValueInterface(after), t.Schema, t.TypeRef).Default()
		if err != nil {
			return nil, FilledDefaults{}, err
		}
		after, _ = whole.AsValue().Unstructured().(map[string]any) // setting defaults in an object results in an object
	}
	return withManagedFields(after, object), FilledDefaults{Before: plain, After: after, Custom: true}, nil
}

// withEmptyTexts replaces nulls in labels and annotations by empty strings, as a server does when it
// decodes metadata.
func withEmptyTexts(object map[string]any) map[string]any {
	for _, field := range []string{"labels", "annotations"} {
		texts, _ := document.Metadata(object)[field].(map[string]any)
		var filled map[string]any
		for key, v := range texts {
			if v != nil {
				continue
			}
			if filled == nil {
				filled = maps.Clone(texts)
			}
			filled[key] = ""
		}
		if filled != nil {
			var metadata map[string]any
			object, metadata = document.WithMetadata(object)
			metadata[field] = filled
		}
	}
	return object
}

// custom returns the definition of an object. It returns false if the object is not a
// custom resource.
func (s *Server) custom(object map[string]any) (Definition, bool) {
	if s.Custom == nil {
		return nil, false
	}
	apiVersion, kind := document.TypeOf(object)
	return s.Custom(apiVersion, kind)
}

// fillBuiltin sets the defaults of a built-in kind.
func (s *Server) fillBuiltin(object map[string]any, t typed.ParseableType, now time.Time) (map[string]any, FilledDefaults) {
	apiVersion, kind := document.TypeOf(object)
	if s.Release == nil || !s.Release.Knows(apiVersion, kind) {
		return object, FilledDefaults{}
	}
	filled := FilledDefaults{Before: object}
	options := defaults.Options{Now: now, Filled: func(d defaults.Default) {
		if d.Value != nil {
			filled.Defaults = append(filled.Defaults, d)
		}
	}}
	if s.DeclaredOnly {
		options.Skip = func(at fieldpath.Path) bool { return !declared(t, at) }
	}
	filled.After = s.Release.Fill(object, options)
	return filled.After, filled
}

// declared reports whether a type declares the field at a path. The path identifies list
// items by index.
func declared(t typed.ParseableType, path fieldpath.Path) bool {
	ref := t.TypeRef
	for _, e := range path {
		atom, ok := t.Schema.Resolve(ref)
		switch {
		case !ok:
			return false
		case e.FieldName == nil:
			if atom.List == nil {
				return false
			}
			ref = atom.List.ElementType
		case atom.Map == nil:
			return false
		default:
			field, declared := atom.Map.FindField(*e.FieldName)
			if ref = atom.Map.ElementType; declared {
				ref = field.Type
			} else if ref.NamedType == nil && ref.Inlined == (schema.Atom{}) {
				return false // the type does not declare this field, and does not allow arbitrary fields
			}
		}
	}
	_, ok := t.Schema.Resolve(ref)
	return ok
}

// dropUnknown removes undeclared fields from an object of a built-in kind, with a warning.
// A server removes these fields when it decodes an update.
func (p *PreparedRequest) dropUnknown(object map[string]any) (map[string]any, error) {
	t := p.request.Type
	v := typed.AsTypedUnvalidated(value.NewValueInterface(object), t.Schema, t.TypeRef)
	unknown, err := v.UnknownFields()
	if err != nil || len(unknown) == 0 {
		return object, err
	}
	for _, path := range unknown {
		p.warn(path.String(), "removed: the type does not declare this field")
	}
	pruned, err := v.Prune()
	if err != nil {
		return nil, err
	}
	after, _ := pruned.AsValue().Unstructured().(map[string]any) // pruning an object results in an object
	return after, nil
}
