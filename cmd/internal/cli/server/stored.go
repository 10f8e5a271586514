// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// read makes of the live object of o what an API server reads from its store for the
// request, and of the object what it decodes: in one version, with defaults. Both have the
// fields that they may have.
func (m *Requester) read(o *Outcome) manifest.Errors {
	var err error
	if o.Live != nil {
		if o.Before, o.filledBefore, err = Fill(m.Types, o, o.Before, m.Now()); err != nil {
			return manifest.Errors{o.Live.Errorf("", "%v", err)}
		}
	}
	o.noteSystemMetadata()
	o.body = o.Sent()
	if m.update {
		o.body = systemMetadata(o.body, o.Before, true)
		if o.body, o.filled, err = Fill(m.Types, o, o.body, m.Now()); err != nil {
			return manifest.Errors{o.Object.Errorf("", "%v", err)}
		}
	}
	return nil
}

// store is a fieldmanager.Defaulter: it makes of what an apply has merged what an API
// server stores.
func (m *Requester) store(o *Outcome) func(map[string]any) (map[string]any, error) {
	return func(object map[string]any) (_ map[string]any, err error) {
		object = systemMetadata(unstructured.SecretAsStored(object), o.Before, false)
		object, o.filled, err = Fill(m.Types, o, object, m.Now())
		return object, err
	}
}

// Fill is an object as an API server has it at a time, with its defaults, which are
// listed: a custom resource without what its definition does not know, unless o carries
// such fields; of built-in kinds with what the server's Go code fills in. What is of
// neither kind stays as it is.
func Fill(t *sources.Types, o *Outcome, object map[string]any, now time.Time) (_ map[string]any, filled []fields.Defaulted, err error) {
	id := o.Object.Identity()
	if !t.Custom(id) {
		object, filled = fillBuiltin(t, o, object, now)
		return object, filled, nil
	}
	plain := unstructured.WithoutManagedFields(object)
	after := plain
	done := false
	if !o.carries {
		if after, done, err = t.Completed(id, plain); err != nil {
			return nil, nil, err
		}
	}
	if !done || t.Overlaid {
		whole, err := typed.AsTypedUnvalidated(value.NewValueInterface(after), o.LiveType.Schema, o.LiveType.TypeRef).Default()
		if err != nil {
			return nil, nil, err
		}
		after, _ = whole.AsValue().Unstructured().(map[string]any) // what was an object stays one
	}
	search := &fields.DefaultSearch{Schema: o.Type.Schema, Filled: true}
	search.Value(o.Type.TypeRef, plain, after, false, nil)
	return unstructured.WithManagedFields(after, object), search.Found, nil
}

// fillBuiltin is Fill for an object of a built-in kind.
func fillBuiltin(t *sources.Types, o *Outcome, object map[string]any, now time.Time) (after map[string]any, filled []fields.Defaulted) {
	release := t.Defaulting(o.Object.Identity())
	if release == nil {
		return object, nil
	}
	var found []defaults.Default
	names := fields.NewFinder(o.Type)
	options := defaults.Options{Now: now, Filled: func(d defaults.Default) {
		if d.Value != nil {
			found = append(found, d)
		}
	}}
	if t.Documents {
		options.Skip = func(at fieldpath.Path) bool { return !names.Declared(at) }
	}
	after = release.Fill(object, options)
	for _, d := range found {
		for _, at := range leaves(names.Named(after, d.Path), d.Value, nil) {
			filled = append(filled, fields.Defaulted{At: at, Path: at.String(), Origin: d.Origin.String()})
		}
	}
	// An empty map may have been filled in first, and then what is in it.
	return after, slices.DeleteFunc(filled, func(l fields.Defaulted) bool {
		v, _ := names.ValueAt(after, l.At)
		m, ok := v.(map[string]any)
		return ok && len(m) > 0
	})
}

// leaves are the paths of what is in a map at a path, or the path itself.
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

// noteFilled adds to the list of defaults of o those that are in what is stored and not
// in what was sent.
func (o *Outcome) noteFilled() {
	if o.Result == nil {
		return
	}
	find := fields.NewFinder(o.Type)
	for _, l := range slices.Concat(o.filledBefore, o.filled) {
		_, stays := find.ValueAt(o.Result.Object, l.At)
		if sent, _ := find.ValueAt(o.Sent(), l.At); stays && sent == nil {
			o.noteDefault(l)
		}
	}
	slices.SortStableFunc(o.Defaulted, strings.Compare)
	o.Defaulted = slices.Compact(o.Defaulted)
}

// NoteDefaults lists defaults that were filled in, and those that Go code did.
func (o *Outcome) NoteDefaults(declared, filled []fields.Defaulted) {
	for _, l := range slices.Concat(declared, filled) {
		o.noteDefault(l)
	}
	slices.SortStableFunc(o.Defaulted, strings.Compare)
	o.Defaulted = slices.Compact(o.Defaulted)
}

// noteDefault adds a default to the list of those of o.
func (o *Outcome) noteDefault(l fields.Defaulted) {
	o.Defaulted = append(o.Defaulted, l.Path)
	if l.Origin != "" {
		if o.Origins == nil {
			o.Origins = map[string]string{}
		}
		o.Origins[l.Path] = l.Origin
	}
}

// ConvertLive makes o.before of the live object: it may be in another version than the
// request.
func ConvertLive(t *sources.Types, o *Outcome) *manifest.Error {
	if o.Live == nil {
		return nil
	}
	o.Before = o.Live.Content
	if t.ClusterWide(o.Object.Identity()) {
		o.Before = withoutNamespace(o.Before)
	}
	is, want := o.Live.Identity(), o.Object.Identity()
	if is.APIVersion == want.APIVersion {
		return nil
	}
	converted, err := t.Convert(o.Before, want.APIVersion)
	if err != nil {
		return o.Object.Errorf("", "the live object (%v) is in %s, and what it is in %s cannot be told offline: %v", o.Live.Start(), is.APIVersion, want.APIVersion, inVersion(t, o, err))
	}
	o.Before = converted
	dropUnconverted(t, o)
	return nil
}

// inVersion says how to give the live object of o in the version of the request.
func inVersion(t *sources.Types, o *Outcome, why error) error {
	is, want := o.Live.Identity(), o.Object.Identity()
	way := "give it in " + want.APIVersion
	if k, _ := t.Catalog.Kind(want.APIVersion, want.Kind); k.Resource != "" {
		group, version, _ := strings.Cut(want.APIVersion, "/")
		command := fmt.Sprintf("kubectl get %s.%s.%s %s", k.Resource, version, group, is.Name)
		if is.Namespace != "" && k.Scope != openapi.ClusterWide {
			command += " -n " + is.Namespace
		}
		way += fmt.Sprintf(" (%s -o yaml --show-managed-fields)", command)
	}
	if shape, ok := why.(*sources.NoConversion); ok {
		return fmt.Errorf("%s; %s, or the object in %s; if both have one shape, give --conversion=%s", shape.Why, way, is.APIVersion, sources.SameShape)
	}
	return fmt.Errorf("%w; %s", why, way)
}

// dropUnconverted takes fields out of o.before that the version it was in has and that
// of the request has not, as an API server does when it converts. What neither has is
// left: the definition is older than the object.
func dropUnconverted(t *sources.Types, o *Outcome) {
	id := o.Live.Identity()
	was, err := t.Find(id.APIVersion, id.Kind)
	if err != nil || !t.Custom(o.Object.Identity()) {
		return
	}
	if _, err := was.FromUnstructured(unstructured.WithoutManagedFields(o.Live.Content), typed.AllowDuplicates); err != nil {
		return
	}
	plain := unstructured.WithoutManagedFields(o.Before)
	_, err = o.Type.FromUnstructured(plain, typed.AllowDuplicates)
	lost, _ := input.SplitUnknown(err)
	if len(lost) == 0 {
		return
	}
	pruned, err := typed.AsTypedUnvalidated(value.NewValueInterface(plain), o.Type.Schema, o.Type.TypeRef).Prune()
	if err != nil {
		return // the validation that follows says why
	}
	after, _ := pruned.AsValue().Unstructured().(map[string]any) // what was an object stays one
	for _, e := range lost {
		o.Warnings = append(o.Warnings, warning{o.Live.Position(e.Path), e.Path,
			fmt.Sprintf("goes: %s has this field, and %s, which the request is made in, does not", id.APIVersion, o.Object.Identity().APIVersion)})
	}
	o.Before = unstructured.WithManagedFields(after, o.Before)
}

// systemMetadata is object with the metadata that only an API server writes as it is in
// the live object, nil of a new one, whatever a request says; object itself if that is
// no change. whole says that object is all that an update sends, which may leave out what
// the live object has.
func systemMetadata(object, live map[string]any, whole bool) map[string]any {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		return object
	}
	was, _ := live["metadata"].(map[string]any)
	after := unstructured.Shallow(metadata)
	for _, field := range systemFields {
		switch v := was[field]; {
		case v != nil:
			after[field] = v
		case live == nil, metadata[field] == nil, field == "generation", field == "selfLink":
			delete(after, field)
		}
	}
	switch {
	case live == nil && whole:
		delete(after, "uid")
	case live == nil:
		delete(after, "resourceVersion")
	case whole:
		for _, field := range []string{"uid", "resourceVersion"} {
			if v := was[field]; v != nil && unstructured.Text(after, field) == "" {
				after[field] = v
			}
		}
	}
	if reflect.DeepEqual(after, metadata) {
		return object
	}
	object = unstructured.Shallow(object)
	object["metadata"] = after
	return object
}

// systemFields are the fields of metadata that no request changes.
var systemFields = []string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"}

// noteSystemMetadata notes what the request says of metadata that only an API server
// writes, if that is not what it says itself.
func (o *Outcome) noteSystemMetadata() {
	sent, _ := o.Sent()["metadata"].(map[string]any)
	stored, _ := systemMetadata(o.Sent(), o.Before, false)["metadata"].(map[string]any)
	for _, field := range systemFields {
		if v := sent[field]; v != nil && !reflect.DeepEqual(v, stored[field]) {
			o.Warn(".metadata."+field, "is left out: only the API server writes it")
		}
	}
}

// ClearNamespace takes the namespace out of an object that is in none, as the API server
// does.
func ClearNamespace(t *sources.Types, o *Outcome) {
	id := o.Object.Identity()
	if id.Namespace == "" || !t.ClusterWide(id) {
		return
	}
	o.single = withoutNamespace(o.Sent())
	o.Warn(".metadata.namespace", fmt.Sprintf("is left out: objects of kind %s have no namespace", id.Kind))
}

func withoutNamespace(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	if _, there := metadata["namespace"]; !there {
		return object
	}
	object, metadata = unstructured.Shallow(object), unstructured.Shallow(metadata)
	delete(metadata, "namespace")
	object["metadata"] = metadata
	return object
}
