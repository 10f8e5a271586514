// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package plainmaps is KEP-1929's example of map values without a default. That a
// null goes can be told where values are pointers.
//
// +k8s:defaulter-gen=true
// +k8s:openapi-gen=true
package plainmaps

// +default={}
type Object struct {
	Mapping map[string]*LabelValue `json:"mapping,omitempty"`
}

type LabelValue string
