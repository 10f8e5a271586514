// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"errors"
	"fmt"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
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

// mergesUndeclared reports whether an apply of a custom resource has merged fields that its
// definition does not declare. The server removes these fields only after it has set the
// generation, so they increase the generation. In an update, it removes such fields earlier, when
// it decodes the object.
func (p *PreparedRequest) mergesUndeclared(merged, after map[string]any) bool {
	if _, custom := p.server.custom(merged); !custom {
		return false
	}
	return hasLost(p.withoutUncounted(merged), p.withoutUncounted(after))
}

// hasLost reports whether a value is missing after a change. It compares the objects before and after
// the change, and ignores nulls.
func hasLost(before, after any) bool {
	switch before := before.(type) {
	case map[string]any:
		after, _ := after.(map[string]any)
		for name, v := range before {
			if v != nil && (after[name] == nil || hasLost(v, after[name])) {
				return true
			}
		}
	case []any:
		after, _ := after.([]any)
		for i, v := range before {
			if v != nil && (i >= len(after) || hasLost(v, after[i])) {
				return true
			}
		}
	}
	return false
}

// addsEmptyMetadata reports whether an apply has merged an empty map or list into the
// metadata of a custom resource whose live object has no such field.
func (p *PreparedRequest) addsEmptyMetadata(merged map[string]any) bool {
	if _, custom := p.server.custom(merged); !custom || p.Live == nil {
		return false
	}
	return addsEmpty(document.Metadata(p.Live), document.Metadata(merged))
}

// withApplyTime adjusts the result of an apply that adds only empty values to the metadata of a
// custom resource; see mergedUnstoredMetadata. The server does not store these values, but it
// compares custom resources strictly, and treats such an apply as a change. So it stores the
// applier's entry with the time of the request.
func (p *PreparedRequest) withApplyTime(result *fieldmanager.Result) *fieldmanager.Result {
	if !p.mergedUnstoredMetadata || result.Changed || !p.request.Verb.IsApply() {
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
