// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package argo pins the release of Argo CD 3.6 and its gitops-engine, which need Go 1.27,
// whose diffs are tested over both engines, see cmd/suites.
package argo
