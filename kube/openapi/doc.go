// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package openapi converts OpenAPI documents and CustomResourceDefinitions into merge schemas,
// without a cluster.
//
// Start from a [Catalog]. [Builtin] returns a catalog with the built-in types of a
// Kubernetes release, and [New] returns an empty catalog. Then add any number of
// documents. A definition replaces an earlier one with the same name:
//
//	types := openapi.Builtin(openapi.Options{})
//	if err := types.AddCRD("widgets.yaml", crd); err != nil {
//		return err
//	}
//	widget, ok := types.Type("example.com/v1", "Widget")
//
// Package fieldmanager, which applies and updates objects, gets its types from a catalog:
//
//	fm, err := fieldmanager.New(fieldmanager.Options{
//		Types: fieldmanager.NewTypeSource(types.Type),
//	})
//
// The package converts OpenAPI v2 and v3 documents like schemaconv, the API server's
// converter in kube-openapi. A test compares the results. This package also keeps
// information that schemaconv drops: required fields, list types next to a reference, and
// the defaults of list items, map values, definitions and allOf branches. Fields and types
// are sorted by name, and integers stay integers.
//
// OpenAPI v2 documents have no defaults. AddDefaults and AddDefaultsOf add defaults from
// another document, a table or another catalog. AddSchema adds existing merge schemas,
// which can get defaults in the same way.
//
// CustomResourceDefinitions are converted as in the API server: to one definition for each
// served version. apiVersion, kind and ObjectMeta are added to the root and to embedded
// resources. The types also record which fields the server prunes and which defaults it
// sets, so that package typed can prune objects and set defaults in the same way.
//
// Lint reports probable mistakes, such as keys without a default, defaults of a wrong
// type, and sets of objects.
//
// # Errors, sharing, concurrency
//
// If a document cannot be used, methods return a *[DocumentError] with document, line and
// path, or several of them joined. The catalog then stays unchanged. [Catalog.Warnings]
// returns problems that do not prevent using a document. If a catalog does not have a
// kind, Type and Lookup return false, not an error.
//
// Add all documents first. From then on, the catalog is safe for concurrent use. Use one
// catalog for the whole program, because each catalog builds its own schemas. The returned
// schemas are shared, so callers must not change them. Objects merge as in current API
// servers, unless Options.DeclarativeDefaults is set.
//
// The package only reads schemas. It does not validate objects, does not set defaults in
// them, and never calls a cluster.
package openapi
