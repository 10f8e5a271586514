// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package emit generates code and schemas from packages of API types: OpenAPI definitions,
// CustomResourceDefinitions, and functions that set defaults. It returns formatted text, which
// is always the same for the same input, and writes no files.
package emit
