// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// trace writes how each stage of a request changes the object, for --trace.
type trace struct {
	w     io.Writer
	o     *prediction.Outcome
	masks *unstructured.Masks
	// objects is set if the trace shows the whole object after each stage. Otherwise, the trace
	// shows only the changes.
	objects bool
}

// writeTrace writes the stages of the request for the outcome. If o.Forced is set, it also writes
// the stages of the forced request.
func (t *OutcomeWriter) writeTrace(w io.Writer, o *prediction.Outcome) {
	if o.Maker == nil || len(o.Steps()) == 0 {
		return
	}
	tr := &trace{w, o, &t.r.Masks, o.Maker.Trace.Objects}
	tr.line("trace of %v:", o.Object.Identity())
	tr.steps(o.Steps())
	tr.line("  result: %s", resultOf(o))
	if o.Forced != nil {
		tr.line("trace of %v with --force-conflicts, whose result the differences show:", o.Object.Identity())
		tr.steps(o.Forced.Steps())
		tr.line("  result: %s", resultOf(o.Forced))
	}
}

// resultOf describes the result of a request.
func resultOf(o *prediction.Outcome) string {
	switch o.Status() {
	case command.StatusConflict:
		return "refused: " + words.Count(len(o.Conflicts), "conflict")
	case command.StatusImmutable:
		return "refused: " + words.Count(len(o.Immutable), "immutable field") + " would change"
	case command.StatusInvalid:
		return "refused: " + o.Errors[0].Error()
	}
	switch _, changed := o.Final(); {
	case changed && o.Result != nil && o.Result.Reencoded:
		return "the object is stored: only the encoding of its managed fields changes"
	case changed:
		return "the object is stored"
	}
	return "nothing is stored"
}

func (tr *trace) line(format string, args ...any) {
	fmt.Fprintln(tr.w, words.Visible(fmt.Sprintf(format, args...)))
}

func (tr *trace) steps(all []prediction.Step) {
	var sent map[string]any
	for _, s := range all {
		if s.Stage == fieldmanager.StagePrepared {
			if sent != nil {
				tr.step(prediction.Step{Stage: "config changed for the next merge", Before: sent, After: s.Before})
			}
			sent = s.Before
		}
		tr.step(s)
	}
}

func (tr *trace) step(s prediction.Step) {
	before, after := tr.masks.Hide(s.Before), tr.masks.Hide(s.After)
	changes := fields.Differences(tr.o.Type, before, after)
	var owners []string
	if slices.Contains(writesOwners, s.Stage) {
		owners = ownerChanges(before, after)
	}
	if len(changes)+len(owners) == 0 {
		tr.line("  %s: no change", s.Stage)
		return
	}
	tr.line("  %s:", s.Stage)
	if tr.objects {
		for _, text := range encode.YAMLLines(unstructured.WithoutManagedFields(after)) {
			tr.line("    %s", text)
		}
	} else {
		for i := range changes {
			tr.change(&changes[i])
		}
	}
	for _, text := range owners {
		tr.line("    %s", text)
	}
}

func (tr *trace) change(c *fields.Change) {
	switch {
	case !c.HasOld:
		tr.line("    + %v: %s", c.Path, words.Flow(c.New))
	case !c.HasNew:
		tr.line("    - %v: %s", c.Path, words.Flow(c.Old))
	default:
		tr.line("    ~ %v: %s -> %s", c.Path, words.Flow(c.Old), words.Flow(c.New))
	}
}

// writesOwners lists the stages that can change managed fields. All other stages leave managed
// fields unchanged, or work on objects without managed fields.
var writesOwners = []fieldmanager.Stage{fieldmanager.StageOwners, predict.StageScaled, predict.StageReadBack}

// ownerChanges lists the fields that each manager gains or loses in a stage. It ignores
// timestamps.
func ownerChanges(before, after map[string]any) (all []string) {
	old, err := ownedBy(before)
	now, err2 := ownedBy(after)
	if err != nil || err2 != nil {
		return []string{"? the managed fields cannot be read"}
	}
	owners := maps.Clone(old)
	maps.Copy(owners, now)
	for _, owner := range slices.SortedFunc(maps.Keys(owners), func(a, b managedfields.Owner) int { return strings.Compare(a.ID(), b.ID()) }) {
		name := words.Owner(owner, nil)
		for path := range orEmpty(now[owner]).Difference(orEmpty(old[owner])).All() {
			all = append(all, fmt.Sprintf("+ %s owns %v", name, path))
		}
		for path := range orEmpty(old[owner]).Difference(orEmpty(now[owner])).All() {
			all = append(all, fmt.Sprintf("- %s no longer owns %v", name, path))
		}
	}
	return all
}

func orEmpty(set *fieldpath.Set) *fieldpath.Set {
	if set == nil {
		return fieldpath.NewSet()
	}
	return set
}

func ownedBy(object map[string]any) (map[managedfields.Owner]*fieldpath.Set, error) {
	managed, err := managedfields.Decode(object)
	if err != nil {
		return nil, err
	}
	all := map[managedfields.Owner]*fieldpath.Set{}
	for _, e := range managed.Entries() {
		all[e.Owner] = orEmpty(all[e.Owner]).Union(e.Set)
	}
	return all, nil
}
