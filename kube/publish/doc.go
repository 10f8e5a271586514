// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package publish returns the parts of a schema that an API server publishes. It is for programs that
// serve OpenAPI. To read OpenAPI documents, use package openapi.
//
// Start from [Endpoint], which is V2 or V3. The endpoint decides whether defaults are published:
// /openapi/v3 has all defaults, and /openapi/v2 has none, because KEP-1929 omits them until their
// effect on clients is known. So a server keeps one set of definitions and publishes them with the
// methods of each [Endpoint]:
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
// The package removes only defaults. Both endpoints publish x-kubernetes-immutable and the other
// markers of the KEP "Immutable fields" unchanged, and so all other extensions that start with
// x-kubernetes-. When an API server decodes a CRD into its types, it loses these markers; [Markers]
// restores them.
package publish
