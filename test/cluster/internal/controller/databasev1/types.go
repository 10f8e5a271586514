// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package databasev1 has Go types for the CRD in examples/database/crd.yaml, as far as the
// tests need them.
package databasev1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Database is the custom resource that the CRD defines.
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec DatabaseSpec `json:"spec"`
}

// DatabaseSpec is the desired state of a database.
type DatabaseSpec struct {
	Engine   string `json:"engine"`
	Replicas *int32 `json:"replicas,omitempty"`
}

// DeepCopyObject returns a copy of d.
func (d *Database) DeepCopyObject() runtime.Object {
	out := *d
	d.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if d.Spec.Replicas != nil {
		replicas := *d.Spec.Replicas
		out.Spec.Replicas = &replicas
	}
	return &out
}

// AddToScheme adds the types of this package to a scheme.
func AddToScheme(s *runtime.Scheme) error {
	version := schema.GroupVersion{Group: "db.example.com", Version: "v1"}
	s.AddKnownTypes(version, &Database{})
	metav1.AddToGroupVersion(s, version)
	return nil
}
