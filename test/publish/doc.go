// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package publish compares what package kube/publish publishes with what the API
// server's own code does: kube-openapi's builders, its pruning of defaults and its
// handlers, and how apiextensions publishes a CRD in OpenAPI v2 and v3.
package publish
