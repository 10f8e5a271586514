// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cluster is a client for a cluster. Instead of files, commands can read a cluster:
// its live objects, the types of their kinds, CustomResourceDefinitions, and the Kubernetes
// release. [Flags] select the cluster with the same flags as kubectl. [Flags.Open] returns the
// client.
//
// The client reads with GET requests and paged lists, and uses the rate limits of kubectl.
// Only [Cluster.Send] sends other requests: it changes an object, or requests a dry run. Only
// the packages writing and prediction call it.
//
// With the build tag slim, there is no client, and Open returns an error.
package cluster
