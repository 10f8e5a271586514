// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package validation predicts which values an API server rejects with status 422. It has
// rules for metadata, which apply to every kind, and a table of simple rules for fields of
// built-in kinds: required fields, supported values, formats and ranges. A few more rules
// compare two fields. The messages are the same as the server's.
//
// Pass the object that the server would store, with defaults. The package does not have
// every rule, so a server may reject an object without findings.
package validation
