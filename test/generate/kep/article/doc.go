// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package article has the example from an article about defaults in the API server. Its
// defaulting functions are written by hand. The generator finds them by their names.
package article

// +groupName=apps.example.com
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:defaulter-gen-input=github.com/dovetail-ssa/dovetail/test/generate/kep/article
