// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
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
	config, err := o.Type.FromUnstructured(o.Sent(), dups.Options()...)
	o.Errors = input.Findings(object, o.Type, err)
	if CheckValues(t, o); len(o.Errors) > 0 {
		return o
	}
	o.NoteKeys(config)
	o.NoteSuspicious(t, (*operand.Value)(config.Empty()).Diagnose((*operand.Value)(config)))
	checkCreate(t, o, time.Now(), masks, others)
	return o
}
