// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package live runs the command on a real cluster, as kubectl dovetail. It compares kubectl
// dovetail diff with kubectl diff --server-side. Both must show the same differences, and the
// second command must need many more requests. The package runs every command of
// docs/cluster.md. It also kills the command while the command and other clients write, and
// then undoes the writes of the command.
package live
