// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package article is the example of the article on how the API server sets
// defaults: functions written by hand, found by their names.
package article

// +groupName=apps.example.com
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:defaulter-gen-input=github.com/dovetail-ssa/dovetail/test/generate/kep/article
