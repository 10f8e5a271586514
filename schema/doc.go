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
// Schemas are plain data. They compile on first use, once, onto the Schema
// value; from then on Types must not be changed. [Schema.CheckKeys] and
// [Schema.CheckTransitions] say what is wrong with one. The package looks at
// types only: it refuses to know about data and paths, and to guess what a
// spelling means that it does not know.
package schema
