// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package engine answers the requests of package kube/native with the registry of kube-apiserver:
// the storage of every built-in resource, which decides what is valid, what a strategy changes
// and which warnings there are. In place of etcd the storage has one object, and every request is
// a dry run. There is no admission, no authorization and no network.
//
// The release is that of the k8s.io/kubernetes module that a program requires. The modules 1.35,
// 1.36 and 1.37 beside this one are such programs; each calls [Main] with the groups that only
// its release has.
package engine
