// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package plainmaps has KEP-1929's example of map values without a default. The values are
// pointers, which show whether a null is removed.
//
// +k8s:defaulter-gen=true
// +k8s:openapi-gen=true
package plainmaps

type Object struct {
	Mapping map[string]*LabelValue `json:"mapping,omitempty"`
}

type LabelValue string
