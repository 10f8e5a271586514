package fieldmanager

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// ScaleVersion is the API version of the scale subresource's object.
const ScaleVersion = "autoscaling/v1"

// A Scale translates managed fields between a resource and its scale
// subresource, whose objects have their replicas in another place.
type Scale struct {
	// Parent is the ownership of the main resource.
	Parent *Managed
	// APIVersion is the main resource's version that the request goes to.
	APIVersion string
	// Replicas gives, by API version of the main resource, the path that
	// spec.replicas of the scale object stands for; nil for a version without
	// a scale subresource. Entries in versions not listed are dropped.
	Replicas map[string]fieldpath.Path
}

// ToSubresource is the ownership of the scale object.
func (s *Scale) ToSubresource() (*Managed, error) { return nil, errors.New("not built yet") }

// ToParent is the ownership of the main resource after a request to scale
// left the scale object owned as scale says.
func (s *Scale) ToParent(scale *Managed) (*Managed, error) { return nil, errors.New("not built yet") }
