// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable_test

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/kube/immutable"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// The selector of a Deployment is immutable. The number of replicas is not.
func ExampleRelease_Check() {
	deployment := func(app string, replicas int64) map[string]any {
		return map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web"},
			"spec": map[string]any{
				"replicas": replicas,
				"selector": map[string]any{"matchLabels": map[string]any{"app": app}},
			},
		}
	}
	release, err := immutable.New("1.37")
	if err != nil {
		panic(err)
	}
	typ, _ := openapi.Builtin(openapi.Options{}).Type("apps/v1", "Deployment")
	found, err := release.Check(typ, deployment("web", 2), deployment("shop", 3))
	if err != nil {
		panic(err)
	}
	for _, f := range found {
		fmt.Println(f)
		fmt.Println(f.Hint)
	}
	// Output:
	// spec.selector.matchLabels[app]: field is immutable: changes "web" to "shop"
	// in .spec, only minReadySeconds, paused, progressDeadlineSeconds, replicas, revisionHistoryLimit, strategy and template may change
}

func ExampleRelease_Rules() {
	release, err := immutable.New("1.37")
	if err != nil {
		panic(err)
	}
	for _, r := range release.Rules("storage.k8s.io/v1", "StorageClass") {
		fmt.Println(r.Path, r.Transition)
	}
	// Output:
	// .provisioner immutable
	// .parameters immutable
	// .reclaimPolicy immutable
	// .volumeBindingMode immutable
}
