// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// butUnknown is what else a validation found than fields that are not declared.
func butUnknown(err error) error {
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return err
	}
	return slices.DeleteFunc(slices.Clone(all), func(e typed.ValidationError) bool {
		return diag.Of(e) != nil && diag.Of(e).Code == diag.Undeclared
	})
}

// carryUnknown finds the fields of the live object that its type does not know, and
// gives it a type that has them. What else is wrong with the live object is found
// again when it is used.
func (r *request) carryUnknown() {
	_, err := r.typedLive()
	if r.unknown = place.Unknown(err); r.unknown == nil {
		return
	}
	r.strictType = r.liveType
	r.liveType = place.Lenient(r.liveType)
	r.versions.open = true
}

// typedConfig is the applied config, in which everything must be known, and it with
// the type of the live object.
func (r *request) typedConfig(config map[string]any) (map[string]any, *typed.TypedValue, error) {
	if r.m.o.EqualQuantities && !r.isNew {
		config = RespellQuantities(r.liveType, r.live, config)
	}
	if r.unknown == nil {
		return r.single(r.liveType, config)
	}
	config, _, err := r.single(r.strictType, config)
	if err != nil {
		return config, nil, err
	}
	a := adopter{judge: adoptUnknown}
	live := place.Place{Schema: r.strictType.Schema, Ref: r.strictType.TypeRef, Typed: true, Plain: r.live}
	adopted, _ := a.adopt(live, config, 0)
	tv, err := r.liveType.FromUnstructured(adopted)
	return config, tv, err
}

// adoptUnknown lets what is one value, to whoever knows all of it, stay as it is
// where the config says the same of what is known: unknown fields in it are no
// reason to write it.
func adoptUnknown(live place.Place, v any) verdict {
	atom, known := live.Atom()
	switch v.(type) {
	case map[string]any:
		if !known || atom.Map == nil {
			return leave
		}
		if !atom.Map.ElementRelationship.IsAtomic() {
			return lookBelow
		}
	case []any:
		if !known || atom.List == nil {
			return leave
		}
		if atom.List.ElementRelationship.IsAssociative() {
			return lookBelow
		}
	default:
		return leave
	}
	n := compiled.Node(live.Schema, live.Ref)
	pruned, changed, _ := engine.Prune(n, live.Plain, false) // with an error, changed is false
	if !changed || !data.Equivalent(n, pruned, v) {
		return leave
	}
	return takeLive
}

// typedUpdate is the new object of an update, and it with its type. What is unknown
// in it must have been in the live object: most updates send back what they have read.
func (r *request) typedUpdate(t typed.ParseableType, object map[string]any) (map[string]any, *typed.TypedValue, error) {
	if r.unknown == nil && r.m.o.Duplicates == typed.RefuseDuplicates {
		tv, err := r.typedNext(t, object)
		return object, tv, err
	}
	if r.unknown == nil {
		return r.single(t, object, typed.AllowDuplicates)
	}
	if _, err := t.FromUnstructured(object, typed.AllowDuplicates); err != nil {
		var all typed.ValidationErrors
		if !errors.As(err, &all) {
			return object, nil, err
		}
		carries := r.carried()
		all = slices.DeleteFunc(all, func(e typed.ValidationError) bool {
			f := diag.Of(e)
			return f != nil && f.Code == diag.Undeclared && carries[diag.Place(f.Path)]
		})
		if len(all) > 0 {
			return object, nil, all
		}
	}
	return r.single(r.liveType, object, typed.AllowDuplicates)
}

// carried are the places of the unknown fields that the live object has, in whichever
// items of lists.
func (r *request) carried() map[string]bool {
	places := make(map[string]bool, len(r.unknown))
	for _, u := range r.unknown {
		places[diag.Place(u.Path)] = true
	}
	return places
}

// warnUnknown tells what became of the unknown fields of the live object.
func (r *request) warnUnknown(object map[string]any) {
	if r.unknown == nil {
		return
	}
	left := map[string]bool{}
	_, err := r.strictType.FromUnstructured(object, typed.AllowDuplicates)
	for _, f := range place.Unknown(err) {
		left[f.Path] = true
	}
	for _, f := range r.unknown {
		w := managedfields.Warning{Path: f.Path, Live: true}
		w.Message = fmt.Sprintf("the live object has this field, and the schema of %s does not: ", r.m.describeType(r.apiVersion, r.kind))
		if left[f.Path] {
			w.Message += "carried through as " + deducedAs(f.Found)
		} else {
			w.Message += "it goes with this request"
		}
		r.warnings = append(r.warnings, w)
	}
}

// deducedAs says how a value without a schema is merged.
func deducedAs(v any) string {
	switch v.(type) {
	case map[string]any, map[any]any:
		return "a map that is merged field by field"
	case []any:
		return "a list that is one value"
	}
	return document.Kind(v)
}

// describeType names the schema of a type for messages.
func (m *FieldManager) describeType(apiVersion, kind string) string {
	if m.o.DescribeType != nil {
		if name := m.o.DescribeType(apiVersion, kind); name != "" {
			return name
		}
	}
	return apiVersion + " " + kind
}

// typeIn is the type of objects in another version, or t itself. Whether the live
// object has unknown fields in a version that it is converted to is not known
// before, so there everything may be.
func (v *versions) typeIn(version string, t typed.ParseableType) typed.ParseableType {
	if v.m.o.CarryUnknown && (v.open || fieldpath.APIVersion(version) != v.home) {
		return place.Lenient(t)
	}
	return t
}
