// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package custom has the examples of a KEP about defaults in custom resources.
//
// +k8s:defaulter-gen=true
// +k8s:openapi-gen=true
package custom

type Text struct {
	// +default="abc"
	Foo string `json:"foo,omitempty"`
}

type List struct {
	// +default=[1]
	Foo []int `json:"foo,omitempty"`
}

type NullableList struct {
	// +default=[1]
	// +nullable
	Foo []int `json:"foo,omitempty"`
}

type Nested struct {
	// +default={"b":"def"}
	Foo *Inner `json:"foo,omitempty"`
}

type Inner struct {
	// +default="abc"
	A string `json:"a,omitempty"`
	B string `json:"b,omitempty"`
}
