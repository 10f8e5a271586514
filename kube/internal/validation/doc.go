// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package validation predicts the values that an API server refuses with status 422. It
// knows the rules for metadata, which hold for every kind, and a table of simple rules for
// fields of built-in kinds: required fields, lists of supported values, formats, ranges.
// The messages are those of the server.
//
// The package checks objects as the server is about to store them, with defaults. It does
// not know every rule: an object without a finding may still be refused.
package validation
