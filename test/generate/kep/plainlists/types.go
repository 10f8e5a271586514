// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package plainlists has KEP-1929's example of list items without a default.
//
// +k8s:defaulter-gen=true
// +k8s:openapi-gen=true
package plainlists

type Object struct {
	List []Item `json:"list,omitempty"`
}

type Item string
