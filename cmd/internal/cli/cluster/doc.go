// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cluster reads what commands need from a cluster in place of files: live objects,
// the types of their kinds, the definitions of custom resources, and which release it is.
// [Flags] say which cluster, in kubectl's words; [Flags.Open] connects to it.
//
// It reads with GETs and paged LISTs, at the rate of kubectl. The one other request is
// [Cluster.Send], which changes an object, or asks for a dry run, which a server answers and does
// not store. Who may call it is package writing. With the build tag slim there is no client, and
// Open says so.
package cluster
