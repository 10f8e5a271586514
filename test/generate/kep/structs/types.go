// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package structs has KEP-1929's example of structs that are not pointers.
//
// +k8s:defaulter-gen=true
// +k8s:openapi-gen=true
package structs

type Root struct {
	Entry SubLevel `json:"entry"`
}

type SubLevel struct {
	// +default="default-name"
	Name string `json:"name,omitempty"`
	// +default=0
	Number int `json:"number"`
}
