// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package schema defines merge schemas. Users write them as YAML or as Go literals.
//
// Start from [Schema], a list of named types ([TypeDef]). A type is an [Atom]: a scalar, a list,
// a map, or several of these at once. A type refers to another type by name, or inlines it
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
//   - the treatment of undeclared fields, see [Map]
//   - required fields; only package kube/openapi reads this list, and a value that lacks a
//     required field is valid
//   - restrictions of updates, such as `transition: immutable`; the rules are immutable,
//     immutableKeys, additionOnly, deletionOnly and setOnce, see [Transition]
//   - policies, see [Policies]
//
// Package typed reads the YAML (typed.NewParser) and creates values of the types. To use a
// Schema that is written in Go, put it into a typed.ParseableType together with a [TypeRef].
// Package kube/openapi converts OpenAPI documents and CRDs to schemas.
//
// The following type allows any value. Its name does not matter:
//
//	types:
//	- name: anything
//	  scalar: untyped
//	  list: {elementType: {namedType: anything}, elementRelationship: atomic}
//	  map: {elementType: {namedType: anything}}
//
// Older schemas have the keyword "untyped". It is accepted, but a type that has only this
// keyword allows no value.
//
// Defaults always help to identify list items: a key that an item lacks has its default value.
// In the first schema above, `{port: 80}` and `{port: 80, protocol: TCP}` are the same item of a
// service, and a merge of both keeps one item. With [Schema.DeclarativeDefaults], defaults also
// affect comparisons and conflicts, and null can stand for a missing value. DeclarativeDefaults
// is off unless you set it. Only the Default methods in package typed fill in defaults.
//
// # Errors and sharing
//
// [Schema.Check] returns the mistakes in a schema as [Errors]. Its documentation lists the kinds
// of mistakes that it finds. Call it in a program that defines its own schemas.
// [Schema.CheckKeys], [Schema.CheckDefaults] and [Schema.CheckTransitions] each find some of
// these mistakes. typed.NewParser calls only CheckTransitions and, with declarative defaults,
// CheckKeys and CheckDefaults. Like structured-merge-diff, it accepts other mistakes, such as a
// reference to a missing type. Every value of the missing type is then invalid.
//
// A list item may lack some of its keys. With `missingKeys: strict` ([StrictKeys]), a missing
// key without a default is an error.
//
// A Schema compiles itself on first use and caches the result. From then on, nobody may change
// Types, and any number of goroutines may use the schema. Do not copy a Schema by assignment
// after its first use; [Schema.CopyInto] makes a copy that shares its types. [Schema.Lenient]
// and [Schema.PinKeys] return new schemas.
//
// This package handles only types. It does not handle data or paths.
package schema
