// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package article

import "k8s.io/apimachinery/pkg/runtime"

func addDefaultingFuncs(scheme *runtime.Scheme) error { return RegisterDefaults(scheme) }

// NewScheme returns a scheme with the defaulting functions.
func NewScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	return scheme, addDefaultingFuncs(scheme)
}

func SetDefaults_XXX(obj *XXX) {
	if obj.ObjectMeta.GenerateName == "" {
		obj.ObjectMeta.GenerateName = "hello-"
	}
	SetDefaults_XXXSpec(&obj.Spec)
}

func SetDefaults_XXXSpec(obj *XXXSpec) {
	obj.Calls++
	if obj.DisplayName == "" {
		obj.DisplayName = "xxxdefaulter"
	}
}
