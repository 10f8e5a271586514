// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Validate validates one object as a new object, without a live object. It also adds warnings
// about probable mistakes.
func Validate(t *sources.Types, object *manifest.Object, dups *Duplicates, masks *unstructured.Masks, others Others) *Outcome {
	o := &Outcome{Pair: Pair{Object: object}, Content: object.Content}
	if !o.FindType(t) {
		return o
	}
	ClearNamespace(t, o)
	if err := dups.Deduplicate(o); err != nil {
		o.Errors = input.Findings(object, o.Type, err)
		return o
	}
	config, err := o.CheckType(o.Sent(), dups)
	o.Errors = input.Findings(object, o.Type, err)
	if CheckValues(t, o); len(o.Errors) > 0 {
		return o
	}
	o.NoteKeys(config)
	o.NoteSuspicious(t, (*operand.Value)(config.Empty()).Diagnose((*operand.Value)(config)))
	checkCreate(t, o, time.Now(), masks, others)
	return o
}

// CheckType validates an object of the same type as o. It checks metadata.managedFields only if the
// type declares them as a list. Other types are valid too, because the field manager removes managed
// fields before it looks at the type. The returned value then lacks them.
func (o *Outcome) CheckType(object map[string]any, dups *Duplicates) (*typed.TypedValue, error) {
	if managed, _ := suggest.TypeAt(o.Type.Schema, o.Type.TypeRef, []any{"metadata", "managedFields"}); managed.List == nil {
		object = unstructured.WithoutManagedFields(object)
	}
	return o.Type.FromUnstructured(object, dups.Options()...)
}
