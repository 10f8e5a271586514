// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// ErrNoVersion means that managed fields of a custom resource have a version that its definition
// lacks. A server then rejects every apply, and updates leave the managed fields unchanged. The
// errors of the TypeSource that NewOwnedTypeSource returns can wrap ErrNoVersion.
//
// For built-in kinds, a server drops the entries of a version that no longer exists.
var ErrNoVersion = errors.New("request to convert CR to an invalid group/version")

// NewOwnedTypeSource returns a fieldmanager.TypeSource for the versions in managed fields.
// The source looks up a type in served first. If that fails for a custom resource, it calls
// unserved, which returns the types of versions that are not served. The parameter "custom"
// is a function that reports whether a kind has a definition in any version. For an unknown
// type, the source returns the error of served, or an error that wraps ErrNoVersion.
func NewOwnedTypeSource(served fieldmanager.TypeSource, unserved func(apiVersion, kind string) (typed.ParseableType, bool), custom func(apiVersion, kind string) bool) fieldmanager.TypeSource {
	return func(apiVersion, kind string) (typed.ParseableType, error) {
		found, err := served(apiVersion, kind)
		if err == nil || !custom(apiVersion, kind) {
			return found, err
		}
		if found, ok := unserved(apiVersion, kind); ok {
			return found, nil
		}
		return found, fmt.Errorf("%w: %s", ErrNoVersion, apiVersion)
	}
}

// Reader is a Definition that also knows the storage version of the custom resource. A
// Version of package kube/crd implements it.
type Reader interface {
	Definition
	// ReadBack returns a copy of an object as the server reads it back after storing it. For
	// an object in the storage version, ReadBack returns the same as Default. In any other
	// version, the object gets only the defaults of the storage version. It also loses fields
	// that one of the two versions does not declare.
	ReadBack(object map[string]any) (map[string]any, error)
}

// reading is a Definition for objects that the server reads back from its store. Its method Default
// calls ReadBack.
type reading struct{ Reader }

func (r reading) Default(object map[string]any) (map[string]any, error) { return r.ReadBack(object) }

// Read sets defaults like Fill, but for an object that the server reads from its store. t
// is the type of the object in the version in which the server reads it. A custom resource
// also gets the defaults of its storage version.
func (s *Server) Read(object map[string]any, t typed.ParseableType, carries bool, now time.Time) (map[string]any, FilledDefaults, error) {
	d, custom := s.custom(object)
	if !custom {
		return s.Fill(object, t, carries, now)
	}
	if r, ok := d.(Reader); ok {
		d = reading{r}
	}
	return s.fillCustom(object, d, t, carries)
}

// readBack returns a result with the object as the server reads it back after storing it. It also
// returns the defaults that were set. A custom resource gets the defaults of the storage version, even
// in fields that its endpoint does not store, such as status. If the object then equals the live
// object, the request changes nothing. In a CustomResourceDefinition, readBack adds the storage
// version to the status.
func (p *PreparedRequest) readBack(result *fieldmanager.Result) (*fieldmanager.Result, FilledDefaults) {
	if kindOf(result.Object) == "CustomResourceDefinition.apiextensions.k8s.io" && p.request.Subresource == "" && result.Changed && p.server.predicts(result.Object) {
		after := *result
		after.Object = withStoredVersion(result.Object)
		return &after, p.filled
	}
	if _, custom := p.server.custom(result.Object); !custom || !result.Changed {
		return result, p.filled
	}
	object, filled, err := p.server.Read(result.Object, p.request.Type, p.carries, p.request.Time)
	if err != nil || document.Equal(filled.Before, filled.After) {
		return result, p.filled
	}
	after, got := *result, p.filled
	if after.Object, got.After = object, filled.After; got.Before == nil {
		got = filled
	}
	if p.Live != nil && !result.Reencoded && document.Equal(object, p.Live) {
		after.Object, after.Changed = p.Live, false
	}
	return &after, got
}

// unstored reports whether an apply of a custom resource has merged values that the server does not
// store, such as undeclared fields or nulls. merged is the merged object, and after is the same
// object without these values.
//
// In an apply, the server removes such values only when it later reads the object back. Until then,
// the values differ from the live object. They therefore increase the generation, and cause a write
// with every apply. In an update, the server removes such values earlier, when it decodes the object.
// unstored ignores metadata; see unstoredMetadata.
func (p *PreparedRequest) unstored(merged, after map[string]any) bool {
	if _, custom := p.server.custom(merged); !custom || p.Live == nil {
		return false
	}
	return hasLost(p.counted(merged), p.counted(after))
}

// hasLost reports whether a field is missing after a change. It compares the values before and after
// the change. A null that a default has replaced is not missing.
func hasLost(before, after any) bool {
	switch before := before.(type) {
	case map[string]any:
		after, _ := after.(map[string]any)
		for name, v := range before {
			if w, there := after[name]; !there || hasLost(v, w) || name == "metadata" && replacesNullLabel(v, w) {
				return true
			}
		}
	case []any:
		after, _ := after.([]any)
		for i, v := range before {
			if i >= len(after) || hasLost(v, after[i]) {
				return true
			}
		}
	}
	return false
}

// replacesNullLabel reports whether a label or annotation is null before a change, and "" after it. A
// server makes this change to the metadata of an embedded resource when it reads the object back.
func replacesNullLabel(before, after any) bool {
	b, _ := before.(map[string]any)
	a, _ := after.(map[string]any)
	for _, field := range []string{"labels", "annotations"} {
		values, _ := b[field].(map[string]any)
		replaced, _ := a[field].(map[string]any)
		for name, v := range values {
			if v == nil && replaced[name] == "" {
				return true
			}
		}
	}
	return false
}

// unstoredMetadata reports whether the metadata after the merge has values that the live object lacks, and
// that the server does not store. In a custom resource, these are nulls and empty values. In
// a built-in kind, only selfLink is such a value.
func (p *PreparedRequest) unstoredMetadata(merged map[string]any) bool {
	if p.Live == nil {
		return false
	}
	if _, custom := p.server.custom(merged); !custom {
		link := document.MetaString(merged, "selfLink")
		return link != "" && link != document.MetaString(p.Live, "selfLink") && p.server.predicts(merged) && !p.resetsMetadata()
	}
	if p.resetsMetadata() {
		return false
	}
	live := document.Metadata(p.Live)
	for name, v := range document.Metadata(merged) {
		was, there := live[name]
		if restored := slices.Contains(restoredMetadata, name) || there && slices.Contains(systemFields, name); !restored && (!there || !document.Equal(v, was)) {
			return true
		}
	}
	return false
}

// restoredMetadata lists metadata that the server restores in an apply before it compares the merged
// object with the live object.
var restoredMetadata = []string{"creationTimestamp", "generation", "managedFields", "namespace", "resourceVersion", "uid"}

// resetsMetadata reports whether the endpoint stores no metadata of the request.
func (p *PreparedRequest) resetsMetadata() bool {
	apiVersion, _ := document.TypeOf(p.request.Object)
	set := p.reset[fieldpath.APIVersion(apiVersion)]
	return set != nil && set.Has(fieldpath.MakePathOrDie("metadata"))
}

// withApplyTime adjusts the result of an apply that merges only values that the server does not
// store; see unstored and unstoredMetadata. The server compares these values with the live object,
// and treats such an apply as a change. So it stores the applier's entry with the time of the
// request.
func (p *PreparedRequest) withApplyTime(result *fieldmanager.Result) *fieldmanager.Result {
	if !p.mergedUnstored && !p.mergedUnstoredMetadata || result.Changed || !p.request.Verb.IsApply() {
		return result
	}
	apiVersion, _ := document.TypeOf(p.Object)
	owner := managedfields.Owner{Manager: p.request.Manager, Operation: managedfields.OperationApply, APIVersion: apiVersion, Subresource: p.request.Subresource}
	now := p.request.Time.UTC().Truncate(time.Second)
	managed, err := result.Managed.With(result.Managed.Fields(), map[string]*time.Time{owner.ID(): &now})
	if err != nil {
		return result
	}
	after := *result
	after.Object, after.Managed, after.Changed = managed.EncodeInto(result.Object), managed, true
	return &after
}
