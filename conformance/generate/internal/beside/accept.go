// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"sigs.k8s.io/yaml"
)

// Decode decodes a definition as the API server does with strict field validation.
func Decode(text []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &v1); err != nil {
		return nil, err
	}
	return &v1, nil
}

// Refusals returns what the API server says against the creation of a definition.
func Refusals(v1 *apiextensionsv1.CustomResourceDefinition) (all []string, err error) {
	apiextensionsv1.SetDefaults_CustomResourceDefinition(v1)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&v1.Spec)
	for _, v := range v1.Spec.Versions {
		if v.Storage {
			v1.Status.StoredVersions = []string{v.Name} // as its strategy for creation does
		}
	}
	var internal apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(v1, &internal, nil); err != nil {
		return nil, err
	}
	for _, e := range validation.ValidateCustomResourceDefinition(context.Background(), &internal) {
		all = append(all, fmt.Sprintf("%s: %s", e.Field, e.ErrorBody()))
	}
	return all, nil
}

// accepted says whether a definition decodes, and what is wrong with it.
func accepted(text []byte) (refusals []string) {
	v1, err := Decode(text)
	if err != nil {
		return []string{"strict decoding: " + err.Error()}
	}
	refusals, err = Refusals(v1)
	if err != nil {
		return []string{"conversion: " + err.Error()}
	}
	return refusals
}
