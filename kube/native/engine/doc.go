// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package engine answers the requests of package kube/native with the registry of
// kube-apiserver. The registry contains the storage of every built-in resource. It
// validates objects, changes them as the strategy of their resource requires, and returns
// warnings. Instead of etcd, the storage holds one object, and every request is a dry run.
// There is no admission, no authorization and no network.
//
// Each program is for one Kubernetes release: its module requires the version of k8s.io/kubernetes of
// this release. The programs are in the neighboring modules 1.35, 1.36 and 1.37.
// Each program calls [Main] with the providers of the API groups that only its release has, or that
// differ between releases.
package engine
