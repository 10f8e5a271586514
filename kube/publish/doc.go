// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package publish decides what of a schema an API server publishes where. It is for
// programs that serve OpenAPI themselves; whoever reads it wants package openapi.
//
// Start from [Endpoint], which is V2 or V3. Whether defaults are published is a property of the endpoint, not of the
// schema: /openapi/v2 carries none, as KEP-1929 has it until it is known what
// clients would make of them; /openapi/v3 carries them all. So a server keeps one
// set of definitions and asks, for each [Endpoint], what to publish of them:
//
//	swagger.Definitions = publish.V2.Definitions(definitions)
//	document.Components.Schemas = publish.V3.Models(models)
//
// What it gets is a copy as far as something had to go, and shares the rest, so that
// nobody is to write to it; the definitions themselves stay as they are. All functions are
// safe for concurrent use, and none can fail. The definitions, with their defaults, are what
// merge schemas must be made from, since a default of a list key is part of how
// items are told apart: make a converter from the definitions, never from what
// was published.
//
// Only defaults go. x-kubernetes-immutable and the other markers of the KEP
// "Immutable fields" are published as they are by both endpoints, and so is all else
// that begins with x-kubernetes-. Only
// a CRD loses them on its way through the API server's types; [Markers] brings them
// back.
package publish
