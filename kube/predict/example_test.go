// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

func Example() {
	var config map[string]any
	err := json.Unmarshal([]byte(`{
		"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
		"metadata": {"name": "batch", "namespace": "shop"}, "value": 10
	}`), &config)
	if err != nil {
		panic(err)
	}
	catalog, err := openapi.BuiltinRelease("1.37", openapi.Options{})
	if err != nil {
		panic(err)
	}
	release, err := defaults.New("1.37")
	if err != nil {
		panic(err)
	}
	server := &predict.Server{
		FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(catalog.Type)},
		Kind:         catalog.Kind,
		Release:      release,
	}
	stored, err := server.Predict(&predict.Request{
		Verb: predict.Apply, Manager: "gitops", Time: time.Unix(0, 0), Object: config,
	})
	if err != nil {
		panic(err)
	}
	for _, w := range stored.Warnings {
		fmt.Println(w)
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	e.Encode(stored.Object)
	// Output:
	// .metadata.namespace: removed: objects of kind PriorityClass have no namespace
	// {
	//   "apiVersion": "scheduling.k8s.io/v1",
	//   "kind": "PriorityClass",
	//   "metadata": {
	//     "generation": 1,
	//     "managedFields": [
	//       {
	//         "apiVersion": "scheduling.k8s.io/v1",
	//         "fieldsType": "FieldsV1",
	//         "fieldsV1": {
	//           "f:value": {}
	//         },
	//         "manager": "gitops",
	//         "operation": "Apply",
	//         "time": "1970-01-01T00:00:00Z"
	//       }
	//     ],
	//     "name": "batch"
	//   },
	//   "preemptionPolicy": "PreemptLowerPriority",
	//   "value": 10
	// }
}

// This example finds the stage of a prediction that sets a field.
func ExampleRequest_trace() {
	var config map[string]any
	err := json.Unmarshal([]byte(`{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "backup"},
		"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "backup"}], "restartPolicy": "Never"}}}
	}`), &config)
	if err != nil {
		panic(err)
	}
	release, err := defaults.New("1.37")
	if err != nil {
		panic(err)
	}
	catalog := openapi.Builtin(openapi.Options{})
	server := &predict.Server{
		FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(catalog.Type)},
		Kind:         catalog.Kind,
		Release:      release,
	}
	labels := func(object map[string]any) any {
		spec, _ := object["spec"].(map[string]any)
		template, _ := spec["template"].(map[string]any)
		metadata, _ := template["metadata"].(map[string]any)
		return metadata["labels"]
	}
	_, err = server.Predict(&predict.Request{
		Verb: predict.Apply, Manager: "gitops", Time: time.Unix(0, 0), Object: config,
		Trace: func(stage fieldmanager.Stage, before, after map[string]any) {
			if !reflect.DeepEqual(labels(before), labels(after)) {
				fmt.Println(stage, "->", labels(after))
			}
		},
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// object changed by the strategy of the kind -> map[batch.kubernetes.io/job-name:backup job-name:backup]
}
