// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"cmp"
	"errors"
	"fmt"
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
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Outcome is the result of one request, or of one object in a command that makes no request. It
// can also hold only errors of the input.
type Outcome struct {
	Pair
	// read is the pair as it was read. It can differ from Pair, in which the object to scale
	// replaces a Scale, and the live object is in the version of the request.
	read Pair
	// Manager is the field manager of the request. It is empty in a command that makes no request.
	Manager string
	// Maker predicts the request. It is nil in a command that makes no request.
	Maker *Requester
	Type  typed.ParseableType
	// cleaned is the object to send if it differs from the object in the file. It lacks the
	// duplicates that --duplicates removes, and has no namespace if the kind is cluster-scoped.
	cleaned map[string]any
	// Before is the live object as an API server reads it for the request. It is nil if no request
	// was made.
	Before map[string]any
	// request is the prepared request. It is nil if no request was made.
	request *predict.PreparedRequest
	// scale is the Scale that a request to the subresource "scale" sends. In such a request, Object
	// is the object to scale. For all other requests, scale is nil.
	scale map[string]any
	// server is the predicted server.
	server *predict.Server
	// sent is the request to the predicted server.
	sent *predict.Request
	// forced is set if the request forced conflicts.
	forced bool
	// applied is the config after flags such as --yield have changed it, or nil.
	applied map[string]any
	// Kubectl describes the changes that kubectl makes with further requests after the apply. It
	// is nil if kubectl sends none.
	Kubectl *Kubectl
	// Staying lists the fields that the apply keeps, although the author of the config probably
	// wants to remove them.
	Staying []StayingField
	// Migrations lists the migrations that warnings recommend.
	Migrations []*Migration
	// AppliedBy lists the managers that have applied the live object. It is set only if the
	// manager of the request owns nothing in the live object.
	AppliedBy []string
	// ofResult holds the warnings about the result of the request. They are also in Warnings.
	ofResult []warning
	// steps records the stages of the request for the flag --trace. It is nil without this flag.
	steps *stepRecorder
	// Forced is the outcome of the same request with force. It is set by ShowForced, and only if the
	// request has conflicts.
	Forced *Outcome
	// LiveType is the type of the live object. It is Type or, if the live object has undeclared
	// fields, a copy of Type that accepts them.
	LiveType typed.ParseableType
	Result   *fieldmanager.Result
	// Content is the resulting object of a command that makes no request.
	Content map[string]any
	// Changed reports whether Content differs from the object in the file.
	Changed bool
	// apply is the request. It is nil for an update, and for an apply that forces all conflicts.
	apply *resolve.Request
	// choices says how flags resolve the conflicts of apply. It is unset if apply is nil.
	choices resolve.Choices
	// Conflicts lists the conflicts that no flag resolves.
	Conflicts []fieldmanager.Conflict
	// resolutions caches results. For each choice, it holds the result of resolving all conflicts
	// with this choice.
	resolutions map[resolve.Choice]*Resolution
	// given caches the original config as YAML, to compare the configs of resolutions with it.
	given *renderedConfig
	// order is the order of fields in configs.
	order encode.Order
	// Resolved lists the conflicts that flags have resolved.
	Resolved []resolve.Resolution
	// Immutable lists the forbidden changes of immutable fields.
	Immutable []fieldmanager.ImmutableField
	// Preview is the object that a server would store if it allowed the changes in Immutable.
	Preview   *fieldmanager.Result
	Defaulted []string
	// Origins holds the origins of the defaults of a built-in kind, by path.
	Origins  map[string]string
	Warnings []warning
	// Notes describes changes of the object in sentences for the user.
	Notes  []string
	Errors manifest.Errors
	// refusedStatus is the HTTP status with which a server would reject the request because of
	// Errors. It is 0 if the status is unknown.
	refusedStatus int
	// Denied is set if Errors comes from a policy.
	Denied bool
	// Proposals lists the proposed server features that flags enable.
	Proposals []string
	// Unmanaged is the message that the live object has no managed fields. It is "" if the
	// object has them. The message is also part of Errors or Warnings.
	Unmanaged string
	// OwnsNothing is set if the command is limited to one manager, and that manager owns no field
	// of the object.
	OwnsNothing *OwnsNothing
}

// A warning reports a probable mistake. The request still succeeds.
type warning struct {
	At            manifest.Position
	Path, Message string
}

// Final returns the resulting object, and reports whether it has changed. The result of a request
// is compared with the live object. A command that makes no request compares it with the input.
func (o *Outcome) Final() (object map[string]any, changed bool) {
	if o.Result != nil {
		return o.Result.Object, o.Result.Changed
	}
	return o.Content, o.Changed
}

// sortErrors sorts the errors by their position. Errors in the file of the object come first.
func (o *Outcome) sortErrors() {
	file := o.Object.Start().File
	slices.SortStableFunc(o.Errors, func(a, b *manifest.Error) int {
		switch {
		case a.File == b.File:
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		case a.File == file:
			return -1
		case b.File == file:
			return 1
		}
		return strings.Compare(a.File, b.File)
	})
}

// Status returns the exit status for o.
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

// HTTPStatus returns the HTTP status of the server's response, or 0 if the status is unknown.
func (o *Outcome) HTTPStatus() int {
	switch {
	case len(o.Errors) > 0:
		return o.refusedStatus
	case len(o.Conflicts) > 0:
		return httpstatus.Conflict
	case len(o.Immutable) > 0:
		return httpstatus.Unprocessable
	case o.Live == nil:
		return httpstatus.Created
	}
	return httpstatus.OK
}

// FindType sets the type of the object, and adds warnings about the file, such as warnings about
// ambiguous YAML. If the object has no type, FindType sets o.Errors and returns false.
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

// checkManagedFields checks whether the live object has managed fields. A live object with a uid
// comes from a cluster. If such an object in a file has no managed fields, "kubectl get" has
// probably left them out. This is an error, because every result about owners and conflicts would
// be wrong. With the flag --allow-missing-managed-fields, it is only a warning. checkManagedFields
// also only warns if the command has read the live object from the cluster, or if a live object in
// a file has no uid, because a user has written it.
func (m *Requester) checkManagedFields(o *Outcome) *manifest.Error {
	if o.Live == nil {
		return nil
	}
	metadata, _ := o.Live.Content["metadata"].(map[string]any)
	fromFile, hasUID := len(m.Live.Names) > 0, unstructured.Text(metadata, "uid") != ""
	if _, there := metadata["managedFields"]; there || !fromFile && !hasUID {
		return nil
	}
	if fromFile && hasUID && !m.noManagedFields {
		o.Unmanaged = noManagedFields + ", so owners and conflicts are unknown; use --" + noManagedFieldsFlag + " to continue without them"
		return o.Live.Errorf(".metadata", "%s", o.Unmanaged)
	}
	o.Unmanaged = noManagedFields + "; without them, " + fieldmanager.BeforeFirstApply + " owns all fields, and the apply removes no field that the config leaves out"
	if m.update {
		o.Unmanaged = noManagedFields + "; without them, the fields that the update does not change have no owner"
	}
	o.Warnings = append(o.Warnings, warning{o.Live.Position(".metadata"), ".metadata", o.Unmanaged})
	return nil
}

// noManagedFieldsFlag is the flag that accepts live objects without managed fields.
const noManagedFieldsFlag = "allow-missing-managed-fields"

// NoteKeys records the keys of list items that were filled in with defaults. It warns about a
// missing key that is required, because the key gets a zero value.
func (o *Outcome) NoteKeys(config *typed.TypedValue) {
	for _, f := range (*operand.Value)(config).FilledKeys() {
		o.Defaulted = append(o.Defaulted, f.Path)
		if name := f.Path[strings.LastIndexByte(f.Path, '.')+1:]; document.IsZero(f.Found) && o.isRequired(f.Path, name) {
			o.Warn(f.Path, fmt.Sprintf("this list key is missing, so the server uses %s as its value, although the field is required", words.Scalar(f.Found)))
		}
	}
}

// isRequired reports whether the schema requires the field with the given name, which the object
// lacks. path is the path of the field.
func (o *Outcome) isRequired(path, name string) bool {
	steps, _ := o.Object.Steps(path)
	atom, ok := suggest.TypeAt(o.Type.Schema, o.Type.TypeRef, steps)
	return ok && atom.Map != nil && slices.Contains(atom.Map.Required, name)
}

// warnOfResult adds a warning about the result of the request.
func (o *Outcome) warnOfResult(w warning) {
	o.Warnings, o.ofResult = append(o.Warnings, w), append(o.ofResult, w)
}

// MakeForced predicts the same request again, with force.
func (o *Outcome) MakeForced() *Outcome { return o.Maker.Make(o.read, true) }

// ShowForced adds the result and the notes of a forced apply to o, the outcome of the same apply
// without force. The apply without force must have conflicts.
func (o *Outcome) ShowForced(forced *Outcome) {
	o.Forced = forced
	o.Staying, o.Kubectl, o.Migrations = forced.Staying, forced.Kubectl, forced.Migrations
	o.Warnings = append(o.Warnings, forced.ofResult...)
	for _, note := range forced.Notes {
		if !slices.Contains(o.Notes, note) {
			o.Notes = append(o.Notes, note)
		}
	}
}

// Warn adds a warning about a path of the object.
func (o *Outcome) Warn(path, message string) {
	o.Warnings = append(o.Warnings, warning{o.Object.Position(path), path, message})
}

// Explain stores the error of a request in the outcome o: as conflicts, as immutable fields or as
// errors with positions. If err is nil, Explain only adds the warnings of the result.
func (o *Outcome) Explain(err error) {
	o.NoteWarnings(o.Result)
	if err == nil {
		return
	}
	var (
		conflict   *fieldmanager.ConflictError
		managed    *managedfields.EntryError
		fixed      *fieldmanager.ImmutableError
		request    *fieldmanager.RequestError
		policies   *predict.PoliciesError
		nulls      *predict.NullError
		invalid    *predict.InvalidError
		undeclared *predict.UndeclaredError
	)
	o.noteStatus(err)
	switch {
	case errors.As(err, &policies):
		o.refuse(policies)
	case errors.As(err, &nulls):
		o.Errors = manifest.Errors{o.nullError(nulls.Checked, "a list or map that loses all its items can become null, too: ")}
	case errors.As(err, &conflict):
		o.Conflicts = conflict.Conflicts
	case errors.As(err, &fixed):
		o.Immutable, o.Preview = fixed.Fields, fixed.Result
		o.NoteWarnings(o.Preview)
	case errors.As(err, &managed) && o.Live != nil:
		o.Errors = manifest.Errors{input.BrokenEntry(o.Live, managed)}
	case errors.As(err, &request) && request.Status == httpstatus.Conflict && o.checkResourceVersion() != nil:
		o.Errors = manifest.Errors{o.checkResourceVersion()}
	case errors.As(err, &invalid):
		o.refuseNative(invalid)
	case errors.As(err, &request):
		if o.request != nil && o.request.NativeAnswered() {
			o.noteUndecodable()
		}
		if len(o.Errors) == 0 {
			o.Errors = manifest.Errors{o.Object.Errorf("", "%v", request)}
		}
	case errors.Is(err, predict.ErrNoVersion):
		o.Errors = manifest.Errors{o.Object.Errorf("", "%v: the live object has managed fields of this version, which the definition does not have; to move them to another version, run \"dovetail doctor --fix\"", err)}
	case errors.As(err, &undeclared):
		for _, e := range undeclared.Fields {
			o.Errors = append(o.Errors, o.Object.Errorf("", "%v: the live object has managed fields of %s, which does not declare this field, so servers reject every apply with status 500; to move them to %s, run \"dovetail doctor --fix\"", e, undeclared.APIVersion, undeclared.From))
		}
	default:
		hint := ""
		if o.Live != nil && strings.Contains(err.Error(), "duplicate entries for key") {
			hint = "; if versions of the kind have different defaults for a list key, items without the key can collide: \"dovetail lint\" finds such keys"
		}
		o.Errors = manifest.Errors{o.Object.Errorf("", "%v%s", err, hint)}
	}
}

// noteStatus records the HTTP status of a server's error.
func (o *Outcome) noteStatus(err error) {
	var request *fieldmanager.RequestError
	if errors.As(err, &request) {
		o.refusedStatus = request.Status
	}
}

// NoteSuspicious adds a warning for each of the given findings.
func (o *Outcome) NoteSuspicious(t *sources.Types, findings diag.Findings) {
	id := o.Object.Identity()
	for _, f := range findings {
		message := f.Message
		if strings.HasPrefix(message, "the key ") && document.IsZero(f.Found) && t.Builtin(id.APIVersion, id.Kind) {
			message += "; a server adds another item with each apply, which " + sources.ZeroFlag + " (KEP-1929, a proposal) prevents"
		}
		o.Warn(f.Path, message)
	}
}

// nullError returns the error for nulls in a custom resource that a server rejects. It gives the
// error the position of the first such null in the file. The argument cause is text that says where
// the nulls may come from. If the file contains no such null, nullError adds this text to the
// message.
func (o *Outcome) nullError(checked error, cause string) *manifest.Error {
	e := o.Object.Errorf("", "%v; %sleave the field out, or make it nullable in the definition", checked, cause)
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

// invalidField finds the path of each invalid field in an error message of a server.
var invalidField = regexp.MustCompile(`([^\s\[:]\S*): Invalid value: `)

// checkResourceVersion returns an error if the object has a resourceVersion that differs from
// the resourceVersion of the live object.
func (o *Outcome) checkResourceVersion() *manifest.Error {
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
	return o.Object.Errorf(".metadata.resourceVersion", "is %s, but the live object has %s: the object was modified in the meantime; leave resourceVersion out, or start from the current object", words.Scalar(got), words.Scalar(want))
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

// ReadLive returns the outcome of a live object for a command that makes no request. It finds the
// type of the object, and warns if the object has no managed fields.
func ReadLive(t *sources.Types, object *manifest.Object) *Outcome {
	o := &Outcome{Pair: Pair{Object: object, Live: object}, Content: object.Content}
	if !o.FindType(t) {
		return o
	}
	if metadata, _ := object.Content["metadata"].(map[string]any); metadata["managedFields"] == nil {
		o.Unmanaged = noManagedFields
		o.Warn(".metadata", o.Unmanaged)
	}
	return o
}

// These texts say that a live object has no managed fields. noManagedFields is the whole message,
// and NoManagedFields is its beginning.
const (
	NoManagedFields = "there are no managed fields"
	noManagedFields = NoManagedFields + `; "kubectl get" shows them only with --show-managed-fields`
)
