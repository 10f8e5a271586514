// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/dovetail-ssa/dovetail/kube/internal/beta"
)

// Document is a CRD as written in its file.
type Document struct {
	Names, Spec map[string]any
	SpecAt      *Place
	Versions    []*Version
	// Beta is true for a CRD of v1beta1. In that case, BetaSpec is the spec as written, and Spec is
	// the spec converted to v1.
	Beta     bool
	BetaSpec map[string]any
}

// Version is one version of a document.
type Version struct {
	Name            string
	Served, Storage bool
	// Status is true if the version has a status subresource.
	Status bool
	At     *Place
	Raw    map[string]any
	// Schema is the schema of the version, or nil if the version has none.
	Schema *Node

	document *Document
	index    int
}

// APIVersion is the apiVersion of a current CRD.
const APIVersion = "apiextensions.k8s.io/v1"

// Read reads a CRD with its schemas. Read treats a value of a wrong type as absent.
// It calls report for each such value, unless report is nil.
func Read(content map[string]any, report ReportFunc) *Document {
	d := &Document{Beta: content["apiVersion"] == beta.APIVersion}
	r := &schemaReader{Reader: Reader{report}}
	var root *Place
	d.SpecAt = root.At("spec")
	d.Spec = r.Mapping(content, root, "spec")
	if d.Beta {
		d.BetaSpec, d.Spec = d.Spec, beta.Spec(d.Spec)
	}
	d.Names = r.Mapping(d.Spec, d.SpecAt, "names")
	for i, v := range r.List(d.Spec, d.SpecAt, "versions") {
		d.Versions = append(d.Versions, r.version(d, v, i))
	}
	return d
}

// ReadSchema reads a schema that is not part of a CRD. It ignores values of a wrong type.
func ReadSchema(schema map[string]any) *Node {
	var root *Place
	return new(schemaReader).schema(schema, root, 1)
}

func (r *schemaReader) version(d *Document, v any, index int) *Version {
	at := d.SpecAt.At("versions").Nth(index)
	m := r.Item(v, at)
	w := &Version{document: d, At: at, index: index, Raw: m}
	w.Name = r.Text(m, at, "name")
	at.version = w.Name
	w.Served = r.Flag(m, at, "served")
	w.Storage = r.Flag(m, at, "storage")
	w.Status = r.Mapping(r.Mapping(m, at, "subresources"), w.Part("subresources"), "status") != nil
	schemaAt := w.Part("schema").At("openAPIV3Schema")
	if s := r.Mapping(m, at, "schema")["openAPIV3Schema"]; s != nil {
		w.Schema = r.schema(s, schemaAt, 1)
	} else if d.Beta && d.Preserves() {
		w.Schema = r.schema(map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, schemaAt, 1)
	}
	return w
}

// Part returns the place of a field of the version, such as schema. In v1beta1, the field can be in
// spec instead, where it applies to all versions. In that case, Part returns its place in spec.
func (v *Version) Part(field string) *Place {
	if !v.document.Beta {
		return v.At.At(field)
	}
	steps := beta.Origin(v.document.BetaSpec, v.index, field)
	if len(steps) == 3 {
		return v.At.At(field)
	}
	at := v.document.SpecAt.At(steps[0].(string))
	at.version, at.pathInVersion = v.Name, "."+field
	return at
}

// Preserves reports whether spec.preserveUnknownFields is true, so that objects keep
// undeclared fields.
func (d *Document) Preserves() bool { return d.Spec["preserveUnknownFields"] == true }

// Convert sets the field Structural of every node in the version's schema. The schema must
// be structural.
func (v *Version) Convert() error {
	return v.Schema.Convert()
}

// Convert sets the field Structural of n and of all nodes below n, like Version.Convert.
func (n *Node) Convert() error {
	props, err := n.internal()
	if err != nil {
		return err
	}
	s, err := structural.NewStructural(props)
	if err != nil {
		return err
	}
	return attach(n, s)
}

// Internal returns the version's schema as the internal type of the API server's
// libraries.
func (v *Version) Internal() (*apiextensions.JSONSchemaProps, error) { return v.Schema.internal() }

func (n *Node) internal() (*apiextensions.JSONSchemaProps, error) {
	text, err := json.Marshal(n.Raw)
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

// attach stores a converted schema in the field Structural of its node, and the parts of the converted
// schema in the nodes below.
func attach(n *Node, s *structural.Structural) error {
	if s == nil {
		return fmt.Errorf("%s is missing after conversion", n.At)
	}
	n.Structural = s
	if n.Items != nil {
		if err := attach(n.Items, s.Items); err != nil {
			return err
		}
	}
	if n.Additional != nil {
		if err := attach(n.Additional, s.AdditionalProperties.Structural); err != nil {
			return err
		}
	}
	for _, name := range SortedKeys(n.Properties) {
		below := s.Properties[name]
		if err := attach(n.Properties[name], &below); err != nil {
			return err
		}
	}
	return nil
}
