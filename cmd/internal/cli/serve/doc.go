// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package serve implements the command serve, an API server for tests. It gives the server of
// package kube/testserver an address, a certificate and a kubeconfig.
package serve
