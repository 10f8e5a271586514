// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package kro pins the release of kro, an operator that applies what it makes, whose suite for
// envtest is run on the test server, see conformance/README.md.
package kro
