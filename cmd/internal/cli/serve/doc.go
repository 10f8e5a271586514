// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package serve has the command serve, a test server with server-side apply. It gives the server of
// package kube/testserver an address, a certificate and a kubeconfig.
package serve
