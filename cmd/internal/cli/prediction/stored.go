// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// predictor returns a predicted API server for the request.
func predictor(t *sources.Types, o *Outcome) *predict.Server {
	s := &predict.Server{
		FieldManager: fieldmanager.Options{Types: t.Owned, Untyped: t.Untyped, Converter: t.Convert},
		Release:      t.Defaulting(o.Object.Identity()),
		DeclaredOnly: t.Documents,
		Custom: func(apiVersion, kind string) (predict.Definition, bool) {
			return definition(t, apiVersion, kind), t.Custom(manifest.Identity{APIVersion: apiVersion, Kind: kind})
		},
		TypeDefaults: t.Overlaid,
		Declared: func(apiVersion, kind string) bool {
			return !t.FromGo(apiVersion, kind) && !t.Custom(manifest.Identity{APIVersion: apiVersion, Kind: kind})
		},
		EncodeText: unstructured.EncodeText,
	}
	if t.Catalog != nil {
		s.Kind = t.Catalog.Kind
	}
	if id := o.Object.Identity(); t.Builtin(id.APIVersion, id.Kind) {
		if engine := t.Native(); engine != nil {
			s.Native = engine
		}
	}
	if s.Release != nil {
		s.GoForm, _ = goform.New(s.Release.Version()) // nil for an unknown release, whose objects are not decoded
	}
	if t.Custom(o.Object.Identity()) {
		s.Release = t.Release() // some rules for custom resources also depend on the release
	}
	return s
}

// verb returns the verb of the requests before conflicts are forced.
func (m *Requester) verb() predict.Verb {
	if m.update {
		return predict.Update
	}
	return predict.Apply
}

// prepareRequest prepares the request for the outcome with predict.Server.Prepare. It sets
// o.request and the related fields, and sets o.Before to the live object as the server reads it.
// The returned errors are for users.
func (m *Requester) prepareRequest(o *Outcome) manifest.Errors {
	m.noteSubresource(o)
	r := &predict.Request{Verb: m.verb(), Subresource: m.subresource, Manager: m.Manager, Time: m.Now(), Object: o.Sent(), Live: o.Before, Type: o.Type, Trace: m.tracer(o)}
	if o.scale != nil {
		r.Object, r.Type = o.scale, typed.ParseableType{}
	}
	s := predictor(m.Types, o)
	s.FieldManager = m.mergeOptions(o, s.FieldManager)
	s.Policies, s.PodSecurity, s.Others = m.policies, m.podSecurity, m.others
	if s.Native != nil && m.masks != nil {
		s.Native = unmaskedNative{s.Native, m.masks}
	}
	p, err := s.Prepare(r)
	var invalid *predict.InvalidError
	if errors.As(err, &invalid) {
		o.noteInvalid(invalid.Causes, o.Object.Content)
		return o.Errors
	}
	var live *predict.LiveError
	if errors.As(err, &live) {
		return manifest.Errors{o.Live.Errorf("", "%v", live.Err)}
	}
	if err != nil {
		o.noteStatus(err)
		return manifest.Errors{o.Object.Errorf("", "%v", err)}
	}
	o.Before, o.request, o.server, o.sent = p.Live, p, s, r
	o.noteAll(p.Warnings)
	return nil
}

// FillNulls returns a copy of object in which nulls in maps and lists are replaced by the values
// that an API server fills in for them. It changes only objects of built-in kinds.
func FillNulls(t *sources.Types, o *Outcome, object map[string]any) map[string]any {
	return predictor(t, o).FillNulls(object)
}

// Fill returns a copy of object with the defaults that an API server would fill in at the given
// time. It also lists the defaults that come from Go code.
func Fill(t *sources.Types, o *Outcome, object map[string]any, now time.Time) (map[string]any, []fields.Defaulted, error) {
	after, filled, err := predictor(t, o).Fill(object, o.Type, false, now)
	if err != nil {
		return nil, nil, err
	}
	return after, listGoDefaults(o, &filled), nil
}

// listDefaults lists the defaults that the prediction filled in.
func listDefaults(o *Outcome, filled *predict.FilledDefaults) []fields.Defaulted {
	if filled.Before == nil {
		return nil
	}
	if filled.Custom {
		search := &fields.DefaultSearch{Schema: o.Type.Schema, Filled: true}
		search.Value(o.Type.TypeRef, filled.Before, filled.After, false, nil)
		return search.Found
	}
	return listGoDefaults(o, filled)
}

// listGoDefaults lists the defaults that Go code of the server filled in.
func listGoDefaults(o *Outcome, f *predict.FilledDefaults) (filled []fields.Defaulted) {
	for _, d := range f.Defaults {
		for _, at := range leaves(fields.Named(o.Type, f.After, d.Path), d.Value, nil) {
			filled = append(filled, fields.Defaulted{At: at, Path: at.String(), Origin: d.Origin.String()})
		}
	}
	// Go code may first fill in an empty map and then its fields. List only the fields.
	after := place.ObjectOf(o.Type, f.After)
	return slices.DeleteFunc(filled, func(l fields.Defaulted) bool {
		at, _ := after.At(l.At)
		m, ok := at.Plain.(map[string]any)
		return ok && len(m) > 0
	})
}

// leaves appends the paths of all leaves in a value to the slice all, and returns the slice. A list
// or an empty map counts as a leaf. The argument at is the path of the value itself.
func leaves(at fieldpath.Path, v any, all []fieldpath.Path) []fieldpath.Path {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		return append(all, at)
	}
	for _, name := range unstructured.SortedKeys(m) {
		all = leaves(append(at[:len(at):len(at)], fieldpath.FieldNameElement(name)), m[name], all)
	}
	return all
}

// noteFilled adds to o.Defaulted each default that is in the stored object, but was not sent.
func (o *Outcome) noteFilled() {
	if o.Result == nil {
		return
	}
	done := o.request.Prediction(o.Result)
	result, config := place.ObjectOf(o.Type, done.Object), place.ObjectOf(o.Type, o.Sent())
	for _, l := range slices.Concat(listDefaults(o, &done.FilledLive), listDefaults(o, &done.Filled)) {
		_, stays := result.At(l.At)
		if sent, _ := config.At(l.At); stays && sent.Plain == nil {
			o.noteDefault(l)
		}
	}
	slices.SortStableFunc(o.Defaulted, strings.Compare)
	o.Defaulted = slices.Compact(o.Defaulted)
}

// readBack replaces the result by the object that the server returns, which can differ from the
// object to store. If the server deletes the object instead, readBack adds a warning.
func (o *Outcome) readBack() {
	if o.Result == nil {
		return
	}
	done := o.request.Prediction(o.Result)
	if o.Result = done.Result; done.Deleted {
		o.Warn("", predict.DeletedWarning)
	}
}

// OnlyServer returns the paths of values in the result that only a server knows, such as a
// generated IP address. If nothing is stored, it returns an empty slice instead of nil.
func (o *Outcome) OnlyServer() []string {
	all := []string{}
	if o.Result == nil || o.request == nil {
		return all
	}
	for _, path := range o.request.Prediction(o.Result).OnlyServer {
		all = append(all, fields.Named(o.Type, o.Result.Object, path).String())
	}
	return all
}

// NoteDefaults adds defaults to o.Defaulted. The defaults in declared come from the schema, and
// those in filled come from Go code.
func (o *Outcome) NoteDefaults(declared, filled []fields.Defaulted) {
	for _, l := range slices.Concat(declared, filled) {
		o.noteDefault(l)
	}
	slices.SortStableFunc(o.Defaulted, strings.Compare)
	o.Defaulted = slices.Compact(o.Defaulted)
}

// noteDefault adds one default to o.Defaulted and its origin to o.Origins.
func (o *Outcome) noteDefault(l fields.Defaulted) {
	o.Defaulted = append(o.Defaulted, l.Path)
	if l.Origin != "" {
		if o.Origins == nil {
			o.Origins = map[string]string{}
		}
		o.Origins[l.Path] = l.Origin
	}
}

// ConvertLive converts the live object to the API version of the request, and stores the
// result in o.Before.
func ConvertLive(t *sources.Types, o *Outcome) *manifest.Error {
	if o.Live == nil {
		return nil
	}
	is, want := o.Live.Identity(), o.Object.Identity()
	converted, lost, err := predictor(t, o).Convert(o.Live.Content, want.APIVersion, o.Type)
	if err != nil {
		return o.Object.Errorf("", "the live object (%v) is in %s and cannot be converted to %s offline: %v", o.Live.Start(), is.APIVersion, want.APIVersion, conversionHint(t, o, err))
	}
	o.Before = converted
	o.noteAll(lost)
	return nil
}

// conversionHint adds a hint to an error about a failed conversion: how to read the live object in
// the API version of the request.
func conversionHint(t *sources.Types, o *Outcome, why error) error {
	is, want := o.Live.Identity(), o.Object.Identity()
	way := "pass it in " + want.APIVersion
	if k, _ := t.Catalog.Kind(want.APIVersion, want.Kind); k.Resource != "" {
		group, version, _ := strings.Cut(want.APIVersion, "/")
		command := fmt.Sprintf("kubectl get %s.%s.%s %s", k.Resource, version, group, is.Name)
		if is.Namespace != "" && k.Scope != openapi.ClusterWide {
			command += " -n " + is.Namespace
		}
		way += fmt.Sprintf(" (%s -o yaml --show-managed-fields)", command)
	}
	if shape, ok := why.(*sources.NoConversion); ok {
		return fmt.Errorf("%s. Either %s, or pass the object in the version %s. If both versions have the same fields, use --conversion=%s", shape.Why, way, is.APIVersion, sources.SameShape)
	}
	return fmt.Errorf("%w; %s", why, way)
}

// ClearNamespace removes the namespace of an object whose kind is cluster-scoped, as an API server
// does. It adds a warning.
func ClearNamespace(t *sources.Types, o *Outcome) {
	scoped, lost := predictor(t, o).RemoveNamespace(o.Sent())
	if lost != nil {
		o.cleaned = scoped
		o.noteAll([]managedfields.Warning{*lost})
	}
}
