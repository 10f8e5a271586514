// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cluster is a client for a cluster. Commands can read a cluster instead of files. It
// reads live objects, the types of their kinds, the definitions of custom resources, and the
// Kubernetes release. [Flags] select the cluster with the same flags as kubectl. [Flags.Open]
// connects to it.
//
// The client reads with GET requests and paged lists, with the rate limits of kubectl. Only
// [Cluster.Send] sends other requests: it changes an object, or requests a dry run. Packages writing
// and prediction call it. With the build tag slim there is no client, and Open returns an error.
package cluster
