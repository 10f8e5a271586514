// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build pinned

// What the suites build from the module cache. Nothing builds this file: it
// only keeps the requirements in go.mod.

package server

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"
	_ "k8s.io/kubernetes/cmd/kubectl"
	_ "k8s.io/kubernetes/pkg/registry/apps/deployment"
	_ "k8s.io/kubernetes/pkg/registry/core/pod"
	_ "k8s.io/kubernetes/test/integration/framework"
	_ "sigs.k8s.io/structured-merge-diff/v7/merge"
)
