// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package publish compares package kube/publish with the code of the API server. The API
// server uses the builders and handlers of kube-openapi, which also prune defaults, and code
// of apiextensions, which publishes CRDs in OpenAPI v2 and v3.
package publish
