// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package kubernetes pins the libraries of Kubernetes 1.38 for cmd/suites.
package kubernetes
