// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert_test

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/kube/convert"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

func ExampleBuiltin() {
	types := openapi.Builtin(openapi.Options{})
	scaler := map[string]any{
		"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler",
		"spec": map[string]any{"maxReplicas": int64(4), "targetCPUUtilizationPercentage": int64(60)},
	}
	v2, err := convert.Builtin(types, scaler, "autoscaling/v2")
	if err != nil {
		panic(err)
	}
	fmt.Println(v2["spec"])

	_, err = convert.Builtin(types, map[string]any{"apiVersion": "v1", "kind": "Event"}, "apps/v1")
	fmt.Println(err)
	// Output:
	// map[maxReplicas:4 metrics:[map[resource:map[name:cpu target:map[averageUtilization:60 type:Utilization]] type:Resource]]]
	// Event cannot be converted from v1 to apps/v1: the types do not include apps/v1 Event
}
