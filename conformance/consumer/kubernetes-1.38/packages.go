// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build pinned

// What the suites build from the module cache. Nothing builds this file: it
// only keeps the requirements in go.mod.

package kubernetes

import (
	_ "k8s.io/apiextensions-apiserver/pkg/apiserver"
	_ "k8s.io/apimachinery/pkg/util/managedfields"
	_ "k8s.io/apiserver/pkg/endpoints"
	_ "k8s.io/client-go/util/csaupgrade"
	_ "k8s.io/kube-openapi/pkg/schemaconv"
	_ "sigs.k8s.io/structured-merge-diff/v7/merge"
)
