// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Outcome is what became of one request, or of input that did not become one.
type Outcome struct {
	Pair
	// Manager is who makes the request, and Maker how; a command that makes no request
	// has neither.
	Manager string
	Maker   *Requester
	Type    typed.ParseableType
	// single is the object without the items that --duplicates drops and without a
	// namespace that it cannot have; nil if it has neither.
	single map[string]any
	// Before is the live object as an API server reads it for the request, and request how
	// that is made; a command that makes none has no such thing.
	Before  map[string]any
	request *predict.PreparedRequest
	// server answers the request sent. forced reports that it is made with force, and applied is
	// the config with the choices of its conflicts, nil if there were none.
	server  *predict.Server
	sent    *predict.Request
	forced  bool
	applied map[string]any
	// Kubectl is the effect of the requests that kubectl sends after the apply, nil if it sends
	// none.
	Kubectl *Kubectl
	// Staying are fields that the apply probably should remove and does not.
	Staying []StayingField
	// AppliedBy lists the managers that apply the live object, if the manager of the request owns
	// nothing in it.
	AppliedBy []string
	// ofResult are the warnings about the result, which are among Warnings.
	ofResult []warning
	// steps are the stages of the request, nil if nobody asked for them. Forced is the request
	// that was made with force to show what it would do, nil if there was none.
	steps  *steps
	Forced *Outcome
	// LiveType is Type, or allows fields that Type does not know, if the live object
	// carries some.
	LiveType typed.ParseableType
	Result   *fieldmanager.Result
	// Content is the object of a command that makes no request, and Changed whether it
	// is another one than the file has.
	Content map[string]any
	Changed bool
	// apply is the request, unless it is an update or forced, and choices what was chosen
	// for it. If it conflicts, Conflicts are its own.
	apply     *resolve.Request
	choices   resolve.Choices
	Conflicts []fieldmanager.Conflict
	// resolutions are those of all conflicts together, once somebody has asked.
	resolutions map[resolve.Choice]*Resolution
	// given is the object as it is compared with their configs.
	given *rendered
	// order is that of the fields of configs.
	order encode.Order
	// Resolved are the conflicts that were chosen to be none.
	Resolved []resolve.Resolution
	// Immutable is what would change and may not, Preview what would be stored if it
	// might.
	Immutable []fieldmanager.ImmutableField
	Preview   *fieldmanager.Result
	Defaulted []string
	// Origins say where defaults of built-in kinds come from, by their paths.
	Origins  map[string]string
	Warnings []warning
	// Notes are what was done, for people.
	Notes  []string
	Errors manifest.Errors
	// refusedStatus is the HTTP status with which a server refuses the request for Errors, 0
	// if it is not known.
	refusedStatus int
	// Denied says that the errors are what a policy says of the request.
	Denied bool
	// Proposals are the flags that are on for behaviour that no released server has.
	Proposals []string
	// Lacks is set if the manager that was asked for owns nothing here.
	Lacks *Lacks
}

// warning is something that did not fail a request.
type warning struct {
	At            manifest.Position
	Path, Message string
}

// Final returns the object that is the result, and whether it has changed.
func (o *Outcome) Final() (object map[string]any, changed bool) {
	if o.Result != nil {
		return o.Result.Object, o.Result.Changed
	}
	return o.Content, o.Changed
}

// Status is the exit status that o makes.
func (o *Outcome) Status() int {
	switch {
	case len(o.Errors) > 0:
		return command.StatusInvalid
	case len(o.Conflicts) > 0:
		return command.StatusConflict
	case len(o.Immutable) > 0:
		return command.StatusImmutable
	}
	return command.StatusDone
}

// FindType finds the type of the object, and says whether there is one; if so, it notes
// what the file says otherwise than it seems to.
func (o *Outcome) FindType(t *sources.Types) bool {
	id := o.Object.Identity()
	o.Proposals = t.Proposals.Names()
	var err error
	if o.Type, err = t.TypeOf(id.APIVersion, id.Kind); err != nil {
		o.Errors = manifest.Errors{o.Object.Errorf("", "%v", err)}
		return false
	}
	for _, w := range o.Object.Warnings() {
		o.Warnings = append(o.Warnings, warning{manifest.Position{File: w.File, Line: w.Line}, w.Path, w.Message})
	}
	return true
}

// hidesManagedFields reports whether the live object comes from a cluster, which its uid shows,
// and lacks managed fields.
func (o *Outcome) hidesManagedFields() bool {
	if o.Live == nil {
		return false
	}
	metadata, _ := o.Live.Content["metadata"].(map[string]any)
	_, there := metadata["managedFields"]
	return !there && unstructured.Text(metadata, "uid") != ""
}

// checkManagedFields refuses a live object of a file that lacks managed fields: every answer about
// owners and conflicts would be wrong. An object that a cluster answered has no others.
func (m *Requester) checkManagedFields(o *Outcome) *manifest.Error {
	if !o.hidesManagedFields() {
		return nil
	}
	if len(m.Live.Names) > 0 && !m.noManagedFields {
		return o.Live.Errorf(".metadata", "%s, so owners and conflicts are unknown; --%s goes on without them", noManagedFields, noManagedFieldsFlag)
	}
	o.Warnings = append(o.Warnings, warning{o.Live.Position(".metadata"), ".metadata",
		noManagedFields + "; without them nothing that the config leaves out is removed"})
	return nil
}

// noManagedFieldsFlag is the flag that accepts live objects without managed fields.
const noManagedFieldsFlag = "allow-missing-managed-fields"

// NoteKeys notes the keys of list items that came from a default.
func (o *Outcome) NoteKeys(config *typed.TypedValue) {
	for _, f := range (*operand.Value)(config).FilledKeys() {
		o.Defaulted = append(o.Defaulted, f.Path)
		if name := f.Path[strings.LastIndexByte(f.Path, '.')+1:]; document.IsZero(f.Found) && o.required(f.Path, name) {
			o.Warn(f.Path, fmt.Sprintf("is required and missing; as key of its list it counts as %s", words.Scalar(f.Found)))
		}
	}
}

// required says whether the type has a field, which is not there, as required.
func (o *Outcome) required(path, name string) bool {
	steps, _ := o.Object.Steps(path)
	atom, ok := suggest.TypeAt(o.Type.Schema, o.Type.TypeRef, steps)
	return ok && atom.Map != nil && slices.Contains(atom.Map.Required, name)
}

// warnOfResult adds a warning about the result.
func (o *Outcome) warnOfResult(w warning) {
	o.Warnings, o.ofResult = append(o.Warnings, w), append(o.ofResult, w)
}

// ShowForced adds to o, which conflicts, what an apply with force leaves in the object.
func (o *Outcome) ShowForced(forced *Outcome) {
	o.Forced = forced
	o.Staying, o.Kubectl = forced.Staying, forced.Kubectl
	o.Warnings = append(o.Warnings, forced.ofResult...)
}

// Warn adds a warning about a path of the object.
func (o *Outcome) Warn(path, message string) {
	o.Warnings = append(o.Warnings, warning{o.Object.Position(path), path, message})
}

// Explain sorts out how a request ended.
func (o *Outcome) Explain(err error) {
	o.NoteWarnings(o.Result)
	if err == nil {
		return
	}
	var (
		conflict *fieldmanager.ConflictError
		managed  *managedfields.EntryError
		fixed    *fieldmanager.ImmutableError
		request  *fieldmanager.RequestError
		policies *predict.PoliciesError
		nulls    *predict.NullError
		invalid  *predict.InvalidError
	)
	if errors.As(err, &request) {
		o.refusedStatus = request.Status
	}
	switch {
	case errors.As(err, &policies):
		o.refuse(policies)
	case errors.As(err, &nulls):
		o.Errors = manifest.Errors{o.nullError(nulls.Checked, "servers also leave null of a list or map that loses all that is in it when it is applied empty, or while others own it: ")}
	case errors.As(err, &conflict):
		o.Conflicts = conflict.Conflicts
	case errors.As(err, &fixed):
		o.Immutable, o.Preview = fixed.Fields, fixed.Result
		o.NoteWarnings(o.Preview)
	case errors.As(err, &managed) && o.Live != nil:
		o.Errors = manifest.Errors{input.BrokenEntry(o.Live, managed)}
	case errors.As(err, &request) && request.Status == http.StatusConflict && o.outdated() != nil:
		o.Errors = manifest.Errors{o.outdated()}
	case errors.As(err, &invalid):
		o.refuseNative(invalid)
	case errors.As(err, &request):
		o.Errors = manifest.Errors{o.Object.Errorf("", "%v", request)}
	case errors.Is(err, predict.ErrNoVersion):
		o.Errors = manifest.Errors{o.Object.Errorf("", "%v: managed fields of the live object are of this version, which the definition does not have; \"dovetail doctor --fix\" moves them to one that it has", err)}
	default:
		o.Errors = manifest.Errors{o.Object.Errorf("", "%v", err)}
	}
}

// NoteDoubts notes what is probably not meant in the object.
func (o *Outcome) NoteDoubts(t *sources.Types, doubts diag.Findings) {
	id := o.Object.Identity()
	for _, f := range doubts {
		message := f.Message
		if strings.HasPrefix(message, "the key ") && document.IsZero(f.Found) && t.Builtin(id.APIVersion, id.Kind) {
			message += "; a server adds another item at each apply, unlike " + sources.ZeroFlag + " (KEP-1929, a proposal)"
		}
		o.Warn(f.Path, message)
	}
}

// nullError says that a server refuses the nulls of a custom resource. It is at the first of
// them that the file has.
func (o *Outcome) nullError(checked error, more string) *manifest.Error {
	e := o.Object.Errorf("", "%v; %sleave the field out, or make it nullable in the definition", checked, more)
	for _, field := range invalidField.FindAllStringSubmatch(checked.Error(), -1) {
		if v, ok := o.Object.Value("." + field[1]); ok && v == nil {
			at := o.Object.Position("." + field[1])
			e = o.Object.Errorf("", "%v; leave the field out, or make it nullable in the definition", checked)
			e.Line, e.Column = at.Line, at.Column
			break
		}
	}
	return e
}

// invalidField finds the fields in the text of a server that refuses an object.
var invalidField = regexp.MustCompile(`([^\s\[:]\S*): Invalid value: `)

// outdated says that the object was made for another state of the live object than the
// one there is, if its resource version does.
func (o *Outcome) outdated() *manifest.Error {
	if o.Live == nil {
		return nil
	}
	version := func(object *manifest.Object) string {
		metadata, _ := object.Content["metadata"].(map[string]any)
		return unstructured.Text(metadata, "resourceVersion")
	}
	got, want := version(o.Object), version(o.Live)
	if got == "" || got == want {
		return nil
	}
	return o.Object.Errorf(".metadata.resourceVersion", "is %s, that of the live object %s: the object has been modified; leave it out, or make the change to the object as it is now", words.Scalar(got), words.Scalar(want))
}

// NoteWarnings adds the warnings of a result.
func (o *Outcome) NoteWarnings(result *fieldmanager.Result) {
	if result != nil {
		o.noteAll(result.Warnings)
	}
}

func (o *Outcome) noteAll(warnings []managedfields.Warning) {
	for _, w := range warnings {
		if w.Live && o.Live != nil {
			o.Warnings = append(o.Warnings, warning{o.Live.Position(w.Path), w.Path, w.Message})
			continue
		}
		o.Warn(w.Path, w.Message)
	}
}

// ReadLive is the outcome of an object that is live, with its type.
func ReadLive(t *sources.Types, object *manifest.Object) *Outcome {
	o := &Outcome{Pair: Pair{Object: object, Live: object}, Content: object.Content}
	if !o.FindType(t) {
		return o
	}
	if metadata, _ := object.Content["metadata"].(map[string]any); metadata["managedFields"] == nil {
		o.Warn(".metadata", noManagedFields)
	}
	return o
}

// noManagedFields says of an object from a cluster why nobody seems to own it.
const noManagedFields = `there are no managed fields; "kubectl get" hides them without --show-managed-fields`
