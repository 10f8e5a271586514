// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/internal/validation"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Scaler is a Definition that also knows the path of the replicas in its custom
// resources. A Version of package kube/crd implements it.
type Scaler interface {
	Definition
	// ReplicasPath returns the path of the field that a request to the scale subresource sets.
	// It is nil if there is no such subresource.
	ReplicasPath() fieldpath.Path
}

const scaleSubresource = "scale"

// scaleReplicas is the path of the replicas in a Scale, and also in built-in kinds with a
// scale subresource.
var scaleReplicas = fieldpath.MakePathOrDie("spec", "replicas")

// isScale reports whether an object is a Scale.
func isScale(object map[string]any) bool {
	apiVersion, kind := document.TypeOf(object)
	return apiVersion == managedfields.ScaleVersion && kind == "Scale"
}

// scaleOf returns the Scale that describes an object, without a status. path is the path of the
// replicas in the object.
func scaleOf(object map[string]any, path fieldpath.Path) map[string]any {
	metadata := map[string]any{}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		if v := document.MetaString(object, name); v != "" {
			metadata[name] = v
		}
	}
	spec := map[string]any{}
	if n := at(object, path); n != nil {
		spec["replicas"] = n
	}
	return map[string]any{"apiVersion": managedfields.ScaleVersion, "kind": "Scale", "metadata": metadata, "spec": spec}
}

// scaleApply is the apply of a Scale.
type scaleApply struct {
	// update is the request that sets the replicas of the scaled object after the merge. The field
	// live has the scaled object before the request, and path is the path of its replicas.
	update *Request
	live   map[string]any
	path   fieldpath.Path
	// owners contains the owners of the object being scaled.
	owners *managedfields.Managed
	scale  managedfields.Scale
}

// prepareScale prepares a request to the scale subresource. An update becomes an update of the
// object being scaled. An apply merges a Scale object in which only the replicas have owners. Mutate
// then updates the object being scaled.
func (s *Server) prepareScale(r *Request) (*PreparedRequest, error) {
	if r.Live == nil {
		return nil, &fieldmanager.RequestError{Status: httpstatus.NotFound, Message: fmt.Sprintf("%s not found: the subresource scale needs an existing object", document.Describe(r.Object))}
	}
	if err := s.checkSubresource(r.Live, r.Subresource); err != nil {
		return nil, err
	}
	if !isScale(r.Object) {
		apiVersion, kind := document.TypeOf(r.Object)
		return nil, &fieldmanager.RequestError{Status: httpstatus.BadRequest, Message: fmt.Sprintf(
			"%s in version %q cannot be handled as a Scale: the subresource scale accepts only a Scale of %s; send a Scale with the name of the object, and with the replicas in spec.replicas",
			kind, apiVersion[strings.Index(apiVersion, "/")+1:], managedfields.ScaleVersion)}
	}
	main := *r
	main.Verb, main.Object, main.Type = Update, r.Live, typed.ParseableType{}
	path := s.ReplicasPath(main.Object)
	if path == nil {
		apiVersion, kind := document.TypeOf(main.Object)
		return nil, fmt.Errorf("the CustomResourceDefinition of %s %s is missing: a request to the subresource scale needs the path of the replicas in this definition", apiVersion, kind)
	}
	if !r.Verb.IsApply() {
		replicas, err := s.replicas(r.Object, main.Object)
		if err != nil {
			return nil, err
		}
		main.Object = scaledTo(r.Live, path, replicas, r.Object)
		return s.prepare(&main)
	}
	// This call of prepare only reads the live object in the version of the request.
	read := main
	read.Trace = nil
	parent, err := s.prepare(&read)
	if err != nil {
		return nil, err
	}
	a := &scaleApply{update: &main, live: parent.Live, path: path}
	if a.owners, err = managedfields.Decode(parent.Live); err != nil {
		return nil, &LiveError{err}
	}
	apiVersion, kind := document.TypeOf(parent.Live)
	a.scale = managedfields.Scale{APIVersion: apiVersion, Replicas: map[string]fieldpath.Path{apiVersion: path}}
	for _, e := range a.owners.Entries() {
		a.scale.Replicas[e.APIVersion] = s.ReplicasPath(map[string]any{"apiVersion": e.APIVersion, "kind": kind})
	}
	owners, err := a.scale.ToSubresource(a.owners)
	if err != nil {
		return nil, err
	}
	p := &PreparedRequest{request: r, server: s, scale: a, Live: owners.EncodeInto(scaleOf(parent.Live, path)), Object: r.Object}
	options := s.FieldManager
	options.APIVersion, options.Kind, options.Subresource = managedfields.ScaleVersion, "Scale", r.Subresource
	options.Clock = func() time.Time { return r.Time }
	options.ReadOnlyCallbacks, options.Trace = true, p.traceMerge()
	p.FieldManager, err = fieldmanager.New(options)
	return p, err
}

// updateScaled sets the replicas of the object being scaled, after an apply has merged a Scale. It
// replaces *p with the request that sets these replicas.
func (p *PreparedRequest) updateScaled(merged *fieldmanager.Result) (*fieldmanager.Result, error) {
	a := p.scale
	if _, custom := p.server.custom(a.live); custom && at(merged.Object, scaleReplicas) == nil {
		return nil, &fieldmanager.RequestError{Status: httpstatus.BadRequest, Message: fmt.Sprintf("the spec replicas field %q cannot be empty", a.path)}
	}
	replicas, err := p.server.replicas(merged.Object, a.live)
	if err != nil {
		return nil, err
	}
	owners, err := a.scale.ToParent(a.owners, merged.Managed)
	if err != nil {
		return nil, err
	}
	a.update.Object = scaledTo(a.live, a.path, replicas, p.Object)
	main, err := p.server.prepare(a.update)
	if err != nil {
		return nil, err
	}
	main.scaleOwners = owners
	main.Warnings = append(main.Warnings, merged.Warnings...)
	*p = *main
	result, err := p.Update()
	if err != nil {
		return nil, err
	}
	return p.Mutate(result)
}

// replicas returns the replicas in a Scale. If the Scale is invalid, it returns a server's
// error. main is the object being scaled.
func (s *Server) replicas(scale, main map[string]any) (int64, error) {
	sent := at(scale, scaleReplicas)
	n, ok := sent.(int64)
	switch _, custom := s.custom(main); {
	case sent != nil && !ok || n < math.MinInt32 || n > math.MaxInt32:
		return 0, &fieldmanager.RequestError{Status: httpstatus.BadRequest, Message: fmt.Sprintf(
			`Scale in version "v1" cannot be handled as a Scale: spec.replicas: want an integer of 32 bits, got %v`, sent)}
	case n < 0 && !custom:
		return 0, NewInvalidError(scale, []Cause{{
			Type: "FieldValueInvalid", Field: "spec.replicas", Message: fmt.Sprintf("Invalid value: %d: must be greater than or equal to 0", n),
		}})
	}
	return n, nil
}

// scaledTo returns an object with the given replicas at path. If the Scale has a
// resourceVersion or a uid, the result gets the same value.
func scaledTo(object map[string]any, path fieldpath.Path, replicas int64, scale map[string]any) map[string]any {
	var names []string
	for _, e := range path {
		names = append(names, *e.FieldName)
	}
	last := len(names) - 1
	object, parent := field(object, names[:last]...)
	parent[names[last]] = replicas
	object, metadata := document.WithMetadata(object)
	for _, name := range []string{"uid", "resourceVersion"} {
		if v := document.MetaString(scale, name); v != "" {
			metadata[name] = v
		}
	}
	return object
}

// checkCustomReplicas checks the replicas of a custom resource. path is the path of its
// replicas, or nil if it has no scale subresource.
func checkCustomReplicas(object map[string]any, path fieldpath.Path) []validation.Cause {
	n, _ := at(object, path).(int64)
	why := ""
	switch {
	case path == nil:
		return nil
	case n < 0:
		why = "should be a non-negative integer"
	case n > math.MaxInt32:
		why = fmt.Sprintf("should be less than or equal to %d", math.MaxInt32)
	default:
		return nil
	}
	return []validation.Cause{{Type: "FieldValueInvalid", Field: path.String(), Message: fmt.Sprintf("Invalid value: %d: %s", n, why)}}
}

// ReplicasPath returns the path of the field that a request to the scale subresource sets
// in an object. It is nil for a custom resource whose definition is not known or has no
// scale subresource. For a built-in kind, it is .spec.replicas, even if the kind has no such
// subresource.
func (s *Server) ReplicasPath(object map[string]any) fieldpath.Path {
	d, custom := s.custom(object)
	if !custom {
		return scaleReplicas
	}
	if scaler, ok := d.(Scaler); ok {
		return scaler.ReplicasPath()
	}
	return nil
}

// scaled adjusts the owners in the result of an update of the scale subresource, so that they
// are the owners that a server stores. The server merges a Scale object in which only the
// replicas have owners. This has the following effects:
//
//   - If nobody owns the replicas, nobody owns them after the request, because the server
//     tracks no owners for an object without owners.
//   - The API version is part of an Update owner's identity, and a Scale has a different API
//     version. An owner that keeps the replicas therefore gets a second entry in the managed
//     fields.
//   - The second entry has no time.
//
// After an apply, the owners come from the merged Scale.
func (p *PreparedRequest) scaled(result *fieldmanager.Result) (*fieldmanager.Result, error) {
	if p.scaleOwners != nil {
		after := *result
		after.Object, after.Managed, after.Changed = p.scaleOwners.EncodeInto(result.Object), p.scaleOwners, true
		return &after, nil
	}
	path := p.server.ReplicasPath(p.Live)
	live, err := managedfields.Decode(p.Live)
	if err != nil {
		return nil, err
	}
	apiVersion, _ := document.TypeOf(p.Object)
	changed := !document.Equal(at(p.Live, path), at(result.Object, path))
	replicas := fieldpath.NewSet(path)
	var entries []managedfields.Entry
	owned := false
	for _, e := range live.Entries() {
		if !e.Set.Has(path) {
			entries = append(entries, e)
			continue
		}
		owned = true
		if !changed {
			if e.Operation == managedfields.OperationApply {
				entries = append(entries, e)
				continue
			}
			again := managedfields.Entry{Owner: e.Owner, Set: replicas}
			again.APIVersion = apiVersion
			entries = append(entries, again)
		}
		if e.Set = e.Set.Difference(replicas); !e.Set.Empty() {
			entries = append(entries, e)
		}
	}
	if changed && owned {
		entries = append(entries, managedfields.Entry{Set: replicas, Owner: managedfields.Owner{
			Manager: p.request.Manager, Operation: managedfields.OperationUpdate, APIVersion: apiVersion, Subresource: p.request.Subresource,
		}})
	}
	after := *result
	if after.Object, err = withEntries(result.Object, entries); err != nil {
		return nil, err
	}
	if after.Managed, err = managedfields.Decode(after.Object); err != nil {
		return nil, err
	}
	after.Changed = true
	return &after, nil
}

// at returns the value at a path of fields, or nil.
func at(v any, path fieldpath.Path) any {
	for _, e := range path {
		m, _ := v.(map[string]any)
		if e.FieldName == nil || m == nil {
			return nil
		}
		v = m[*e.FieldName]
	}
	return v
}

// withEntries returns object with entries as its managed fields, sorted as on a server. The same
// owner may have two entries.
func withEntries(object map[string]any, entries []managedfields.Entry) (map[string]any, error) {
	slices.SortStableFunc(entries, func(a, b managedfields.Entry) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(document.Seconds(a.Time), document.Seconds(b.Time)),
			cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Subresource, b.Subresource))
	})
	var all []any
	for _, e := range entries {
		one, err := managedfields.New([]managedfields.Entry{e})
		if err != nil {
			return nil, err
		}
		all = append(all, document.Metadata(one.EncodeInto(nil))["managedFields"].([]any)...)
	}
	object, metadata := document.WithMetadata(object)
	if metadata["managedFields"] = all; len(all) == 0 {
		delete(metadata, "managedFields")
	}
	return object, nil
}
