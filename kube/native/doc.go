// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package native processes objects of built-in kinds with the code of a Kubernetes release.
// As in an API server, that code validates an object, changes it as its registry strategy
// requires, and returns warnings.
//
// The code of Kubernetes is not linked into this package. It runs in a separate program,
// such as dovetail-native-1.37 for Kubernetes 1.37. [Find] returns the path of the
// program, [New] returns an [Engine] that runs it, and [Engine.Ask] sends it a request.
// The program contains the registry of kube-apiserver, with a store for a single object
// instead of etcd. It opens no files and no connections. Its source is in the module
// kube/native/engine and in one module for each release, such as kube/native/1.37.
//
// # Protocol
//
// The program and its caller exchange JSON documents, one per line, over standard input
// and output. First, the program writes a [Greeting]. Then the program answers each
// [Request] with a [Response], one after the other, until its standard input ends. Both
// sides ignore unknown fields. The constant [Protocol] is incremented with each
// incompatible change.
package native
