// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package publish returns the parts of a schema that an API server publishes. It is intended for
// programs that serve OpenAPI. To read OpenAPI documents, use package openapi.
//
// Start from an [Endpoint], V2 or V3, which determines whether defaults are published: /openapi/v3
// has all defaults, and /openapi/v2 has none. KEP-1929 omits defaults from /openapi/v2 until their
// effect on clients is known. A server needs only one set of definitions, and publishes this set
// with the methods of each endpoint:
//
//	swagger.Definitions = publish.V2.Definitions(definitions)
//	document.Components.Schemas = publish.V3.Models(models)
//
// The results share unchanged parts with the definitions, so callers must not change them. The
// definitions stay unchanged. All functions are safe for concurrent use, and none of them returns
// an error.
//
// Always create merge schemas from the definitions with defaults, and not from the published ones.
// The default of a list key is needed to identify items.
//
// The package removes only defaults. Both endpoints publish all extensions that start with
// x-kubernetes-, including x-kubernetes-immutable and the other markers of the KEP "Immutable
// fields". When an API server decodes a CRD into its own types, it loses these markers. [Markers]
// restores them.
package publish
