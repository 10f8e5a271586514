// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package native processes objects of built-in kinds with the code of a Kubernetes release. As in
// an API server, this code validates an object, changes it as its registry strategy requires, and
// returns warnings.
//
// The code of Kubernetes runs in a separate program, such as dovetail-native-1.37 for Kubernetes
// 1.37. [Find] returns the path of the program, [New] returns an [Engine] that runs the program,
// and [Engine.Ask] sends a request to it. The program contains the registry of kube-apiserver, with
// a store for a single object instead of etcd. It opens no files and no connections. Its source is
// in the module kube/native/engine and in one module for each release, such as kube/native/1.37.
//
// # Protocol
//
// The program and its caller exchange JSON documents over standard input and output, one per line.
// The program first writes a [Greeting]. Then it reads a [Request], answers it with a [Response],
// and repeats this until its standard input ends. Both sides ignore unknown fields. The constant
// [Protocol] is incremented with each incompatible change.
package native
