// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// errorsExceptUndeclared returns the errors of a validation, except the errors about undeclared
// fields. The argument err must also contain other errors. If err does not wrap
// typed.ValidationErrors, the function returns err itself.
func errorsExceptUndeclared(err error) error {
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return err
	}
	return slices.DeleteFunc(slices.Clone(all), func(e typed.ValidationError) bool {
		return diag.Of(e) != nil && diag.Of(e).Code == diag.Undeclared
	})
}

// acceptUndeclared finds the fields of the live object that its type does not declare. If there are any,
// it sets undeclared to them, strictType to the type, liveType to a lenient type that accepts them, and
// converter.lenient to true. Other errors of the live object are reported when the object is used.
func (r *request) acceptUndeclared() {
	_, err := r.typedLive()
	if r.undeclared = place.OnlyUndeclaredFields(err); r.undeclared == nil {
		return
	}
	r.strictType = r.liveType
	r.liveType = place.Lenient(r.liveType)
	r.converter.lenient = true
}

// typedConfig validates the applied config, and returns it as plain data and with the type of the live
// object. It applies Options.EqualQuantities and Options.Duplicates, which can change the config.
// Undeclared fields in the config are always invalid. If the live object has undeclared fields, the
// typed config can contain live values instead of values of the config (see
// keepLiveIfUndeclaredMissing).
func (r *request) typedConfig(config map[string]any) (map[string]any, *typed.TypedValue, error) {
	if r.m.options.EqualQuantities && !r.isNew {
		config = RespellQuantities(r.liveType, r.live, config)
	}
	if r.undeclared == nil {
		return r.validateSent(r.liveType, config)
	}
	config, _, err := r.validateSent(r.strictType, config)
	if err != nil {
		return config, nil, err
	}
	lr := liveReplacer{decide: keepLiveIfUndeclaredMissing}
	live := place.Place{Schema: r.strictType.Schema, Ref: r.strictType.TypeRef, Typed: true, Plain: r.live}
	withLiveValues, _ := lr.replaceWithLive(live, config, 0)
	tv, err := r.liveType.FromUnstructured(withLiveValues)
	return config, tv, err
}

// keepLiveIfUndeclaredMissing is a function for liveReplacer.decide. It keeps the live value of an
// atomic map or list if the value in the config is equal, except that undeclared fields are missing.
// Without this rule, the missing fields would count as a change.
func keepLiveIfUndeclaredMissing(live place.Place, v any) decision {
	atom, known := live.Atom()
	switch v.(type) {
	case map[string]any:
		if !known || atom.Map == nil {
			return keepRequested
		}
		if !atom.Map.ElementRelationship.IsAtomic() {
			return descend
		}
	case []any:
		if !known || atom.List == nil {
			return keepRequested
		}
		if atom.List.ElementRelationship.IsAssociative() {
			return descend
		}
	default:
		return keepRequested
	}
	n := compiled.Node(live.Schema, live.Ref)
	pruned, changed, _ := engine.Prune(n, live.Plain, false) // if Prune returns an error, changed is false
	if !changed || !data.Equivalent(n, pruned, v) {
		return keepRequested
	}
	return useLive
}

// typedUpdate validates the new object of an update. It returns the object as plain data and as a
// typed value. It applies Options.Duplicates, which can change the object. Most updates send back
// the changed live object, including its undeclared fields. So typedUpdate accepts an undeclared
// field if the live object also has the field. Inside a list, it is enough that any live item has
// the field.
func (r *request) typedUpdate(t typed.ParseableType, object map[string]any) (map[string]any, *typed.TypedValue, error) {
	if r.undeclared == nil && r.m.options.Duplicates == typed.RefuseDuplicates {
		tv, err := r.validateReplacement(t, object)
		return object, tv, err
	}
	if r.undeclared == nil {
		return r.validateSent(t, object, typed.AllowDuplicates)
	}
	if _, err := t.FromUnstructured(object, typed.AllowDuplicates); err != nil {
		var all typed.ValidationErrors
		if !errors.As(err, &all) {
			return object, nil, err
		}
		paths := r.undeclaredPaths()
		all = slices.DeleteFunc(all, func(e typed.ValidationError) bool {
			f := diag.Of(e)
			return f != nil && f.Code == diag.Undeclared && paths[diag.WithoutItems(f.Path)]
		})
		if len(all) > 0 {
			return object, nil, all
		}
	}
	return r.validateSent(r.liveType, object, typed.AllowDuplicates)
}

// undeclaredPaths returns the paths of the undeclared fields of the live object. The paths have
// no indexes or keys, so they do not show in which list item a field is.
func (r *request) undeclaredPaths() map[string]bool {
	paths := make(map[string]bool, len(r.undeclared))
	for _, u := range r.undeclared {
		paths[diag.WithoutItems(u.Path)] = true
	}
	return paths
}

// warnUndeclared adds a warning for each undeclared field of the live object. The warning says
// whether object, which will be stored, still has the field.
func (r *request) warnUndeclared(object map[string]any) {
	if r.undeclared == nil {
		return
	}
	kept := map[string]bool{}
	for _, e := range place.Undeclared(object, r.strictType) {
		kept[diag.Of(e).Path] = true
	}
	for _, f := range r.undeclared {
		w := managedfields.Warning{Path: f.Path, Live: true}
		w.Message = fmt.Sprintf("the live object has this field, but the schema of %s does not declare it; ", r.m.describeType(r.apiVersion, r.kind))
		if kept[f.Path] {
			w.Message += "the field is kept as " + describeMerge(f.Found)
		} else {
			w.Message += "this request removes the field"
		}
		r.warnings = append(r.warnings, w)
	}
}

// describeMerge returns a text for warnings. It says how a value without a schema is merged.
func describeMerge(v any) string {
	switch v.(type) {
	case map[string]any, map[any]any:
		return "a map that is merged field by field"
	case []any:
		return "an atomic list"
	}
	return document.Kind(v)
}

// describeType returns the name of the schema of a type, for messages.
func (m *FieldManager) describeType(apiVersion, kind string) string {
	if m.options.DescribeType != nil {
		if name := m.options.DescribeType(apiVersion, kind); name != "" {
			return name
		}
	}
	return apiVersion + " " + kind
}
