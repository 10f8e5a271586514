// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"maps"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// ReadBack returns a copy of object as the API server returns it after storing it.
//
// If v is not the storage version, the server converts the object to the storage version and back.
// The conversion strategy None only changes the apiVersion. The copy then lacks the fields that the
// storage version does not declare. It has the defaults of the storage version instead of the
// defaults of v.
//
// ReadBack cannot predict a conversion webhook. With a webhook, and for the storage version itself,
// it returns the same as Default.
func (v *Version) ReadBack(object map[string]any) (map[string]any, error) {
	stored := v.definition.storageWithoutWebhook()
	if stored == nil || stored == v {
		return v.Default(object)
	}
	o, err := v.objects()
	if err != nil {
		return nil, err
	}
	converted := maps.Clone(object)
	converted["apiVersion"] = stored.apiVersion()
	if converted, err = stored.Default(converted); err != nil {
		return nil, err
	}
	converted["apiVersion"] = v.apiVersion()
	defaulting.PruneNonNullableNullsWithoutDefaults(converted, o.schema)
	o.prune(converted)
	return converted, nil
}

// ConvertsByName reports whether conversion between versions changes only the apiVersion.
// It is false if a webhook converts objects.
func (v *Version) ConvertsByName() bool { return v.definition.convertsByName() }

func (d *Definition) convertsByName() bool {
	conversion, _ := d.doc.Spec["conversion"].(map[string]any)
	s := conversion["strategy"]
	return s == nil || s == "" || s == "None"
}

// storageWithoutWebhook returns the storage version. It returns nil if there is none, or
// if a webhook converts objects.
func (d *Definition) storageWithoutWebhook() *Version {
	if !d.convertsByName() {
		return nil
	}
	for _, v := range d.Versions {
		if v.Storage {
			return v
		}
	}
	return nil
}

// ReplicasPath returns the path of the field that the scale subresource sets. It is nil if
// the version has no scale subresource.
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
