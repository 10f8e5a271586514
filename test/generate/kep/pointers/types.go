// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package pointers has KEP-1929's example of pointers to structs. Fields have omitempty if the
// rules of this KEP require it.
//
// +k8s:defaulter-gen=true
// +k8s:openapi-gen=true
package pointers

type Root struct {
	// This is now a pointer, so it can have a default.
	// +default={"name": "pointer-name"}
	Entry *SubLevel `json:"entry"`
}

type SubLevel struct {
	// +default="default-name"
	Name string `json:"name,omitempty"`
	// +default=0
	Number int `json:"number"`
}
