// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/dovetail-ssa/dovetail/kube/internal/beta"
)

// document is a CRD as it stands in its file.
type document struct {
	content, names, spec map[string]any
	specAt               *place
	versions             []*docVersion
	// beta says that the CRD is one of v1beta1, which has no markers. spec is then what
	// v1 makes of betaSpec.
	beta     bool
	betaSpec map[string]any
}

// docVersion is one version of a document.
type docVersion struct {
	name            string
	served, storage bool
	// status says that the version has a status subresource.
	status bool
	at     *place
	raw    map[string]any
	// schema is nil if there is none.
	schema *node

	document *document
	index    int
}

// apiVersion is that of CRDs.
const apiVersion = "apiextensions.k8s.io/v1"

// readDocument reads a CRD and its schemas. What cannot be read as what it should be is
// given to tell, if that is not nil, and taken to be absent.
func readDocument(content map[string]any, tell tell) *document {
	d := &document{content: content, beta: content["apiVersion"] == beta.APIVersion}
	r := &schemaReader{reader: reader{tell}}
	var root *place
	d.specAt = root.at("spec")
	d.spec = r.mapping(content, root, "spec")
	if d.beta {
		d.betaSpec, d.spec = d.spec, beta.Spec(d.spec)
	}
	d.names = r.mapping(d.spec, d.specAt, "names")
	for i, v := range r.list(d.spec, d.specAt, "versions") {
		d.versions = append(d.versions, r.version(d, v, i))
	}
	return d
}

func (r *schemaReader) version(d *document, v any, index int) *docVersion {
	at := d.specAt.at("versions").nth(index)
	m := r.item(v, at)
	w := &docVersion{document: d, at: at, index: index, raw: m}
	w.name = r.text(m, at, "name")
	at.version = w.name
	w.served = r.flag(m, at, "served")
	w.storage = r.flag(m, at, "storage")
	w.status = r.mapping(r.mapping(m, at, "subresources"), w.part("subresources"), "status") != nil
	schemaAt := w.part("schema").at("openAPIV3Schema")
	if s := r.mapping(m, at, "schema")["openAPIV3Schema"]; s != nil {
		w.schema = r.schema(s, schemaAt, 1)
	} else if d.beta && d.preserves() {
		w.schema = r.schema(map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, schemaAt, 1)
	}
	return w
}

// part is where a field of the version stands in the document, which for v1beta1 may be
// above all versions.
func (v *docVersion) part(field string) *place {
	if !v.document.beta {
		return v.at.at(field)
	}
	steps := beta.Origin(v.document.betaSpec, v.index, field)
	if len(steps) == 3 {
		return v.at.at(field)
	}
	at := v.document.specAt.at(steps[0].(string))
	at.version, at.stands = v.name, "."+field
	return at
}

// preserves says that no object loses fields that its schema does not have.
func (d *document) preserves() bool { return d.spec["preserveUnknownFields"] == true }

// convert gives the schemas of a version the form that the API server's libraries
// take, node by node. It must be structural.
func (v *docVersion) convert() error {
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

// internal returns the schema in the form of the API server's libraries.
func (v *docVersion) internal() (*apiextensions.JSONSchemaProps, error) {
	text, err := json.Marshal(v.schema.raw)
	if err != nil {
		return nil, err
	}
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(text, props); err != nil {
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
