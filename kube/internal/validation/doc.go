// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package validation predicts which values an API server rejects with status 422. It has
// the rules for metadata, which apply to every kind, and a table of simple rules for
// fields of built-in kinds: required fields, lists of supported values, formats and
// ranges. The messages are those of the server.
//
// The package checks the object that the server would store, with defaults. It does not have
// every rule: a server may reject an object without findings.
package validation
