// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package maps has KEP-1929's example of map values with a default.
//
// +k8s:defaulter-gen=true
// +k8s:openapi-gen=true
package maps

type Object struct {
	Mapping map[string]LabelValue `json:"mapping,omitempty"`
}

// +default="banana"
type LabelValue string
