// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package native asks the code of a Kubernetes release what an API server makes of an object of a
// built-in kind: its validation, what its registry strategy changes, its warnings.
//
// That code is not linked. It runs in a program of its own, dovetail-native-1.37 for Kubernetes
// 1.37, which this package finds ([Find]), starts ([New]) and asks ([Engine.Ask]). The program
// contains the registry of kube-apiserver with a store of one object in place of etcd; it opens no
// file and no connection. Its source is the module kube/native/engine and a module for each
// release, kube/native/1.37 and others.
//
// # Protocol
//
// Program and caller exchange JSON, one document in a line, over standard input and output. The
// program starts with a [Greeting]. Then it answers each [Request] with a [Response], one after
// the other, until its standard input ends. Fields that either side does not know are ignored;
// a change that is not compatible raises [Protocol].
package native
