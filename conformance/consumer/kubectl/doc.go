// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package kubectl pins kubectl 0.37 for cmd/suites.
package kubectl
