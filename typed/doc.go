// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package typed joins data with its schema.
//
// A [Parser] holds a schema; its [Parser.Type] makes a [ParseableType], and
// that makes [TypedValue]s from YAML, from decoded JSON and from Go structs. A
// typed value can be validated, merged with an applied configuration, compared,
// stripped of fields or down to them, pruned of what its type does not know, have its
// defaults filled in, and be asked whether an update changes what is immutable:
//
//	live, err := parser.Type("App").FromYAML(`{replicas: 1}`)
//	config, err := parser.Type("App").FromYAML(`{image: web:2}`)
//	merged, err := live.Merge(config)
//
// The API is that of sigs.k8s.io/structured-merge-diff/v6/typed. The methods
// are a few lines each over the engine, which walks plain data; Go structs are
// converted to that form once for each typed value. Servers, which own what they
// decode, prune and default it in place, plain data and Go structs alike:
// [ParseableType.Prune], [ParseableType.Default]. Who owns which field is
// not this package's business, see package merge.
package typed
