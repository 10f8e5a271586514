// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package schema defines merge schemas. Users write them as YAML or as Go literals.
//
// Start from [Schema], a list of named types ([TypeDef]). A type is an [Atom]: a scalar, a
// list, a map, or several of these at once. A type refers to another by name, or inlines it
// ([TypeRef]):
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
// The YAML format is that of sigs.k8s.io/structured-merge-diff/v6, with some optional
// additions. A schema without these additions has the same YAML as in that module.
// These are the additions:
//
//   - defaults of named types, list items and map values; structured-merge-diff has
//     only defaults of struct fields
//   - required fields, and the treatment of undeclared fields
//   - restrictions of updates, see [Transition]
//   - policies, see [Policies]
//
// Package typed reads the YAML (typed.NewParser) and creates values of the types. To use a
// Schema from Go literals, put it into a typed.ParseableType together with a [TypeRef].
// Package kube/openapi converts OpenAPI documents and CRDs to schemas.
//
// Defaults always help to identify list items: if an item does not have a key, the key has
// its default value. With [Schema.DeclarativeDefaults], defaults also affect comparisons
// and conflicts, and null can stand for a missing value. DeclarativeDefaults is off unless
// you set it. Only the methods Default of package typed fill defaults in.
//
// # Errors and sharing
//
// [Schema.CheckKeys], [Schema.CheckDefaults] and [Schema.CheckTransitions] return the
// mistakes in a schema as [Errors]. typed.NewParser calls CheckTransitions. With
// declarative defaults, it also calls CheckKeys and CheckDefaults. A reference to a missing
// type is not an error of the schema, but every value of the missing type is invalid.
//
// A Schema is plain data. It compiles itself on first use and caches the result. From then
// on, Types must not change, and any number of goroutines may use the schema. Do not copy a
// Schema by assignment after its first use; [Schema.CopyInto] makes a copy that shares its
// types. [Schema.Lenient] and [Schema.PinKeys] return new schemas.
//
// The package handles types only, not data or paths.
package schema
