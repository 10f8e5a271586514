// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package scalars has KEP-1929's example of scalars that are not pointers.
//
// +k8s:defaulter-gen=true
// +k8s:openapi-gen=true
package scalars

type Object struct {
	// +default="default-name"
	Name string `json:"name,omitempty"`
	// +default=0
	Defaulted int `json:"defaulted"`
}
