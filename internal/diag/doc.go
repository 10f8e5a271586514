// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package diag is what can be found wrong with data: where, which rule, what
// was found and what was wanted. Start from [Finding]. One is made where the rule
// is broken, with an empty path; each caller puts its own path element in front
// while the call unwinds, so that success pays nothing:
//
//	return diag.Newf(diag.WrongType, "expected string, got %v", v)
//	...
//	return item(v).Prefix(".name")
//
// The package refuses to know schemas and data, and what an error looks like to
// a user.
package diag
