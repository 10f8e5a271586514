// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"errors"
	"fmt"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/typed"
)

// noteMarkers warns about changes that immutability markers in the schema forbid. It does nothing
// with the flag --immutability-markers, because such changes are then errors.
func (m *Requester) noteMarkers(o *Outcome) {
	if o.Result == nil || o.Live == nil || m.Types.Proposals.ImmutabilityMarkers {
		return
	}
	var fixed *fieldmanager.ImmutableError
	if errors.As(fieldmanager.CheckTransition(o.LiveType, o.Before, o.Result.Object, typed.TransitionOptions{IgnoreItemOrder: m.anyOrder}), &fixed) {
		o.warnMarkers(fixed)
	}
}

// ExplainMarkers checks the immutability markers in the schema when object replaces the live object
// of the outcome. With the flag --immutability-markers, a forbidden change is an error. Without
// this flag, it is a warning.
func ExplainMarkers(t *sources.Types, o *Outcome, object map[string]any, options typed.TransitionOptions) {
	err := fieldmanager.CheckTransition(o.Type, o.Before, object, options)
	var fixed *fieldmanager.ImmutableError
	if t.Proposals.ImmutabilityMarkers || !errors.As(err, &fixed) {
		o.Explain(err)
		return
	}
	o.warnMarkers(fixed)
}

func (o *Outcome) warnMarkers(fixed *fieldmanager.ImmutableError) {
	for i := range fixed.Fields {
		f := &fixed.Fields[i]
		o.Warn(f.Path.String(), fmt.Sprintf("%s, according to a marker in the schema; released API servers ignore the marker (%s, a proposal) and allow the change; with %s, the change is an error", f.Message, f.KEP, sources.MarkersFlag))
	}
}
