// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package typed combines data with its schema: it validates, merges, compares, prunes and
// defaults values of a type.
//
// Start with [NewParser], which reads a schema in the format of package schema.
// [Parser.Type] returns a [ParseableType], whose methods create each [TypedValue]. Package
// kube/openapi provides the types of Kubernetes and of CRDs.
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
//	err = parser.Schema.Check() // finds mistakes that NewParser accepts
//	app := parser.Type("App")
//	live, err := app.FromYAML(`{image: "web:1", ports: [{port: 80, protocol: TCP}]}`)
//	config, err := app.FromYAML(`{ports: [{port: 80, name: http}]}`)
//	merged, err := live.Merge(config)
//	merged.AsValue().Unstructured() // image web:1; one port, TCP, with the name http
//
// [TypedValue.Merge] merges one value into another and removes nothing. Package merge knows
// the field owners, and removes the fields that an applier gives up.
//
// # Values
//
// A value is plain data (map[string]any, or map[any]any as YAML decodes it, []any, string,
// bool, int, int64, float64, nil) or a pointer to a Go struct. Structs are read by their
// json tags. Operations that need plain data convert a struct once for each TypedValue.
// All results are plain data, with one exception: [ParseableType.Default] fills structs.
//
// # Errors
//
// Errors about a value are [ValidationErrors], with the messages of
// structured-merge-diff. [Problems] returns the same errors as data: the path, the rule,
// the value, the expected type, and hints. FromYAML, FromUnstructured, FromStructured and
// [AsTyped] validate the value; [AsTypedUnvalidated] does not. [ParseableType.IsValid]
// reports whether a type exists. Every use of a missing type returns an error.
//
// # Sharing
//
// A TypedValue does not copy the data it is created from, and callers must not modify that
// data afterwards. Results share unchanged parts with their operands; each method documents
// which parts are new, and docs/library.md has a table ("Results that share memory").
// [ParseableType.Prune] and [ParseableType.Default] modify their
// argument. They are for servers, which own the objects they decode.
//
// Parsers, types and values are safe for concurrent use, as long as nobody modifies the
// schema or the data.
//
// The API extends that of sigs.k8s.io/structured-merge-diff/v6/typed. Field ownership is not
// part of this package, see package merge.
package typed
