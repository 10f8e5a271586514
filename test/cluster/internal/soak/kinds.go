// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/dovetail-ssa/dovetail/test/cluster/internal/e2e"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/random"
)

type m = map[string]any

const namespace = "soak"

// kind generates random writes to objects of one kind.
type kind struct {
	path    string
	builtin bool
	// apply returns a random config. If whole is true, the config can create the object.
	apply func(rnd *rand.Rand, name string, whole bool) m
	// patch returns a random JSON merge patch.
	patch func(rnd *rand.Rand) m
}

var kinds = []kind{
	{"/apis/apps/v1/namespaces/" + namespace + "/deployments", true, deployment, deploymentPatch},
	{"/api/v1/namespaces/" + namespace + "/services", true, service, servicePatch},
	{"/api/v1/namespaces/" + namespace + "/configmaps", true, configMap, configMapPatch},
	{"/apis/soak.example.com/v1/namespaces/" + namespace + "/widgets", false, widget, widgetPatch},
}

// prepare creates the namespace and the custom resource definition.
func (w *writer) prepare(ctx context.Context) error {
	str := m{"type": "string"}
	crd := m{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": m{"name": "widgets.soak.example.com"},
		"spec": m{
			"group": "soak.example.com", "scope": "Namespaced",
			"names": m{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
			"versions": []m{{"name": "v1", "served": true, "storage": true, "schema": m{"openAPIV3Schema": m{"type": "object", "properties": m{
				"spec": m{"type": "object", "properties": m{
					"mode": m{"type": "string", "default": "fast"},
					"ports": m{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []string{"port", "protocol"},
						"items": m{"type": "object", "required": []string{"port"}, "properties": m{
							"port": m{"type": "integer"}, "protocol": m{"type": "string", "default": "TCP"}, "name": str,
							"options": m{"type": "object", "additionalProperties": str}}}},
					"tags":     m{"type": "array", "x-kubernetes-list-type": "set", "items": str},
					"args":     m{"type": "array", "items": str},
					"settings": m{"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": str},
					"free":     m{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
				}},
			}}}}},
		},
	}
	create := func(path string, object m) error {
		text, err := json.Marshal(object)
		if err != nil {
			return err
		}
		status, body, err := e2e.Send(ctx, w.rest.Post().AbsPath(path), text)
		if err == nil && status != 201 {
			err = fmt.Errorf("%s: status %d: %s", path, status, body)
		}
		return err
	}
	if err := create("/api/v1/namespaces", m{"apiVersion": "v1", "kind": "Namespace", "metadata": m{"name": namespace}}); err != nil {
		return err
	}
	if err := create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd); err != nil {
		return err
	}
	for range 300 {
		status, _, err := e2e.Send(ctx, w.rest.Get().AbsPath("/apis/soak.example.com/v1/namespaces/"+namespace+"/widgets"), nil)
		if err != nil || status == 200 {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the custom type is not served")
}

func entriesOf(rnd *rand.Rand, n int) m {
	out := m{}
	for _, i := range random.Below(rnd, n, 0.4) {
		out[fmt.Sprintf("k%d", i)] = fmt.Sprint(rnd.IntN(3))
	}
	return out
}

func deployment(rnd *rand.Rand, name string, whole bool) m {
	var containers []m
	for _, i := range random.Below(rnd, 3, 0.6) {
		var env []m
		for _, e := range random.Below(rnd, 5, 0.4) {
			env = append(env, m{"name": fmt.Sprintf("E%d", e), "value": fmt.Sprint(rnd.IntN(3))})
		}
		c := m{"name": fmt.Sprintf("c%d", i), "image": random.Pick(rnd, "a:1", "a:2"), "env": env, "ports": random.Ports(rnd, "containerPort")}
		if rnd.IntN(3) == 0 {
			c["args"] = []any{"x", fmt.Sprint(rnd.IntN(2))}
			c["resources"] = m{"limits": m{"cpu": random.Pick(rnd, 1, "1", "500m"), "memory": "1Gi"}}
		}
		containers = append(containers, c)
	}
	spec := m{}
	if len(containers) > 0 {
		spec["containers"] = containers
	}
	d := m{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": m{"name": name, "labels": entriesOf(rnd, 3)}, "spec": m{"template": m{"spec": spec}}}
	if whole {
		spec["containers"] = append([]m{{"name": "base", "image": "base:1"}}, containers...)
		d["spec"] = m{"replicas": 1, "selector": m{"matchLabels": m{"a": "b"}}, "template": m{"metadata": m{"labels": m{"a": "b"}}, "spec": spec}}
	}
	return d
}

func deploymentPatch(rnd *rand.Rand) m {
	return random.Pick(rnd,
		m{"spec": m{"replicas": rnd.IntN(4)}},
		m{"metadata": m{"annotations": entriesOf(rnd, 4)}},
		m{"metadata": m{"labels": m{fmt.Sprintf("k%d", rnd.IntN(3)): nil}}},
		m{"spec": m{"template": m{"metadata": m{"annotations": entriesOf(rnd, 3)}, "spec": m{"containers": []m{
			{"name": "base", "image": random.Pick(rnd, "base:1", "base:2"), "ports": random.Ports(rnd, "containerPort")},
			{"name": fmt.Sprintf("c%d", rnd.IntN(3)), "image": "a:1"}}}}}},
		m{"spec": m{"strategy": m{"rollingUpdate": m{"maxSurge": random.Pick(rnd, 1, "25%")}}}},
	).(m)
}

func service(rnd *rand.Rand, name string, whole bool) m {
	spec := m{"ports": random.Ports(rnd, "port"), "selector": entriesOf(rnd, 2)}
	if whole {
		spec["ports"] = []m{{"port": 1, "name": "base"}}
	}
	return m{"apiVersion": "v1", "kind": "Service", "metadata": m{"name": name, "annotations": entriesOf(rnd, 4)}, "spec": spec}
}

func servicePatch(rnd *rand.Rand) m {
	return random.Pick(rnd,
		m{"spec": m{"ports": append([]m{{"port": 1, "name": "base"}}, random.Ports(rnd, "port")...)}},
		m{"spec": m{"selector": entriesOf(rnd, 3)}},
		m{"metadata": m{"labels": entriesOf(rnd, 3), "annotations": m{"k0": nil}}},
	).(m)
}

func configMap(rnd *rand.Rand, name string, _ bool) m {
	c := m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": name}, "data": entriesOf(rnd, 8)}
	if rnd.IntN(3) == 0 {
		c["metadata"].(m)["finalizers"] = random.Pick(rnd, []any{"x.example.com/a"}, []any{"x.example.com/b", "x.example.com/a"})
	}
	return c
}

func configMapPatch(rnd *rand.Rand) m {
	return random.Pick(rnd,
		m{"data": entriesOf(rnd, 8)},
		m{"data": m{fmt.Sprintf("k%d", rnd.IntN(8)): nil}},
		m{"data": nil},
		m{"metadata": m{"finalizers": []any{"x.example.com/c"}}},
	).(m)
}

func widget(rnd *rand.Rand, name string, _ bool) m {
	spec := m{}
	if rnd.IntN(2) == 0 {
		ps := random.Ports(rnd, "port")
		for _, p := range ps {
			p["options"] = entriesOf(rnd, 3)
		}
		spec["ports"] = ps
	}
	if rnd.IntN(2) == 0 {
		var tags []any
		for _, i := range random.Below(rnd, 5, 0.4) {
			tags = append(tags, fmt.Sprintf("t%d", i))
		}
		spec["tags"] = tags
	}
	switch rnd.IntN(4) {
	case 0:
		spec["args"] = []any{"x", fmt.Sprint(rnd.IntN(2))}
	case 1:
		spec["settings"] = entriesOf(rnd, 3)
	case 2:
		spec["free"] = m{"a": entriesOf(rnd, 2), "b": random.Pick(rnd, 1, 1.5, nil, []any{m{"c": nil}}, "x")}
	}
	return m{"apiVersion": "soak.example.com/v1", "kind": "Widget", "metadata": m{"name": name}, "spec": spec}
}

func widgetPatch(rnd *rand.Rand) m {
	return random.Pick(rnd,
		m{"spec": m{"ports": random.Ports(rnd, "port")}},
		m{"spec": m{"tags": []any{"t0", fmt.Sprintf("t%d", 1+rnd.IntN(4))}}},
		m{"spec": m{"mode": random.Pick(rnd, "slow", nil)}},
		m{"spec": m{"settings": entriesOf(rnd, 3), "free": m{"a": m{"k1": nil}}}},
		m{"spec": m{"free": nil}},
	).(m)
}
