// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

const scaleSubresource = "scale"

// isScale reports whether an object is a Scale. Requests to the subresource "scale" send a
// Scale.
func isScale(id manifest.Identity) bool {
	return id.APIVersion == managedfields.ScaleVersion && id.Kind == "Scale"
}

// scaleTargets returns in found the live objects that a Scale can scale. They have the same name
// and namespace as the Scale, and a kind with the subresource "scale". There may be several,
// because a Scale does not contain the kind of the object. The result others contains all other
// live objects of this name whose kinds are known.
func scaleTargets(scale manifest.Identity, live []*input.Ref, t *sources.Types) (found, others []*input.Ref) {
	for _, l := range live {
		id := l.Identity()
		k, _ := t.Catalog.Kind(id.APIVersion, id.Kind)
		switch {
		case id.Name != scale.Name || scale.Namespace != "" && id.Namespace != scale.Namespace:
		case slices.Contains(k.Subresources, scaleSubresource):
			found = append(found, l)
		case k.Resource != "":
			others = append(others, l)
		}
	}
	return found, others
}

// checkScale returns an error if a Scale is sent to anything but the subresource "scale", or if the
// object to scale is unknown.
func (m *Requester) checkScale(p Pair) *manifest.Error {
	switch id := p.Object.Identity(); {
	case isScale(id) && m.subresource != scaleSubresource:
		return p.Object.Errorf("", "is a Scale: add --subresource scale")
	case isScale(id) && p.Live == nil:
		return p.Object.Errorf("", "is a Scale of an unknown object: add the scaled live object to the files of --live")
	}
	return nil
}

// readScale replaces the Scale in o.Object. For an update, the new object is the object to scale,
// with the new number of replicas. For an apply, it is a config with only the replicas and the
// metadata. If the Scale is invalid, readScale sets o.Errors and returns false.
func (m *Requester) readScale(o *Outcome) bool {
	scale := o.Object
	if _, err := o.Type.FromUnstructured(unstructured.WithoutManagedFields(scale.Content)); err != nil {
		o.Errors = input.Findings(scale, o.Type, err)
		return false
	}
	id := o.Live.Identity()
	content := map[string]any{"apiVersion": id.APIVersion, "kind": id.Kind}
	if m.update {
		content = unstructured.WithoutManagedFields(o.Live.Content)
	}
	content, metadata := document.WithMetadata(content)
	maps.Copy(metadata, document.Metadata(scale.Content))
	spec, _ := scale.Content["spec"].(map[string]any)
	replicas := spec["replicas"]
	var invalid *manifest.Error
	if o.Object, invalid = scale.Replaced(content); invalid != nil {
		o.Errors = manifest.Errors{invalid}
		return false
	}
	if path := predictor(m.Types, o).ReplicasPath(content); path != nil && replicas != nil {
		at := content
		for _, e := range path[:len(path)-1] {
			below, _ := at[*e.FieldName].(map[string]any)
			below = unstructured.Shallow(below)
			at[*e.FieldName] = below
			at = below
		}
		at[*path[len(path)-1].FieldName] = replicas
	}
	o.scale = scale.Content
	var err error
	if o.Type, err = m.Types.TypeOf(id.APIVersion, id.Kind); err != nil {
		o.Errors = manifest.Errors{o.Live.Errorf("", "%v", err)}
	}
	return err == nil
}
