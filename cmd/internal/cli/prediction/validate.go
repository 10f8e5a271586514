// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// Validate validates one object as a new object, without a live object. It also adds warnings
// about probable mistakes. A server stops at the first stage that finds errors: it decodes the object,
// validates its values, and evaluates its CEL rules. Validate runs all stages that the errors of
// earlier stages allow, and adds a warning that lists the others.
func Validate(t *sources.Types, object *manifest.Object, dups *Duplicates, masks *unstructured.Masks, others Others) *Outcome {
	o := &Outcome{Pair: Pair{Object: object}, Content: object.Content}
	if !o.FindType(t) {
		return o
	}
	ClearNamespace(t, o)
	duplicates := dups.Deduplicate(o)
	sent := o.Sent()
	config, err := o.CheckType(sent, dups)
	if err == nil {
		err = duplicates
	}
	o.Errors = input.Findings(object, o.Type, err)
	unchecked := CheckValues(t, o)
	if unknown, _ := input.SplitUnknown(err); len(unknown) > 0 {
		sent, config, err = o.withoutUnknown(sent, dups)
	}
	if err == nil {
		o.NoteKeys(config)
		o.NoteSuspicious(t, (*operand.Value)(config.Empty()).Diagnose((*operand.Value)(config)))
	}
	unchecked = append(unchecked, checkCreate(t, o, sent, decodable(err), time.Now(), masks, others)...)
	o.noteUnchecked(unchecked)
	o.sortErrors()
	return o
}

// CheckType validates an object of the same type as o. It checks metadata.managedFields only if the
// type declares this field as a list. If not, it removes managed fields first, and the returned
// value lacks them. Such a type is valid too, because the field manager removes managed fields
// before it looks at the type.
func (o *Outcome) CheckType(object map[string]any, dups *Duplicates) (*typed.TypedValue, error) {
	if managed, _ := suggest.TypeAt(o.Type.Schema, o.Type.TypeRef, []any{"metadata", "managedFields"}); managed.List == nil {
		object = unstructured.WithoutManagedFields(object)
	}
	return o.Type.FromUnstructured(object, dups.Options()...)
}

// withoutUnknown removes from an object the fields that its type does not declare. It returns the
// result as plain data and as a typed value. If the result is invalid, it returns an error.
func (o *Outcome) withoutUnknown(object map[string]any, dups *Duplicates) (map[string]any, *typed.TypedValue, error) {
	pruned, err := typed.AsTypedUnvalidated(value.NewValueInterface(object), o.Type.Schema, o.Type.TypeRef).Prune()
	if err != nil {
		return object, nil, err
	}
	object, _ = pruned.AsValue().Unstructured().(map[string]any) // pruning an object results in an object
	v, err := o.CheckType(object, dups)
	return object, v, err
}

// decodable reports whether a server can decode an object despite an error of its type: it can decode
// duplicate list items, and items without keys.
func decodable(err error) bool {
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return err == nil
	}
	return !slices.ContainsFunc(all, func(e typed.ValidationError) bool {
		f := diag.Of(e)
		return f == nil || f.Code != diag.Duplicate && f.Code != diag.NoIdentity
	})
}

// noteUnchecked adds a warning that lists the rules that were not checked, because the object has
// errors.
func (o *Outcome) noteUnchecked(rules []string) {
	if len(rules) > 0 {
		o.Warn("", strings.Join(rules, " and ")+" were not checked, because the object has other errors; correct these first")
	}
}
