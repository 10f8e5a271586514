// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package native runs the code of a Kubernetes release for an object of a built-in kind.
// That code validates the object, changes it by the registry strategy, and returns
// warnings, as in an API server.
//
// The code of Kubernetes is not linked into this package. It runs in a program of its
// own, such as dovetail-native-1.37 for Kubernetes 1.37. [Find] returns the path of the
// program, [New] returns an [Engine] that runs it, and [Engine.Ask] sends a request to
// it. The program contains the registry of kube-apiserver, with a store of one object in
// place of etcd. It opens no files and no connections. Its source is the module
// kube/native/engine and a module for each release, such as kube/native/1.37.
//
// # Protocol
//
// The program and the caller exchange JSON documents, one per line, over standard input
// and output. The program first writes a [Greeting]. Then it answers each [Request] with
// a [Response], in sequence, until its standard input ends. Both sides ignore fields that
// they do not know. The constant [Protocol] is incremented with each incompatible change.
package native
