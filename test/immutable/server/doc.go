// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package server handles creations and updates of built-in objects like the API server of the
// linked Kubernetes release. It decodes objects and fills in defaults with Kubernetes' own
// scheme, and calls the server's strategies. It has no store, no admission and no network.
package server
