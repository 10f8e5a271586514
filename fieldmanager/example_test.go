// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/typed"
)

// parse decodes the JSON of an example.
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

var exampleClock = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// Both configs have the same port. One config omits the protocol, which then has its default.
func Example() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType, Clock: exampleClock}))

	created := must(fm.Apply(nil, parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
		"spec": {"ports": [{"port": 80, "name": "http"}]}
	}`), "gitops", false))
	for _, e := range created.Managed.Entries() {
		fmt.Println(e.Manager, e.Operation, e.Set)
	}

	_, err := fm.Apply(created.Object, parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
		"spec": {"ports": [{"port": 80, "protocol": "TCP", "name": "web"}]}
	}`), "helm", false)
	fmt.Println(err)
	var conflict *fieldmanager.ConflictError
	if errors.As(err, &conflict) {
		c := conflict.Conflicts[0]
		fmt.Println(c)
		fmt.Printf("yours %v, live %v, by %v since %v\n", c.Yours, c.Live, c.Owner, c.Time.Format(time.DateOnly))
	}
	// Output:
	// gitops Apply .spec.ports[port=80,protocol="TCP"]
	// .spec.ports[port=80,protocol="TCP"].name
	// .spec.ports[port=80,protocol="TCP"].port
	// Apply failed with 1 conflict: conflict with "gitops": .spec.ports[port=80,protocol="TCP"].name
	// conflict with "gitops": .spec.ports[port=80,protocol="TCP"].name
	// yours web, live http, by "gitops" since 2026-01-02
}

func ExampleNew_subresource() {
	status := must(fieldmanager.New(fieldmanager.Options{
		Types:       objects.ServiceType,
		Subresource: "status",
		ResetFields: map[fieldpath.APIVersion]*fieldpath.Set{
			"v1": fieldpath.NewSet(fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata")),
		},
	}))
	live := parse(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"replicas": 3}}`)
	r := must(status.Update(live, parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
		"spec": {"replicas": 99}, "status": {"phase": "Ready"}
	}`), "controller"))
	fmt.Println(objects.AsJSON(r.Object["spec"]), objects.AsJSON(r.Object["status"]))
	for _, e := range r.Managed.Entries() {
		fmt.Println(e.Owner, e.Set)
	}
	// Output:
	// {"replicas":3} {"phase":"Ready"}
	// "controller" with subresource "status" using v1 .status
	// .status.phase
}

func ExampleFieldManager_Apply() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType, Clock: exampleClock}))
	const config = `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"type": "NodePort"}}`
	first := must(fm.Apply(nil, parse(config), "gitops", false))
	again := must(fm.Apply(first.Object, parse(config), "gitops", false))
	fmt.Println(first.Changed, again.Changed)
	fmt.Println(objects.AsJSON(again.Object["metadata"]))
	// Output:
	// true false
	// {"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:type":{}}},"manager":"gitops","operation":"Apply","time":"2026-01-02T03:04:05Z"}],"name":"web"}
}

func ExampleFieldManager_Update() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType}))
	created := must(fm.Apply(nil, parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"type": "NodePort", "replicas": 1}
	}`), "gitops", false))
	scaled := must(fm.Update(created.Object, parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"type": "NodePort", "replicas": 5}
	}`), "kubectl-scale"))
	for _, e := range scaled.Managed.Entries() {
		fmt.Println(e.Owner, e.Operation, e.Set)
	}
	// Output:
	// "gitops" Apply .spec.type
	// "kubectl-scale" using v1 Update .spec.replicas
}

// The default of protocol in v1 changed from TCP to UDP. If the type is pinned to TCP, a port
// without a protocol still identifies the same item.
func ExamplePinKeyDefaults() {
	types := objects.ServiceTypeWith("UDP")
	live := parse(`{
		"apiVersion": "v1", "kind": "Service",
		"metadata": {"name": "web", "managedFields": [{
			"manager": "gitops", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
			"fieldsV1": {"f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}}}}
		}]},
		"spec": {"ports": [{"port": 80, "protocol": "TCP"}]}
	}`)
	config := parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
		"spec": {"ports": [{"port": 80}]}
	}`)
	for _, types := range []fieldmanager.TypeSource{types, fieldmanager.PinKeyDefaults(types, objects.ServiceType)} {
		fm := must(fieldmanager.New(fieldmanager.Options{Types: types, Clock: exampleClock}))
		r := must(fm.Apply(live, config, "gitops", false))
		fmt.Println(r.Changed, r.Managed.Entries()[0].Set.Leaves())
	}
	// Output:
	// true .spec.ports[port=80,protocol="UDP"].port
	// false .spec.ports[port=80,protocol="TCP"].port
}

// A server with a newer schema stored a field that the schema of this program does not
// declare.
func ExampleOptions_carryUnknown() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType, Clock: exampleClock, CarryUnknown: true}))
	live := parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
		"spec": {"type": "ClusterIP", "trafficDistribution": "PreferClose"}
	}`)
	result := must(fm.Apply(live, parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
		"spec": {"type": "NodePort"}
	}`), "gitops", true))
	fmt.Println(result.Object["spec"])
	for _, w := range result.Warnings {
		fmt.Printf("%s: %s\n", w.Path, w.Message)
	}
	// Output:
	// map[trafficDistribution:PreferClose type:NodePort]
	// .spec.trafficDistribution: the live object has this field, but the schema of v1 Service does not declare it; the field is kept as a string
}

// RespellQuantities replaces the text of a quantity by the text of the equal quantity in
// live.
func ExampleRespellQuantities() {
	typ := must(typed.NewParser(`types:
- name: Quota
  map:
    fields:
    - name: hard
      type: {map: {elementType: {namedType: io.k8s.apimachinery.pkg.api.resource.Quantity}}}
- name: io.k8s.apimachinery.pkg.api.resource.Quantity
  scalar: untyped
`)).Type("Quota")
	live := parse(`{"hard": {"cpu": "1", "memory": "1Gi"}}`)
	config := parse(`{"hard": {"cpu": "1000m", "memory": "2Gi"}}`)
	fmt.Println(fieldmanager.RespellQuantities(typ, live, config))
	// Output:
	// map[hard:map[cpu:1 memory:2Gi]]
}
