// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/dovetail-ssa/dovetail/kube/defaults"
)

func Example() {
	var service map[string]any
	err := json.Unmarshal([]byte(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "shop"},
		"spec": {"selector": {"app": "shop"}, "ports": [{"port": 80}]}
	}`), &service)
	if err != nil {
		panic(err)
	}
	release, err := defaults.New("1.37")
	if err != nil {
		panic(err)
	}
	stored := release.Fill(service, defaults.Options{Filled: func(d defaults.Default) {
		fmt.Printf("%s: %v (%s)\n", d.Path, d.Value, d.Origin)
	}})
	json.NewEncoder(os.Stdout).Encode(stored["spec"])
	// Output:
	// .spec.sessionAffinity: None (constant)
	// .spec.type: ClusterIP (constant)
	// .spec.internalTrafficPolicy: Cluster (rule internal-traffic-policy)
	// .spec.ports[0].protocol: TCP (OpenAPI)
	// .spec.ports[0].targetPort: 80 (rule target-port)
	// {"internalTrafficPolicy":"Cluster","ports":[{"port":80,"protocol":"TCP","targetPort":80}],"selector":{"app":"shop"},"sessionAffinity":"None","type":"ClusterIP"}
}
