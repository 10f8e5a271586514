// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// ScaleVersion is the API version of objects of the scale subresource.
const ScaleVersion = "autoscaling/v1"

var scaleReplicas = fieldpath.MakePathOrDie("spec", "replicas")

// A Scale translates managed fields between a resource and its scale subresource. The number of
// replicas has a different path in each of the two objects.
//
// To handle a request for the scale subresource, call ToSubresource to get the managed fields of the
// scale object. Then call a FieldManager with Subresource "scale". Translate the managed fields of its
// result back with ToParent.
type Scale struct {
	// APIVersion is the API version of the main resource in the request.
	APIVersion string
	// Replicas maps each API version of the main resource to the path that corresponds to
	// spec.replicas of the scale object. The path is nil for a version without a scale
	// subresource. If an entry has a version that is not in the map, ToParent removes it.
	Replicas map[string]fieldpath.Path
}

// ToSubresource returns the managed fields of the scale object. parent has the managed fields of the
// main resource. A manager that owns the number of replicas in parent owns spec.replicas in the scale
// object.
func (s *Scale) ToSubresource(parent *Managed) (*Managed, error) {
	fields := fieldpath.ManagedFields{}
	for i := 0; i < parent.Len(); i++ {
		e := &parent.entries[i]
		if path := s.Replicas[e.APIVersion]; path == nil || !e.set().Has(path) {
			continue
		}
		fields[e.id] = fieldpath.NewVersionedSet(fieldpath.NewSet(scaleReplicas), ScaleVersion, e.Operation == OperationApply)
	}
	return parent.With(fields, nil)
}

// ToParent returns the new managed fields of the main resource. parent has the managed fields of
// the main resource before the request. scale has the managed fields of the scale object after
// the request. Managers that lost or gained spec.replicas of the scale object also lose or gain
// the corresponding field of the main resource.
//
// As in the API server, the entry of an owner that gains the field has no time stamp. ToParent differs
// from the API server in one case: the API server can write two entries for one owner, and later loses
// one of them. ToParent writes one entry with the fields of both.
func (s *Scale) ToParent(parent, scale *Managed) (*Managed, error) {
	gained := scale.Fields()
	fields := fieldpath.ManagedFields{}
	for i := 0; i < parent.Len(); i++ {
		e := &parent.entries[i]
		path, ok := s.Replicas[e.APIVersion]
		if !ok {
			continue
		}
		set := e.set()
		if path != nil && set.Has(path) {
			if _, kept := gained[e.id]; kept {
				delete(gained, e.id)
			} else if set = set.Difference(fieldpath.NewSet(path)); set.Empty() {
				continue
			}
		}
		fields[e.id] = fieldpath.NewVersionedSet(set, fieldpath.APIVersion(e.APIVersion), e.Operation == OperationApply)
	}
	for id, vs := range gained {
		path := s.Replicas[s.APIVersion]
		if path == nil || !vs.Set().Has(scaleReplicas) {
			continue
		}
		fields[id] = fieldpath.NewVersionedSet(fieldpath.NewSet(path), fieldpath.APIVersion(s.APIVersion), vs.Applied())
	}
	return parent.With(fields, nil)
}
