// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package engine handles the requests of package kube/native with the registry of
// kube-apiserver. This is the storage of every built-in resource. It validates objects,
// changes them by their strategy, and returns warnings. In place of etcd, the storage has
// one object, and every request is a dry run. There is no admission, no authorization and
// no network.
//
// The Kubernetes release is that of the k8s.io/kubernetes module that a program requires.
// The programs are in the neighboring modules 1.35, 1.36 and 1.37. Each calls [Main] with
// the API groups that only its release has.
package engine
