// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/kube/gate"
)

// define passes the CRD in a YAML file to the gate.
func define(g *gate.Gate, crd []byte) error {
	definition := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(crd, definition); err != nil {
		return err
	}
	return g.Define(definition)
}
