// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package resource has a custom resource with the examples of the KEPs.
//
// +groupName=kep.example.com
// +versionName=v1
package resource

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-ssa/dovetail/test/generate/kep/custom"
	"github.com/dovetail-ssa/dovetail/test/generate/kep/format"
	"github.com/dovetail-ssa/dovetail/test/generate/kep/lists"
	"github.com/dovetail-ssa/dovetail/test/generate/kep/maps"
	"github.com/dovetail-ssa/dovetail/test/generate/kep/plainlists"
	"github.com/dovetail-ssa/dovetail/test/generate/kep/plainmaps"
	"github.com/dovetail-ssa/dovetail/test/generate/kep/pointers"
	"github.com/dovetail-ssa/dovetail/test/generate/kep/scalars"
	"github.com/dovetail-ssa/dovetail/test/generate/kep/structs"
)

// Example contains the types whose examples have the input null. The fields have no omitempty,
// so such a struct has the default {}.
//
// +k8s:defaulter-gen=false
// +k8s:openapi-gen=false
type Example struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Structs      structs.Root         `json:"structs.Root"`
	Pointers     pointers.Root        `json:"pointers.Root"`
	Scalars      *scalars.Object      `json:"scalars.Object,omitempty"`
	Lists        *lists.Object        `json:"lists.Object,omitempty"`
	PlainLists   *plainlists.Object   `json:"plainlists.Object,omitempty"`
	Maps         *maps.Object         `json:"maps.Object,omitempty"`
	PlainMaps    *plainmaps.Object    `json:"plainmaps.Object,omitempty"`
	Format       *format.Foo          `json:"format.Foo,omitempty"`
	Text         *custom.Text         `json:"custom.Text,omitempty"`
	List         *custom.List         `json:"custom.List,omitempty"`
	NullableList *custom.NullableList `json:"custom.NullableList,omitempty"`
	Nested       *custom.Nested       `json:"custom.Nested,omitempty"`
}
