// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package article has the example of the Kubernetes article about defaults in the API server:
// functions written by hand, which are found by their names.
package article

// +groupName=apps.example.com
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:defaulter-gen-input=github.com/dovetail-ssa/dovetail/test/generate/kep/article
