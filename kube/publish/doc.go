// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package publish returns the parts of a schema that an API server publishes. It is for programs that
// serve OpenAPI. To read OpenAPI documents, use package openapi.
//
// Start from [Endpoint], which is V2 or V3. The endpoint decides whether defaults are published, not
// the schema: /openapi/v3 has all defaults. /openapi/v2 has none, because KEP-1929 omits them until
// their effect on clients is known. So a server keeps one set of definitions and publishes them with
// the methods of each [Endpoint]:
//
//	swagger.Definitions = publish.V2.Definitions(definitions)
//	document.Components.Schemas = publish.V3.Models(models)
//
// The results share unchanged parts with the definitions, so nobody may change them. The definitions
// do not change. All functions are safe for concurrent use, and none returns an error.
//
// Create merge schemas from the definitions with their defaults, never from the published ones: the
// default of a list key is needed to identify items.
//
// Only defaults are removed. Both endpoints publish x-kubernetes-immutable and the other markers of
// the KEP "Immutable fields" unchanged, and all other extensions that start with x-kubernetes-. A CRD
// loses these markers when an API server decodes it into its types; [Markers] restores them.
package publish
