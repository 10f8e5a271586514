// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package schema is the declarative form of a merge schema: the types that
// users write as YAML or as Go literals, and serialise.
//
// A [Schema] is a list of named [TypeDef]s. A type is an [Atom]: a scalar, a
// list, a map, or several of them at once. References between types are
// [TypeRef]s, by name or inlined. The YAML is that of
// sigs.k8s.io/structured-merge-diff/v6; what this package adds is left out
// when it is not used:
//
//   - defaults beyond those of struct fields: on named types, list items and
//     map values;
//   - required fields;
//   - two policies on the Schema, see [Schema.DeclarativeDefaults] and
//     [Schema.MissingKeys].
//
// Schemas are plain data. They compile on first use, once, onto the Schema
// value; from then on Types must not be changed. The package looks at types
// only: it refuses to know about data and paths.
package schema
