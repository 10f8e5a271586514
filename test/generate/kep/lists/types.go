// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package lists has KEP-1929's example of list items with a default.
//
// +k8s:defaulter-gen=true
// +k8s:openapi-gen=true
package lists

type Object struct {
	List []Item `json:"list,omitempty"`
}

// +default="apple"
type Item string
