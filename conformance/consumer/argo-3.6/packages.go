// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build pinned

// What the suites build from the module cache. Nothing builds this file: it
// only keeps the requirements in go.mod.

package argo

import (
	_ "github.com/argoproj/argo-cd/gitops-engine/v3/pkg/diff"
	_ "github.com/argoproj/argo-cd/v3/util/argo/managedfields"
	_ "sigs.k8s.io/structured-merge-diff/v6/merge"
)
