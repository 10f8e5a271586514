// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func ExampleRead() {
	objects, err := manifest.Read("web.yaml", []byte(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
`))
	for _, o := range objects {
		fmt.Println(o.Identity(), "at", o.Position(".spec.replicas"))
	}
	fmt.Println(err)
	// Output:
	// apps/v1 Deployment web at web.yaml:6
	// <nil>
}

func ExampleReadMappings() {
	documents, err := manifest.ReadMappings("gateway.yaml", []byte(`
region: eu
listeners:
- {port: 80}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range documents {
		fmt.Println(d.Content["region"], "at", d.Position(".region"))
		fmt.Println("first listener at", d.At("listeners", 0))
	}
	_, err = manifest.ReadMappings("gateway.yaml", []byte("region: eu\n---\n- {port: 80}\n"))
	fmt.Println(err)
	// Output:
	// eu at gateway.yaml:2
	// first listener at gateway.yaml:4
	// gateway.yaml:3: want a mapping, got a list
}

func ExampleReadValues() {
	values, err := manifest.ReadValues("a.yaml", []byte("a: 1\n---\n[b]\n"))
	fmt.Println(values, err)
	_, err = manifest.ReadValues("a.yaml", []byte("a: [1\n"))
	fmt.Println(err)
	// Output:
	// [map[a:1] [b]] <nil>
	// a.yaml:1: not YAML: did not find expected ',' or ']'
}

func ExampleEdit() {
	out, err := manifest.Edit("a.yaml", []byte("kind: A # a kind\napiVersion: v1\nspec:\n  # in order\n  list: [b, c]\n"), func(o *manifest.Object) ([]manifest.Change, error) {
		return []manifest.Change{{
			Steps: []any{"spec"}, Field: "list",
			Drop: func(item any) bool { return item == "b" },
			Add:  []any{"d"},
		}}, nil
	})
	fmt.Print(string(out), err)
	// Output:
	// kind: A # a kind
	// apiVersion: v1
	// spec:
	//   # in order
	//   list: [c, d]
	// <nil>
}
