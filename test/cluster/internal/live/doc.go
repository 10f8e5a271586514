// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package live runs the command on a real cluster, as kubectl dovetail: beside kubectl diff
// --server-side, of which it must say the same with a part of its requests; and by the words
// of docs/cluster.md, each command of which is typed. And it has the command write beside others
// that write, kills it, and undoes what it did.
package live
