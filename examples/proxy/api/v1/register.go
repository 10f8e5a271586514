// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of the package's types.
var GroupVersion = schema.GroupVersion{Group: "net.example.com", Version: "v1"}

// AddToScheme makes a scheme know the types and their defaults.
var AddToScheme = (&runtime.SchemeBuilder{addTypes, RegisterDefaults}).AddToScheme

func addTypes(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Proxy{}, &ProxyList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
