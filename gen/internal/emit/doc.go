// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package emit makes what is generated from packages of API types: OpenAPI
// definitions, CustomResourceDefinitions and functions that set defaults. It
// returns text, formatted and the same for the same source, and writes nothing.
package emit
