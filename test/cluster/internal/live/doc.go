// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package live runs the command on a real cluster, as kubectl dovetail. It compares kubectl
// dovetail diff with kubectl diff --server-side, which must agree and need many more requests.
// It runs every command of docs/cluster.md. It also lets the command write while other clients
// write, kills it, and undoes its writes.
package live
