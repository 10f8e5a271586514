// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// convert gives the schemas of a version the form that the API server's
// libraries take, node by node. It must be structural.
func (v *Version) convert() error {
	props, err := v.internal()
	if err != nil {
		return err
	}
	s, err := structural.NewStructural(props)
	if err != nil {
		return err
	}
	return attach(v.schema, s)
}

func (v *Version) internal() (*apiextensions.JSONSchemaProps, error) {
	props, err := v.decode()
	if err != nil {
		return nil, err
	}
	internal := &apiextensions.JSONSchemaProps{}
	return internal, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, internal, nil)
}

// attach gives n and all below it their part of s.
func attach(n *node, s *structural.Structural) error {
	if s == nil {
		return fmt.Errorf("%s is not there once it is converted", n.at)
	}
	n.structural = s
	if n.items != nil {
		if err := attach(n.items, s.Items); err != nil {
			return err
		}
	}
	if n.additional != nil {
		if err := attach(n.additional, s.AdditionalProperties.Structural); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(n.properties) {
		below := s.Properties[name]
		if err := attach(n.properties[name], &below); err != nil {
			return err
		}
	}
	return nil
}
