// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package openapi turns Kubernetes documents into merge schemas, without a
// cluster.
//
// Start from a [Catalog]. [Builtin] returns one that knows every built-in type
// of one Kubernetes release; [New] returns an empty one. Documents are added
// in any number, and later ones win over earlier ones:
//
//	types := openapi.Builtin(openapi.Options{})
//	if err := types.AddCRD("widgets.yaml", crd); err != nil {
//		return err
//	}
//	widget, ok := types.Type("example.com/v1", "Widget")
//
// Package fieldmanager, which applies and updates, takes a catalog as its types:
//
//	fm, err := fieldmanager.New(fieldmanager.Options{
//		Types: fieldmanager.NewTypeSource(types.Type),
//	})
//
// OpenAPI v2 and v3 documents go through kube-openapi's schemaconv, the
// converter that the API server uses, and so mean what they mean there. What
// schemaconv leaves out is added on top: defaults of list items, map values,
// definitions and allOf branches, required fields, list types given beside a
// reference. Fields and types come in one order, sorted by name, and integers
// stay integers.
//
// OpenAPI v2 carries no defaults. An overlay gives them: another document, a
// table, or another catalog, see AddDefaults and AddDefaultsOf. AddSchema takes
// merge schemas that somebody else has made, to the same end.
//
// CustomResourceDefinitions become what the API server makes of them: one
// definition for each served version, with apiVersion, kind and ObjectMeta
// added to the root and to embedded resources. Their types know what the server
// prunes, and what it fills in: package typed does both.
//
// Lint looks for what works otherwise than an author may think: keys without a
// default, defaults that do not fit, sets of objects.
//
// # Errors, sharing, concurrency
//
// What cannot be used is a *[DocumentError], or several joined, with document, line and path, and
// the catalog stays as it was; what is odd is in [Catalog.Warnings]. Kinds that the catalog
// does not have are no error: Type and Lookup return false.
//
// Fill a catalog first, then use it from any number of goroutines; keep one for the whole
// program, since each makes schemas of its own. The schemas that it returns are shared:
// nobody is to write to them. They merge as in an API server of today, unless the catalog was
// made with Options.DeclarativeDefaults (schema.Schema.DeclarativeDefaults).
//
// The package reads schemas, not objects: it validates no object, applies no
// default, and asks no cluster.
package openapi
