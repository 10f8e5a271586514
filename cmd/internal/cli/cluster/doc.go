// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cluster reads what commands need from a cluster in place of files: live objects,
// the types of their kinds, the definitions of custom resources, and which release it is.
// [Flags] say which cluster, in kubectl's words; [Flags.Open] connects to it.
//
// It reads with GETs and paged LISTs, at the rate of kubectl. The one other request is a
// dry run, [Cluster.DryRun], which a server answers and does not store. With the build tag
// slim there is no client, and Open says so.
package cluster
