// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package server creates and updates built-in objects with the code of the API server in the
// linked Kubernetes release. It decodes objects and sets defaults with Kubernetes' scheme, and
// calls the strategies of the server. It has no store, no admission and no network.
package server
