// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package serve makes the command serve, a test server with server-side apply. Start from [New].
// The server is that of package kube/testserver; here it gets an address, a certificate and a
// kubeconfig.
package serve
