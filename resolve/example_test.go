// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

// deployments is a schema of Deployments with only the fields that the examples need.
// Package kube/openapi has complete schemas.
const deployments = `types:
- name: Deployment
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {elementType: {namedType: any}}}}
    - {name: spec, type: {map: {fields: [
        {name: replicas, type: {scalar: numeric}},
        {name: paused, type: {scalar: boolean}},
        {name: containers, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: container}}}}]}}}
- name: container
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: image, type: {scalar: string}}
    - {name: memory, type: {scalar: string}}
- name: any
  scalar: untyped
  list: {elementType: {namedType: any}, elementRelationship: atomic}
  map: {elementType: {namedType: any}}
`

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func deploymentManager() *fieldmanager.FieldManager {
	types := must(typed.NewParser(deployments))
	return must(fieldmanager.New(fieldmanager.Options{
		Types: func(string, string) (typed.ParseableType, error) { return types.Type("Deployment"), nil },
		Clock: func() time.Time { return time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC) },
	}))
}

func deployment(spec string) map[string]any {
	object := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "shop"}}
	var v any
	if err := json.Unmarshal([]byte(spec), &v); err != nil {
		panic(err)
	}
	object["spec"] = v
	return object
}

// scaledShop returns a Deployment that gitops applied. Since then, the autoscaler changed the
// replicas, and a person edited the image.
func scaledShop(fm *fieldmanager.FieldManager) map[string]any {
	live := must(fm.Apply(nil, deployment(`{"replicas": 2, "containers": [{"name": "web", "image": "shop:1.4"}]}`), "gitops", false)).Object
	live = must(fm.Update(live, deployment(`{"replicas": 7, "containers": [{"name": "web", "image": "shop:1.4"}]}`), "autoscaler")).Object
	return must(fm.Update(live, deployment(`{"replicas": 7, "containers": [{"name": "web", "image": "shop:debug"}]}`), "kubectl-edit")).Object
}

func specOf(object map[string]any) string { return string(must(json.Marshal(object["spec"]))) }

// A tool yields all fields that the autoscaler owns, and forces the image.
func ExampleRequest_Apply() {
	fm := deploymentManager()
	config := deployment(`{"replicas": 2, "containers": [{"name": "web", "image": "shop:1.5"}]}`)

	image := fieldpath.MakePathOrDie("spec", "containers", fieldpath.KeyByFields("name", "web"), "image")
	outcome, err := resolve.New(fm, scaledShop(fm), config, "gitops").Apply(resolve.Choices{
		Force: []fieldpath.Path{image},
		Choose: func(c *fieldmanager.Conflict) resolve.Choice {
			if c.Manager == "autoscaler" {
				return resolve.Yield
			}
			return resolve.Refuse
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range outcome.Resolutions {
		fmt.Println(r.Choice, r.Conflict.Path, "of", r.Conflict.Manager)
	}
	fmt.Println("applied", specOf(outcome.Config))
	fmt.Println("stored ", specOf(outcome.Result.Object))
	for _, e := range outcome.Result.Managed.Entries() {
		fmt.Println(e.Owner, "owns replicas:", e.Set.Has(fieldpath.MakePathOrDie("spec", "replicas")), "image:", e.Set.Has(image))
	}
	// Output:
	// yield .spec.replicas of autoscaler
	// force .spec.containers[name="web"].image of kubectl-edit
	// applied {"containers":[{"image":"shop:1.5","name":"web"}]}
	// stored  {"containers":[{"image":"shop:1.5","name":"web"}],"replicas":7}
	// "gitops" owns replicas: false image: true
	// "autoscaler" using apps/v1 owns replicas: true image: false
}

// A program shows the result of each way to resolve a conflict, before the user chooses one.
func ExampleChoices_With() {
	fm := deploymentManager()
	apply := resolve.New(fm, scaledShop(fm), deployment(`{"replicas": 2}`), "gitops")

	_, err := apply.Apply(resolve.Choices{})
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) {
		return
	}
	c := &conflict.Conflicts[0]
	fmt.Println(c.Path, "yours", c.Yours, "live", c.Live)
	for _, choice := range []resolve.Choice{resolve.Force, resolve.Yield, resolve.Share} {
		outcome := must(apply.Apply(resolve.Choices{}.With(c, choice)))
		fmt.Printf("%v: apply %s, get %v replicas\n", choice, specOf(outcome.Config), outcome.Result.Object["spec"].(map[string]any)["replicas"])
	}
	// Output:
	// .spec.replicas yours 2 live 7
	// force: apply {"replicas":2}, get 2 replicas
	// yield: apply null, get 7 replicas
	// share: apply {"replicas":7}, get 7 replicas
}

// A rule resolves some conflicts, and the user decides about the rest.
func ExampleChoices_Rest() {
	fm := deploymentManager()
	config := deployment(`{"replicas": 2, "containers": [{"name": "web", "image": "shop:1.5"}]}`)
	apply := resolve.New(fm, scaledShop(fm), config, "gitops")

	rule := resolve.Choices{Yield: []fieldpath.Path{fieldpath.MakePathOrDie("spec", "replicas")}}
	_, err := apply.Apply(rule)
	fmt.Println(err)
	for _, choice := range []resolve.Choice{resolve.Force, resolve.Share} {
		outcome := must(apply.Apply(rule.Rest(choice)))
		fmt.Printf("%v: %s\n", choice, specOf(outcome.Result.Object))
	}
	// Output:
	// Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1: .spec.containers[name="web"].image
	// force: {"containers":[{"image":"shop:1.5","name":"web"}],"replicas":7}
	// share: {"containers":[{"image":"shop:debug","name":"web"}],"replicas":7}
}
