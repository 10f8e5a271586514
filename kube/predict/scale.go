// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"cmp"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// Scaler is a Definition with the replicas field of its custom resources. A Version of package
// kube/crd implements it.
type Scaler interface {
	Definition
	// ReplicasPath returns the path of the field that a request to scale sets, nil if
	// there is no scale subresource.
	ReplicasPath() fieldpath.Path
}

// replicasPath returns the path of the field that a request to scale sets, nil if
// unknown.
func (s *Server) replicasPath(object map[string]any) fieldpath.Path {
	d, custom := s.custom(object)
	if !custom {
		return fieldpath.MakePathOrDie("spec", "replicas")
	}
	if scaler, ok := d.(Scaler); ok {
		return scaler.ReplicasPath()
	}
	return nil
}

// scaled returns the result of an update of the subresource scale, with the owners that
// the server stores. The server merges a Scale object, which only has the owners of the
// replicas. The consequences are:
//
//   - If nobody owns the replicas, nobody owns them after the request, because the server
//     tracks no owners for an object without owners.
//   - Update owners are also identified by their API version, and a Scale has another
//     one. So an owner that keeps the replicas gets a second entry for them.
//   - This second entry has no time.
func (p *PreparedRequest) scaled(result *fieldmanager.Result) (*fieldmanager.Result, error) {
	path := p.server.replicasPath(p.Live)
	if path == nil {
		return result, nil
	}
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

// at returns the value of a field, or nil.
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

// withEntries returns object with the entries as managed fields, in the order of a
// server. An owner may have two entries.
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
