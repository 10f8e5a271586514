// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package article

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type XXX struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec XXXSpec `json:"spec,omitzero"`
}

type XXXSpec struct {
	DisplayName string `json:"displayName,omitempty"`
	Calls       int    `json:"calls,omitempty"`
}

type XXXList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []XXX `json:"items"`
}

func (in *XXX) DeepCopyObject() runtime.Object     { out := *in; return &out }
func (in *XXXList) DeepCopyObject() runtime.Object { out := *in; return &out }
