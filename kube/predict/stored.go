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

// ErrNoVersion is wrapped by the error of NewOwnedTypeSource for a version that the definition of a custom resource
// does not have. While managed fields are of one, a server refuses every apply, and leaves owners as they are
// in an update. Entries of a kind that is not custom go with their version.
var ErrNoVersion = errors.New("request to convert CR to an invalid group/version")

// NewOwnedTypeSource returns the fieldmanager.TypeSource of what managed fields may be of: what served finds, and
// versions of custom resources that are not served, which unserved finds. custom says whether there is a definition
// of a kind, in whatever version. The error of what none of them knows is that of served, or wraps ErrNoVersion.
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

// Reader is a Definition that knows which version of the custom resource is stored. A
// Version of package kube/crd is one.
type Reader interface {
	Definition
	// ReadBack returns a copy of an object as the server reads it once it is stored: as
	// Default does of the version that is stored. In another one the object loses what
	// either does not have, and gets the defaults of the stored version alone.
	ReadBack(object map[string]any) (map[string]any, error)
}

// reading is a Reader whose objects come from the store.
type reading struct{ Reader }

func (r reading) Default(object map[string]any) (map[string]any, error) { return r.ReadBack(object) }

// Read is Fill for an object that comes from the store, in the version that it is read in: a custom resource
// has the defaults of the version that is stored, as its definition is now.
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

// readBack is the result with its object as the server reads it again, and the defaults that
// the request got: a custom resource gets those of what its endpoint did not store, such as
// status, and of the version that is stored. That may leave nothing of the change.
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

// prunes says whether an apply of a custom resource has merged fields that its definition does
// not have, such as those below type: object. The server takes them out when it writes the
// object, after it has counted them for the generation. Those of an update go when it is decoded.
func (p *PreparedRequest) prunes(merged, after map[string]any) bool {
	if _, custom := p.server.custom(merged); !custom {
		return false
	}
	return lost(p.withoutUncounted(merged), p.withoutUncounted(after))
}

// lost says whether a value has a field, other than null, that another one lacks.
func lost(before, after any) bool {
	switch before := before.(type) {
	case map[string]any:
		after, _ := after.(map[string]any)
		for name, v := range before {
			if v != nil && (after[name] == nil || lost(v, after[name])) {
				return true
			}
		}
	case []any:
		after, _ := after.([]any)
		for i, v := range before {
			if v != nil && (i >= len(after) || lost(v, after[i])) {
				return true
			}
		}
	}
	return false
}

// gainsMetadata says whether an apply has merged an empty map or list into the metadata of a live custom
// resource that has nothing there.
func (p *PreparedRequest) gainsMetadata(merged map[string]any) bool {
	if _, custom := p.server.custom(merged); !custom || p.Live == nil {
		return false
	}
	return gainsEmpty(document.Metadata(p.Live), document.Metadata(merged))
}

// stamped is the result of an apply to which that happened, and that changes nothing else: to the server, which
// compares custom resources strictly, it is a change. So the entry of the applier keeps the time of the request,
// and is stored with it.
func (p *PreparedRequest) stamped(result *fieldmanager.Result) *fieldmanager.Result {
	if !p.stamps || result.Changed || !p.request.Verb.IsApply() {
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
