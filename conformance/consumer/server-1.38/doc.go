// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package server pins Kubernetes 1.38 as the module server pins 1.36, as far as
// that release is to be had: v1.38.0-alpha.0 of k8s.io/kubernetes, which is still
// over structured-merge-diff v6, with the libraries of alpha.2, which are over v7.
// moved.json says what is changed in copies of three modules so that it fits: their
// imports of structured-merge-diff become v7's, and calls those of alpha.2. Three
// modules come from elsewhere: api and metrics are those of alpha.0, since alpha.2
// has lost packages that k8s.io/kubernetes imports (its types are the same but for
// constants), and kube-proxy is 1.37's, of which alpha.0 is not to be had.
package server
