// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package format has KEP-1929's example for the syntax of markers.
//
// +k8s:defaulter-gen=true
// +k8s:openapi-gen=true
package format

type Foo struct {
	// +default=32
	Integer int `json:"integer,omitempty"`

	// +default="bar"
	String string `json:"string,omitempty"`

	// +default=["popcorn", "chips"]
	StringList []string `json:"stringList,omitempty"`

	// +default=[{"port": 80, "name": "http"}]
	Ports []Port `json:"ports,omitempty"`
}

type Port struct {
	Port int    `json:"port"`
	Name string `json:"name"`
}
