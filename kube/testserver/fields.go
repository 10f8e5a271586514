// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// selectableField is a field that field selectors can use.
type selectableField struct {
	name string
	// paths lists the paths of the value in the object. The value is the first one that is not empty.
	paths []string
	// zero is the value of the field if the object has no value at these paths.
	zero string
}

// fieldAt returns a selectable field. Without paths, the name of the field is also its path.
func fieldAt(name string, paths ...string) selectableField {
	if len(paths) == 0 {
		paths = []string{name}
	}
	return selectableField{name: name, paths: paths}
}

// orZero returns f with the value that selectors compare if the object omits the field.
func (f selectableField) orZero(zero string) selectableField {
	f.zero = zero
	return f
}

// valueOf returns the value of a field as text.
func (f *selectableField) valueOf(object map[string]any) string {
	for _, path := range f.paths {
		if v := at(object, steps(path)...); v != nil && v != "" {
			return fmt.Sprint(v)
		}
	}
	return f.zero
}

var (
	nameField      = fieldAt("metadata.name")
	namespaceField = fieldAt("metadata.namespace")
)

// fieldsOf maps built-in kinds to the fields that field selectors can use. All other kinds have only
// the name and the namespace.
var fieldsOf = map[schema.GroupKind][]selectableField{
	{Kind: "Pod"}: {
		nameField, namespaceField, fieldAt("spec.nodeName"), fieldAt("spec.host", "spec.nodeName"), fieldAt("spec.restartPolicy"), fieldAt("spec.schedulerName"),
		fieldAt("spec.serviceAccountName"), fieldAt("spec.hostNetwork").orZero("false"), fieldAt("status.phase"), fieldAt("status.podIP"),
		{name: "status.podIPs"}, // an API server accepts this field, but its value is always empty
		fieldAt("status.nominatedNodeName"),
	},
	{Kind: "Node"}:                  {nameField, fieldAt("spec.unschedulable").orZero("false")},
	{Kind: "ReplicationController"}: {nameField, namespaceField, fieldAt("status.replicas").orZero("0")},
	{Kind: "Event"}: {
		nameField, namespaceField, fieldAt("involvedObject.kind"), fieldAt("involvedObject.namespace"), fieldAt("involvedObject.name"), fieldAt("involvedObject.uid"),
		fieldAt("involvedObject.apiVersion"), fieldAt("involvedObject.resourceVersion"), fieldAt("involvedObject.fieldPath"), fieldAt("reason"),
		fieldAt("reportingComponent"), fieldAt("source", "source.component", "reportingComponent"), fieldAt("type"),
	},
	{Group: "events.k8s.io", Kind: "Event"}: {
		nameField, namespaceField, fieldAt("regarding.kind"), fieldAt("regarding.namespace"), fieldAt("regarding.name"), fieldAt("regarding.uid"),
		fieldAt("regarding.apiVersion"), fieldAt("regarding.resourceVersion"), fieldAt("regarding.fieldPath"), fieldAt("reason"),
		fieldAt("reportingController"), fieldAt("type"),
	},
	{Kind: "Namespace"}:           {nameField, fieldAt("status.phase")},
	{Kind: "Secret"}:              {nameField, namespaceField, fieldAt("type")},
	{Kind: "Service"}:             {nameField, namespaceField, fieldAt("spec.clusterIP"), fieldAt("spec.type")},
	{Group: "batch", Kind: "Job"}: {nameField, namespaceField, fieldAt("status.successful", "status.succeeded").orZero("0")},
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}: {nameField, fieldAt("spec.signerName")},
	{Group: "certificates.k8s.io", Kind: "ClusterTrustBundle"}:        {nameField, fieldAt("spec.signerName")},
	{Group: "certificates.k8s.io", Kind: "PodCertificateRequest"}: {
		nameField, fieldAt("spec.signerName"), fieldAt("spec.podName"), fieldAt("spec.nodeName"),
	},
	{Group: "resource.k8s.io", Kind: "ResourceSlice"}: {nameField, fieldAt("spec.nodeName"), fieldAt("spec.driver"), fieldAt("spec.pool.name")},
}

// fields returns the fields that field selectors can use.
func (r *resource) fields() []selectableField {
	if r.custom == nil {
		if known, ok := fieldsOf[r.gvk().GroupKind()]; ok {
			return known
		}
		return []selectableField{nameField, namespaceField}
	}
	all := []selectableField{nameField}
	if r.namespaced {
		all = append(all, namespaceField)
	}
	for _, path := range r.selectable {
		all = append(all, fieldAt(path))
	}
	return all
}

// checkSelectable returns an error if field selectors cannot use the field with this name.
func (r *resource) checkSelectable(name string) error {
	if slices.ContainsFunc(r.fields(), func(f selectableField) bool { return f.name == name }) {
		return nil
	}
	shown, kind := truncateForMessage(name), r.gvk().GroupKind()
	switch _, known := fieldsOf[kind]; {
	case r.custom == nil && !known:
		return apierrors.NewBadRequest(fmt.Sprintf("%q is not a known field selector: only %q, %q", shown, nameField.name, namespaceField.name))
	case r.custom == nil && kind.Group == "batch":
		return apierrors.NewBadRequest(fmt.Sprintf("field label %q not supported for Job", shown))
	case r.custom == nil && kind.Group == "resource.k8s.io":
		return apierrors.NewBadRequest(fmt.Sprintf("field label not supported for %s: %s", r.gvk(), shown))
	}
	return apierrors.NewBadRequest("field label not supported: " + shown)
}

// selected is an object with the methods that field selectors require.
type selected struct {
	object map[string]any
	fields []selectableField
}

func (o *selected) find(name string) *selectableField {
	for i := range o.fields {
		if o.fields[i].name == name {
			return &o.fields[i]
		}
	}
	return nil
}

// Has reports whether field selectors can use a field.
func (o *selected) Has(name string) bool { return o.find(name) != nil }

// Get returns the value of a field as text.
func (o *selected) Get(name string) string {
	if f := o.find(name); f != nil {
		return f.valueOf(o.object)
	}
	return ""
}
