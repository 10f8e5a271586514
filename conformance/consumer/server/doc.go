// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package server pins the Kubernetes release whose kube-apiserver, kubectl and
// integration tests run over both engines, see conformance/cluster. It is a
// module of its own, and is only ever built by the cluster command.
//
// Kubernetes replaces its staging modules by directories, which does not carry
// over to a module that requires it: go.mod replaces each by its release.
package server
