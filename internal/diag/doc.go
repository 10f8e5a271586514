// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package diag is what can be found wrong with data: where, which rule, what
// was found and what was wanted.
//
// A [Finding] is made where the rule is broken, with an empty path; each caller
// puts its own path element in front while the call unwinds, so success pays
// nothing. The package knows nothing of schemas and data.
package diag
