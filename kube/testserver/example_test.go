// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"context"
	"fmt"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// Two managers apply the same object. As in a cluster, the second one gets a conflict.
func ExampleStart() {
	server, err := testserver.Start(testserver.Options{Release: "1.37"})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		log.Fatal(err)
	}
	settings := func(level string) *v1.ConfigMapApplyConfiguration {
		return v1.ConfigMap("settings", "default").WithData(map[string]string{"level": level})
	}
	maps, ctx := client.CoreV1().ConfigMaps("default"), context.Background()
	if _, err := maps.Apply(ctx, settings("info"), metav1.ApplyOptions{FieldManager: "gitops"}); err != nil {
		log.Fatal(err)
	}
	_, err = maps.Apply(ctx, settings("debug"), metav1.ApplyOptions{FieldManager: "shop"})
	fmt.Println(err)
	// Output: Apply failed with 1 conflict: conflict with "gitops": .data.level
}
