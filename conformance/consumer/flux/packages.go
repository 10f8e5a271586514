// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build pinned

// What the suites build from the module cache. Nothing builds this file: it
// only keeps the requirements in go.mod.

package flux

import (
	_ "github.com/fluxcd/pkg/ssa"
	_ "sigs.k8s.io/structured-merge-diff/v6/merge"
)
