// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/dovetail-ssa/dovetail/kube/goform"
)

func Example() {
	var pod map[string]any
	err := json.Unmarshal([]byte(`{
		"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "shop"},
		"spec": {
			"hostNetwork": false,
			"containers": [{"name": "web", "image": "shop:1", "colour": "red", "resources": {"requests": {"cpu": "1000m"}}}]
		}
	}`), &pod)
	if err != nil {
		panic(err)
	}
	release, err := goform.New("1.37")
	if err != nil {
		panic(err)
	}
	decoded, dropped := release.Normalise(pod)
	for _, d := range dropped {
		fmt.Printf("%s is no field\n", d.Path)
	}
	out := json.NewEncoder(os.Stdout)
	out.Encode(decoded["spec"])
	out.Encode(decoded["status"])
	// Output:
	// .spec.containers[0].colour is no field
	// {"containers":[{"image":"shop:1","name":"web","resources":{"requests":{"cpu":"1"}}}]}
	// {}
}
