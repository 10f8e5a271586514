// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
)

// scaled is a Service that gitops applies; kubectl-scale and an operator have
// changed it.
func scaled(fm *fieldmanager.FieldManager) map[string]any {
	live := must(fm.Apply(nil, parse(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
		"spec": {"replicas": 1, "type": "NodePort"}}`), "gitops", false)).Object
	live = must(fm.Update(live, parse(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
		"spec": {"replicas": 5, "type": "NodePort"}}`), "kubectl-scale")).Object
	return must(fm.Apply(live, parse(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
		"spec": {"type": "LoadBalancer"}}`), "operator", true)).Object
}

// A tool that applies gives way to whoever scales, and insists on the type.
func ExampleFieldManager_Resolve() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType, Clock: exampleClock}))
	config := parse(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"replicas": 1, "type": "NodePort"}}`)

	r, err := fm.Resolve(scaled(fm), config, "gitops", fieldmanager.Choices{
		Force: []fieldpath.Path{fieldpath.MakePathOrDie("spec", "type")},
		Choose: func(c *fieldmanager.Conflict) fieldmanager.Choice {
			if c.Manager == "kubectl-scale" {
				return fieldmanager.Drop
			}
			return fieldmanager.Refuse
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range r.Settled {
		fmt.Println(s.Choice, s.Conflict.Path, "of", s.Conflict.Manager)
	}
	fmt.Println("applied", objects.AsJSON(r.Config["spec"]))
	fmt.Println("stored ", objects.AsJSON(r.Result.Object["spec"]))
	for _, e := range r.Result.Managed.Entries() {
		fmt.Println(e.Owner, "owns", e.Set)
	}
	// Output:
	// drop .spec.replicas of kubectl-scale
	// force .spec.type of operator
	// applied {"type":"NodePort"}
	// stored  {"replicas":5,"type":"NodePort"}
	// "gitops" owns .spec.type
	// "kubectl-scale" using v1 owns .spec.replicas
}

// What each way out would come to, before one is taken.
func ExampleConflict_Outcome() {
	fm := must(fieldmanager.New(fieldmanager.Options{Types: objects.ServiceType, Clock: exampleClock}))
	config := parse(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"replicas": 1}}`)

	_, err := fm.Apply(scaled(fm), config, "gitops", false)
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) {
		return
	}
	c := &conflict.Conflicts[0]
	fmt.Println(c.Path, "yours", c.Yours, "live", c.Live)
	for _, choice := range []fieldmanager.Choice{fieldmanager.Force, fieldmanager.Drop, fieldmanager.Match} {
		out := must(c.Outcome(choice))
		fmt.Printf("%v: apply %s, get %s\n", choice, objects.AsJSON(out.Config["spec"]), objects.AsJSON(out.Result.Object["spec"]))
	}
	// Output:
	// .spec.replicas yours 1 live 5
	// force: apply {"replicas":1}, get {"replicas":1,"type":"LoadBalancer"}
	// drop: apply null, get {"replicas":5,"type":"LoadBalancer"}
	// match: apply {"replicas":5}, get {"replicas":5,"type":"LoadBalancer"}
}
