// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"fmt"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/schema"
)

// This schema has the YAML format of structured-merge-diff, with one addition of this
// package.
func Example() {
	var s schema.Schema
	if err := yaml.UnmarshalStrict([]byte(`
types:
- name: service
  map:
    fields:
    - {name: clusterIP, type: {scalar: string, transition: immutable}}
    - name: ports
      type: {list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: port}}}
- name: port
  map:
    fields:
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
`), &s); err != nil {
		panic(err)
	}
	port, _ := s.FindNamedType("port")
	protocol, _ := port.Map.FindField("protocol")
	fmt.Println(len(s.Types), "types; without a protocol it is", protocol.Default)
	// Output: 2 types; without a protocol it is TCP
}

// A program can write a schema as a Go literal. CheckKeys finds keys that cannot identify
// items.
func ExampleSchema_CheckKeys() {
	numeric, text, port := schema.Numeric, schema.String, "port"
	s := schema.Schema{Types: []schema.TypeDef{
		{Name: "service", Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
			{Name: "ports", Type: schema.TypeRef{Inlined: schema.Atom{List: &schema.List{
				ElementRelationship: schema.Associative,
				Keys:                []string{"port", "protcol"},
				ElementType:         schema.TypeRef{NamedType: &port},
			}}}},
		}}}},
		{Name: port, Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
			{Name: "port", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &numeric}}},
			{Name: "protocol", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &text}}, Default: "TCP"},
		}}}},
	}}
	fmt.Println(s.CheckKeys())
	s.Types[0].Map.Fields[0].Type.Inlined.List.Keys[1] = "protocol"
	fmt.Println(s.CheckKeys())
	// Output:
	// type "service", .ports: key "protcol" is not a field of the items; expected one of port, protocol
	// <nil>
}

// Resolve returns the type of a reference. The relationship of the reference replaces the
// relationship of the type.
func ExampleSchema_Resolve() {
	text, labels, atomic := schema.String, "labels", schema.Atomic
	s := schema.Schema{Types: []schema.TypeDef{{Name: labels, Atom: schema.Atom{Map: &schema.Map{
		ElementType: schema.TypeRef{Inlined: schema.Atom{Scalar: &text}}, ElementRelationship: schema.Separable,
	}}}}}
	own, _ := s.Resolve(schema.TypeRef{NamedType: &labels})
	whole, _ := s.Resolve(schema.TypeRef{NamedType: &labels, ElementRelationship: &atomic})
	missing := "annotations"
	_, ok := s.Resolve(schema.TypeRef{NamedType: &missing})
	fmt.Println(own.Map.ElementRelationship, whole.Map.ElementRelationship, ok)
	// Output: separable atomic false
}
