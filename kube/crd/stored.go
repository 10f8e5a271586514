// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"maps"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// ReadBack returns a copy of an object as the API server reads it once it is stored. Another
// version may be the one that is stored: then the object loses the fields that one of the two
// does not have, and gets the defaults of the stored version, not those of this one. That
// is so of conversion by None, which changes the apiVersion alone. What a webhook makes of
// the object is not known: then, and for the version that is stored, ReadBack is Default.
func (v *Version) ReadBack(object map[string]any) (map[string]any, error) {
	stored := v.definition.storedByName()
	if stored == nil || stored == v {
		return v.Default(object)
	}
	o, err := v.objects()
	if err != nil {
		return nil, err
	}
	as := maps.Clone(object)
	as["apiVersion"] = stored.apiVersion()
	if as, err = stored.Default(as); err != nil {
		return nil, err
	}
	as["apiVersion"] = v.apiVersion()
	defaulting.PruneNonNullableNullsWithoutDefaults(as, o.schema)
	o.prune(as)
	return as, nil
}

// storedByName is the version that objects are stored in if they convert by their
// apiVersion alone, nil if there is none or a webhook converts them.
func (d *Definition) storedByName() *Version {
	conversion, _ := d.doc.Spec["conversion"].(map[string]any)
	if s := conversion["strategy"]; s != nil && s != "" && s != "None" {
		return nil
	}
	for _, v := range d.Versions {
		if v.Storage {
			return v
		}
	}
	return nil
}

// ReplicasPath is the field that a request to scale sets, nil if the version has no such
// subresource.
func (v *Version) ReplicasPath() fieldpath.Path {
	subresources, _ := v.doc.Raw["subresources"].(map[string]any)
	scale, _ := subresources["scale"].(map[string]any)
	text, _ := scale["specReplicasPath"].(string)
	if text == "" {
		return nil
	}
	var path fieldpath.Path
	for _, name := range strings.Split(strings.TrimPrefix(text, "."), ".") {
		path = append(path, fieldpath.PathElement{FieldName: &name})
	}
	return path
}
