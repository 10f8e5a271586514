// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the types in this package.
var GroupVersion = schema.GroupVersion{Group: "net.example.com", Version: "v1"}

// AddToScheme adds the types and their defaulting functions to a scheme.
var AddToScheme = (&runtime.SchemeBuilder{addTypes, RegisterDefaults}).AddToScheme

func addTypes(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Proxy{}, &ProxyList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
