// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
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

// This program removes the replicas of a Deployment from the field sets of all their
// owners.
func Example() {
	deployment := parse(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "shop", "managedFields": [
		{"manager": "gitops", "operation": "Apply", "apiVersion": "apps/v1", "time": "2026-03-01T10:00:00Z",
		 "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:replicas": {}, "f:paused": {}}}},
		{"manager": "kube-controller-manager", "operation": "Update", "apiVersion": "apps/v1", "subresource": "status",
		 "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {"f:replicas": {}}}}
	]}}`)
	replicas := fieldpath.MakePathOrDie("spec", "replicas")

	managed := must(managedfields.Decode(deployment))
	entries := managed.Entries()
	for i, e := range entries {
		if e.Set.Has(replicas) {
			fmt.Println(e.Manager, "gives up", replicas, "of", e.Time.Format(time.DateOnly))
			entries[i].Set = e.Set.Difference(fieldpath.NewSet(replicas))
		}
	}
	deployment = must(managedfields.New(entries)).EncodeInto(deployment)

	for _, e := range deployment["metadata"].(map[string]any)["managedFields"].([]any) {
		fmt.Println(objects.AsJSON(e.(map[string]any)["fieldsV1"]))
	}
	// Output:
	// gitops gives up .spec.replicas of 2026-03-01
	// {"f:spec":{"f:paused":{}}}
	// {"f:status":{"f:replicas":{}}}
}

func ExampleDecode() {
	managed, err := managedfields.Decode(parse(`{"metadata": {"managedFields": [
		{"manager": "kubelet", "operation": "Update", "apiVersion": "v1", "subresource": "status",
		 "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {"f:phase": {}}}}
	]}}`))
	if err != nil {
		panic(err)
	}
	for _, e := range managed.Entries() {
		fmt.Println(e.Owner, "owns", e.Set)
	}
	_, err = managedfields.Decode(parse(`{"metadata": {"managedFields": [{"manager": "me", "operation": "Patch"}]}}`))
	fmt.Println(err)
	// Output:
	// "kubelet" with subresource "status" using v1 owns .status.phase
	// metadata.managedFields[0].operation: want Apply or Update, got "Patch"
}

func ExampleManaged_Upgrade() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType}))
	live := must(fm.Update(nil, parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
		"spec": {"ports": [{"port": 80}, {"port": 9999}]}
	}`), "kubectl-client-side-apply")).Object

	managed := must(managedfields.Decode(live))
	upgraded, _, err := managed.Upgrade([]string{"kubectl-client-side-apply"}, "kubectl", "")
	if err != nil {
		panic(err)
	}
	// This apply removes the fields that the manifest no longer has.
	r := must(fm.Apply(upgraded.EncodeInto(live), parse(`{
		"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}
	}`), "kubectl", false))
	fmt.Println(objects.AsJSON(r.Object["spec"]))
	// Output:
	// {"ports":[{"port":80}]}
}

func ExampleScale() {
	scale := managedfields.Scale{
		APIVersion: "apps/v1",
		Replicas:   map[string]fieldpath.Path{"apps/v1": fieldpath.MakePathOrDie("spec", "replicas")},
	}
	deployment := must(managedfields.DecodeEntries([]any{map[string]any{
		"manager": "gitops", "operation": "Apply", "apiVersion": "apps/v1", "fieldsType": "FieldsV1",
		"fieldsV1": parse(`{"f:spec": {"f:replicas": {}, "f:paused": {}}}`),
	}}))
	inScale := must(scale.ToSubresource(deployment))
	fmt.Println(inScale.Entries()[0].APIVersion, inScale.Entries()[0].Set)

	// Another manager scaled the Deployment, so gitops no longer owns the replicas of the
	// scale object.
	back := must(scale.ToParent(deployment, nil))
	fmt.Println(back.Entries()[0].APIVersion, back.Entries()[0].Set)
	// Output:
	// autoscaling/v1 .spec.replicas
	// apps/v1 .spec.paused
}
