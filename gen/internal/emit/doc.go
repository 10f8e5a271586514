// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package emit generates OpenAPI definitions, CustomResourceDefinitions and functions that set
// defaults from packages of API types. It returns formatted text, which is deterministic, and
// writes no files.
package emit
