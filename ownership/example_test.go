// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// shop returns a Service that gitops applies. Client-side apply created it, and another
// manager scaled it.
func shop() map[string]any {
	return parse(`{
		"apiVersion": "v1", "kind": "Service",
		"metadata": {"name": "shop", "managedFields": [
			{"manager": "gitops", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
			 "fieldsV1": {"f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}}, "f:selector": {}}}},
			{"manager": "kubectl-client-side-apply", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
			 "fieldsV1": {"f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}, "f:name": {}}}}}},
			{"manager": "operator", "operation": "Update", "apiVersion": "v1alpha1", "fieldsType": "FieldsV1",
			 "fieldsV1": {"f:spec": {"f:replicas": {}}}}
		]},
		"spec": {"ports": [{"port": 80, "name": "http"}], "selector": {"app": "shop"}, "replicas": 2, "type": "ClusterIP"}
	}`)
}

func ExampleBlame() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType}))
	b := must(ownership.Blame(fm, shop()))
	for path, place := range b.All() {
		if !strings.HasPrefix(path.String(), ".spec.") {
			continue
		}
		fmt.Print(path, ": ", place.State)
		for _, i := range place.Owners {
			fmt.Print(" ", b.Entries[i].Manager)
		}
		fmt.Println()
	}
	// Output:
	// .spec.ports: holder
	// .spec.ports[port=80,protocol="TCP"]: owned gitops kubectl-client-side-apply
	// .spec.ports[port=80,protocol="TCP"].name: owned kubectl-client-side-apply
	// .spec.ports[port=80,protocol="TCP"].port: owned gitops kubectl-client-side-apply
	// .spec.replicas: owned operator
	// .spec.selector: owned gitops
	// .spec.selector.app: part gitops
	// .spec.type: default
}

func ExampleExamine() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType}))
	x := must(ownership.Examine(fm, shop(), ownership.ExamineOptions{}))
	for _, p := range x.Problems {
		fmt.Printf("%s %s%s\n", p.Rule, p.Owner.Manager, p.Path)
	}
	fmt.Println(must(managedfields.Decode(x.Object)).Entries()[2].Owner)
	// Output:
	// version-gone operator
	// client-side-orphan kubectl-client-side-apply.spec.ports[port=80,protocol="TCP"].name
	// "operator" using v1
}

func ExampleMigrate() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType}))
	m := must(ownership.Migrate(fm, shop(), ownership.MigrateOptions{From: []string{"kubectl-client-side-apply"}, To: "gitops"}))
	// This apply removes the fields that the manifest leaves out.
	r := must(fm.Apply(m.Object, parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "shop"},
		"spec": {"ports": [{"port": 80}], "selector": {"app": "shop"}}
	}`), "gitops", false))
	fmt.Println(objects.AsJSON(r.Object["spec"].(map[string]any)["ports"]))
	// Output:
	// [{"port":80}]
}

func ExampleExtractOwner() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType}))
	config := must(ownership.ExtractOwner(fm, shop(), managedfields.Owner{
		Manager: "kubectl-client-side-apply", Operation: managedfields.OperationUpdate, APIVersion: "v1",
	}))
	fmt.Println(objects.AsJSON(config["spec"]))
	// Output:
	// {"ports":[{"name":"http","port":80}]}
}

func ExampleExtract() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType}))
	live := must(fm.Apply(nil, parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}
	}`), "gitops", false)).Object
	live = must(fm.Apply(live, parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"type": "NodePort"}
	}`), "helm", false)).Object
	fmt.Println(objects.AsJSON(must(ownership.Extract(fm, live, "gitops"))))
	// Output:
	// {"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"ports":[{"port":80}]}}
}

func parse(text string) map[string]any {
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		panic(err)
	}
	return object
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The schema gets a default for the key protocol. The stored entry has a port without a
// protocol. Rekey adds the default to the path of that port.
func ExampleRekey() {
	live := parse(`{
		"apiVersion": "v1", "kind": "Service",
		"metadata": {"name": "web", "managedFields": [{
			"manager": "gitops", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
			"fieldsV1": {"f:spec": {"f:ports": {"k:{\"port\":80}": {".": {}, "f:port": {}}}}}
		}]},
		"spec": {"ports": [{"port": 80}]}
	}`)
	r := must(ownership.Rekey(live, ownership.RekeyOptions{Old: objects.ServiceTypeWith("null"), New: objects.ServiceType}))
	for _, m := range r.Moves {
		fmt.Printf("%s: %s\n  was %s\n  is  %s\n  %s\n", m.Owner.Manager, m.Reason, m.Old, m.New, m.Why)
	}
	// Output:
	// gitops: rekeyed
	//   was .spec.ports[port=80]
	//   is  .spec.ports[port=80,protocol="TCP"]
	//   protocol now has the default "TCP"
}
