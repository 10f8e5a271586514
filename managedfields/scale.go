// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// ScaleVersion is the API version of the objects of scale subresources.
const ScaleVersion = "autoscaling/v1"

var scaleReplicas = fieldpath.MakePathOrDie("spec", "replicas")

// A Scale translates managed fields between a resource and its scale
// subresource, whose objects have their replicas in another place.
//
// A request to scale goes: ToSubresource gives the scale object's managed
// fields, a FieldManager with Subresource "scale" handles the request,
// and ToParent translates the outcome back.
type Scale struct {
	// APIVersion is the main resource's version that the request goes to.
	APIVersion string
	// Replicas gives, by API version of the main resource, the path that
	// spec.replicas of the scale object stands for; nil for a version without
	// a scale subresource. Entries in versions not listed are dropped.
	Replicas map[string]fieldpath.Path
}

// ToSubresource is the ownership of the scale object, given that of the main
// resource: who owns the replicas owns those of the scale object.
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

// ToParent is the ownership of the main resource, given what it was and what
// that of the scale object has become: who lost the replicas there loses them
// here, who gained them gains them.
//
// Who gained them has no time stamp, as in the API server. Where that server
// writes two entries of one owner, of which it later forgets one, they are
// joined here.
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
