// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build pinned

// What is built from the module cache. Nothing builds this file: it only keeps the
// requirements in go.mod.

package kro

import (
	_ "github.com/kubernetes-sigs/kro/test/integration/environment"
	_ "github.com/onsi/ginkgo/v2"
	_ "github.com/onsi/gomega"
)
