// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build pinned

// What the suites build from the module cache. Nothing builds this file: it
// only keeps the requirements in go.mod.

package kubectl

import (
	_ "k8s.io/kubectl/pkg/cmd/apply"
	_ "k8s.io/kubectl/pkg/cmd/diff"
	_ "sigs.k8s.io/structured-merge-diff/v6/merge"
)
