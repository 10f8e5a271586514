// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package openapi converts OpenAPI documents and CustomResourceDefinitions into merge schemas,
// without a cluster.
//
// Start from a [Catalog]. [Builtin] returns one with every built-in type of one Kubernetes
// release; [New] returns an empty one. You can add any number of documents. Later definitions
// replace earlier ones of the same name:
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
// The package converts OpenAPI v2 and v3 documents like kube-openapi's schemaconv, the
// converter of the API server; a test compares the results. schemaconv omits some
// information. This package adds it: defaults of list items, map values, definitions and allOf
// branches, required fields, and list types next to a reference. Fields and types are sorted by
// name, and integers stay integers.
//
// OpenAPI v2 has no defaults. AddDefaults and AddDefaultsOf add them from another document, a
// table or another catalog. AddSchema adds existing merge schemas, which can then get defaults,
// too.
//
// CustomResourceDefinitions are converted as in the API server: one definition for each served
// version, with apiVersion, kind and ObjectMeta added to the root and to embedded resources. The
// types also record which fields the server prunes and which defaults it fills in. Package typed
// can prune and fill in values of these types.
//
// Lint reports probable mistakes: keys without a default, defaults of a wrong type, sets of
// objects.
//
// # Errors, sharing, concurrency
//
// If a document cannot be used, methods return a *[DocumentError] with document, line and path, or
// several of them joined. The catalog is then unchanged. [Catalog.Warnings] returns problems that
// do not prevent using a document. For a kind that the catalog does not have, Type and Lookup
// return false, which is not an error.
//
// Add all documents first. After that, the catalog is safe for concurrent use. Keep one catalog
// for the whole program, because each one makes its own schemas. The schemas that it returns are
// shared and must not be changed. They merge as in current API servers, unless
// Options.DeclarativeDefaults is set (schema.Schema.DeclarativeDefaults).
//
// The package reads schemas, not objects: it does not validate objects, does not fill in
// defaults, and never calls a cluster.
package openapi
