// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package schema is the declarative form of a merge schema: the types that
// users write as YAML or as Go literals, and serialise.
//
// Start from [Schema], a list of named [TypeDef]s. A type is an [Atom]: a scalar,
// a list, a map, or several of them at once. References between types are
// [TypeRef]s, by name or inlined:
//
//	types:
//	- name: service
//	  map:
//	    fields:
//	    - name: ports
//	      type: {list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: port}}}
//	- name: port
//	  map:
//	    fields:
//	    - {name: port, type: {scalar: numeric}}
//	    - {name: protocol, type: {scalar: string}, default: TCP}
//
// The YAML is that of sigs.k8s.io/structured-merge-diff/v6; what this package
// adds is left out when it is not used:
//
//   - defaults of named types, list items and map values, where
//     structured-merge-diff knows those of struct fields only;
//   - required fields, and what becomes of fields that are not declared;
//   - what an update may not do, see [Transition];
//   - policies, see [Policies].
//
// Package typed reads the YAML (typed.NewParser) and makes values of the types; a Schema
// that was written as Go literals, or decoded, goes with a [TypeRef] into a
// typed.ParseableType. Package kube/openapi makes schemas of OpenAPI documents and CRDs.
//
// Defaults always decide which item of a list is which: an item that lacks a key has its
// default. Whether they count in comparisons and conflicts, too, and whether null is a
// missing value, says [Schema.DeclarativeDefaults], which is off in schemas that are
// written by hand. Nothing but typed.TypedValue.Default fills them in.
//
// # Errors and sharing
//
// [Schema.CheckKeys], [Schema.CheckDefaults] and [Schema.CheckTransitions] return [Errors]:
// the mistakes in a schema. typed.NewParser calls all three, the first two only with
// declarative defaults. A reference to a missing type is no error of the schema. Every value
// of that type is invalid.
//
// Schemas are plain data. They compile on first use, once, onto the Schema value: from
// then on Types must not be changed, and any number of goroutines may use it. Do not copy
// a Schema by assignment after its first use; [Schema.CopyInto] makes a copy that shares its
// types. [Schema.Lenient] and [Schema.PinKeys] return other schemas, and change nothing.
//
// The package looks at types only: it refuses to know about data and paths, and to guess
// what a spelling means that it does not know.
package schema
