// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/typed"
)

// outcome is what became of one request, or of input that did not become one.
type outcome struct {
	pair
	// manager is who makes the request, and maker how; there is none of a command
	// that makes no request.
	manager string
	maker   *requester
	typ     typed.ParseableType
	// single is the object without the items that --duplicates drops and without a
	// namespace that it cannot have, nil if that is none.
	single map[string]any
	// before is the live object as an API server reads it for the request, and body what
	// it reads of that; filledBefore and filled are the defaults that this brought.
	before, body         map[string]any
	filledBefore, filled []leftToDefault
	// liveType is typ, or allows fields that typ does not know, if the live object
	// carries some.
	liveType typed.ParseableType
	carries  bool
	result   *fieldmanager.Result
	// content is the object of a command that makes no request, changed
	// whether it is another one than the file has.
	content map[string]any
	changed bool
	// refused is why nothing came of it, if it conflicts; conflicts are its.
	refused   *fieldmanager.ConflictError
	conflicts []fieldmanager.Conflict
	// ways are the ways out of all of them, once somebody has asked; see wayOut.
	ways map[fieldmanager.Choice]*wayOut
	// given is the object as it is compared with their configs.
	given *rendered
	// settled are the conflicts that were chosen to be none.
	settled []fieldmanager.Settled
	// immutable is what would change and may not, preview what would be stored if
	// it might.
	immutable []fieldmanager.ImmutableField
	preview   *fieldmanager.Result
	defaulted []string
	warnings  []warning
	errors    manifest.Errors
	// diff is what diff finds, nil for other commands.
	diff *difference
	// lacks is set if the manager that was asked for owns nothing here.
	lacks *lacks
}

// warning is something that did not fail a request.
type warning struct {
	at            manifest.Position
	path, message string
}

// final returns the object that is the result, and whether it has changed.
func (o *outcome) final() (object map[string]any, changed bool) {
	if o.result != nil {
		return o.result.Object, o.result.Changed
	}
	return o.content, o.changed
}

func (o *outcome) status() int {
	switch {
	case len(o.errors) > 0:
		return StatusInvalid
	case len(o.conflicts) > 0:
		return StatusConflict
	case len(o.immutable) > 0:
		return StatusImmutable
	}
	return StatusDone
}

// noteReading notes what the file says otherwise than it seems to.
func (o *outcome) noteReading() {
	for _, w := range o.object.Warnings() {
		o.warnings = append(o.warnings, warning{manifest.Position{File: w.File, Line: w.Line}, w.Path, w.Message})
	}
}

// noManagedFields says of an object from a cluster why nobody seems to own it.
const noManagedFields = `there are no managed fields; "kubectl get" hides them without --show-managed-fields`

// noteHidden notes that the live object is from a cluster, which its uid tells, and has
// no managed fields.
func (o *outcome) noteHidden() {
	if o.live == nil {
		return
	}
	metadata, _ := o.live.Content["metadata"].(map[string]any)
	if _, there := metadata["managedFields"]; there || text(metadata, "uid") == "" {
		return
	}
	o.warnings = append(o.warnings, warning{o.live.Position(".metadata"), ".metadata",
		noManagedFields + "; without them nothing that the config leaves out is removed"})
}

// noteKeys notes the keys of list items that came from a default.
func (o *outcome) noteKeys(config *typed.TypedValue) {
	for _, f := range (*operand.Value)(config).FilledKeys() {
		o.defaulted = append(o.defaulted, f.Path)
		if name := f.Path[strings.LastIndexByte(f.Path, '.')+1:]; isZero(f.Found) && o.required(f.Path, name) {
			o.warn(f.Path, fmt.Sprintf("is required and missing; as key of its list it counts as %s", scalar(f.Found)))
		}
	}
}

// required says whether the type has a field, which is not there, as required.
func (o *outcome) required(path, name string) bool {
	steps, _ := o.object.Steps(path)
	atom, ok := suggest.TypeAt(o.typ.Schema, o.typ.TypeRef, steps)
	return ok && atom.Map != nil && slices.Contains(atom.Map.Required, name)
}

func (o *outcome) warn(path, message string) {
	o.warnings = append(o.warnings, warning{o.object.Position(path), path, message})
}

// explain sorts out how a request ended.
func (o *outcome) explain(err error) {
	o.noteWarnings(o.result)
	if err == nil {
		return
	}
	var (
		conflict *fieldmanager.ConflictError
		managed  *fieldmanager.ManagedFieldsError
		fixed    *fieldmanager.ImmutableError
		request  *fieldmanager.RequestError
	)
	switch {
	case errors.As(err, &conflict):
		o.refused, o.conflicts = conflict, conflict.Conflicts
	case errors.As(err, &fixed):
		o.immutable, o.preview = fixed.Fields, fixed.Result
		o.noteWarnings(o.preview)
	case errors.As(err, &managed) && o.live != nil:
		o.errors = manifest.Errors{brokenEntry(o.live, managed)}
	case errors.As(err, &request) && request.Status == http.StatusConflict && o.outdated() != nil:
		o.errors = manifest.Errors{o.outdated()}
	default:
		o.errors = manifest.Errors{o.object.Errorf("", "%v", err)}
	}
}

// outdated says that the object was made for another state of the live object than the
// one there is, if its resource version does.
func (o *outcome) outdated() *manifest.Error {
	if o.live == nil {
		return nil
	}
	version := func(object *manifest.Object) string {
		metadata, _ := object.Content["metadata"].(map[string]any)
		return text(metadata, "resourceVersion")
	}
	got, want := version(o.object), version(o.live)
	if got == "" || got == want {
		return nil
	}
	return o.object.Errorf(".metadata.resourceVersion", "is %s, that of the live object %s: the object has been modified; leave it out, or make the change to the object as it is now", scalar(got), scalar(want))
}

func (o *outcome) noteWarnings(result *fieldmanager.Result) {
	if result == nil {
		return
	}
	for _, w := range result.Warnings {
		if w.Live && o.live != nil {
			o.warnings = append(o.warnings, warning{o.live.Position(w.Path), w.Path, w.Message})
			continue
		}
		o.warn(w.Path, w.Message)
	}
}
