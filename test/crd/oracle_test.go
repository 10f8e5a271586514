// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// internal returns a CRD in the internal form of the API server.
func internal(t *testing.T, doc map[string]any) (*apiextensions.CustomResourceDefinition, error) {
	t.Helper()
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := utiljson.Unmarshal([]byte(plain.Text(doc)), v1); err != nil {
		return nil, err
	}
	v1.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(v1)
	if c := v1.Spec.Conversion; c.Webhook != nil && c.Webhook.ClientConfig != nil && c.Webhook.ClientConfig.Service != nil {
		apiextensionsv1.SetDefaults_ServiceReference(c.Webhook.ClientConfig.Service)
	}
	crd := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(v1, crd, nil); err != nil {
		return nil, err
	}
	return crd, nil
}

// errPanic stands for a panic of the API server's code.
var errPanic = errors.New("panic")

// upstream returns the errors that the API server reports for a new CRD.
func upstream(t *testing.T, doc map[string]any) (errs field.ErrorList, err error) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	crd, err := internal(t, doc)
	if err != nil {
		return nil, err
	}
	return validation.ValidateCustomResourceDefinition(context.Background(), crd), nil
}

func fromText(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
}
