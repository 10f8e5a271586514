// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package typed joins data with its schema: it validates, merges, compares, prunes and
// defaults values of a type.
//
// Start from [NewParser], which reads a schema as package schema has it. [Parser.Type]
// makes a [ParseableType] of it, and that makes each [TypedValue]. Package kube/openapi has
// the types of Kubernetes and of CRDs.
//
//	parser, err := typed.NewParser(`types:
//	- name: App
//	  map:
//	    fields:
//	    - {name: image, type: {scalar: string}}
//	    - name: ports
//	      type: {list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: Port}}}
//	- name: Port
//	  map:
//	    fields:
//	    - {name: port, type: {scalar: numeric}}
//	    - {name: protocol, type: {scalar: string}, default: TCP}
//	    - {name: name, type: {scalar: string}}
//	`)
//	app := parser.Type("App")
//	live, err := app.FromYAML(`{image: "web:1", ports: [{port: 80, protocol: TCP}]}`)
//	config, err := app.FromYAML(`{ports: [{port: 80, name: http}]}`)
//	merged, err := live.Merge(config)
//	merged.AsValue().Unstructured() // image web:1; one port, TCP, with the name http
//
// [TypedValue.Merge] lays one value over another, and takes nothing out: what an applier
// gives up goes in package merge, which knows who owns what.
//
// # Shapes
//
// A value is plain data (map[string]any, or map[any]any as YAML decodes it, []any, string,
// bool, int, int64, float64, nil) or a pointer to a Go struct. Structs are read by their
// json tags, and made plain data where an operation needs that, once for each typed value;
// results are plain data, but for [ParseableType.Default], which fills structs.
//
// # Errors
//
// What is wrong with a value is told in [ValidationErrors], which have the texts of
// structured-merge-diff; [Problems] has the same as data: path, rule, what was found, what
// is expected, what may have been meant. Values come to be valid when they are made:
// FromYAML, FromUnstructured, FromStructured and [AsTyped] validate,
// [AsTypedUnvalidated] does not. A type that is not there is told by [ParseableType.IsValid],
// and by the errors of all that use it.
//
// # Sharing
//
// A TypedValue does not copy what it is made of, which nobody may change afterwards.
// Results share with their operands what they do not change; each method says what it
// makes new. [ParseableType.Prune] and [ParseableType.Default] are for servers, which own
// what they decode: they write to what they are given.
//
// Any number of goroutines may use a Parser, a type or a value, once nobody changes the
// schema or the data.
//
// The API is that of sigs.k8s.io/structured-merge-diff/v6/typed, and more. Who owns which
// field is not this package's business, see package merge.
package typed
