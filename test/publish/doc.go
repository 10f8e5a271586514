// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package publish compares package kube/publish with the API server's own code. This code
// includes kube-openapi's builders, handlers and pruning of defaults. It also includes the
// code of apiextensions that publishes a CRD in OpenAPI v2 and v3.
package publish
