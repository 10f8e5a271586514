// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package argo pins the releases of Argo CD and its gitops-engine whose diffs
// are tested over both engines, see cmd/suites.
package argo
