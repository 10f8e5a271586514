// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command dovetail-native-1.36 processes objects of built-in kinds with the code of
// Kubernetes 1.36. It implements the protocol of package kube/native, and the command
// dovetail starts it.
package main

import (
	resourcerest "k8s.io/kubernetes/pkg/registry/resource/rest"

	"github.com/dovetail-ssa/dovetail/kube/native/engine"
)

func main() {
	engine.Main(map[string]engine.Provider{
		"resource.k8s.io": resourcerest.RESTStorageProvider{NamespaceClient: engine.Namespaces{}, Authorizer: engine.AllowAll{}},
	})
}
