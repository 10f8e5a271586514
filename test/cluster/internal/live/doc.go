// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package live runs dovetail on a real cluster, as a kubectl plugin. It compares kubectl
// dovetail diff with kubectl diff --server-side. Both must show the same differences, and
// kubectl diff must need many more requests. The package also runs every command of
// docs/cluster.md. In addition, it runs commands that write while other clients write, kills
// them, and undoes their writes.
package live
