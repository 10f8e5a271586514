// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

type m = map[string]any

const (
	namespace = "load"
	core      = "/api/v1/namespaces/" + namespace
	apps      = "/apis/apps/v1/namespaces/" + namespace
	widgets   = "/apis/load.example.com/v1/namespaces/" + namespace + "/widgets"
)

// request sends one request of a load case.
type request func(context.Context, *side) error

// loadCase is a series of similar requests. Its name says what each request changes.
type loadCase struct {
	name     string
	requests int
	setup    func() []request
	request  func(i int) request
}

var cases = []loadCase{
	{"an apply changes one of 2 entries of a ConfigMap", 900, nil, func(i int) request {
		return apply(core+"/configmaps/c", "m", m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "c"}, "data": m{"a": "1", "b": fmt.Sprint(i)}})
	}},
	{"an apply changes an annotation of a Service with 10 ports", 900, nil, func(i int) request {
		return apply(core+"/services/s", "m", service(10, i))
	}},
	{"an apply changes the image of a Pod", 900, nil, func(i int) request { return apply(core+"/pods/p", "m", pod(i)) }},
	{"an apply changes one of 5 × 20 variables of a Deployment", 450, nil, func(i int) request {
		return apply(apps+"/deployments/d", "m", deployment("d", i))
	}},
	{"an apply repeats the same Deployment", 450, nil, func(i int) request {
		return apply(apps+"/deployments/same", "m", deployment("same", 0))
	}},
	{"an apply changes a Deployment that has 10 appliers", 150, appliers, func(i int) request {
		return apply(apps+"/deployments/shared", fmt.Sprintf("m%d", i%10), deployment("shared", i/10))
	}},
	{"a merge patch changes a Deployment that has 10 appliers", 150, appliers, func(i int) request {
		return mergePatch(apps+"/deployments/shared", m{"spec": m{"replicas": i%7 + 1}})
	}},
	{"an apply changes one of 100 keyed items of a custom resource", 450, nil, func(i int) request {
		return apply(widgets+"/w100", "m", widget("w100", 100, i))
	}},
	{"an apply changes one of 1000 keyed items of a custom resource", 90, nil, func(i int) request {
		return apply(widgets+"/w1000", "m", widget("w1000", 1000, i))
	}},
	{"a controller changes one of 100 endpoints of an EndpointSlice", 900, makeSlice(100), func(i int) request {
		return updateSlice(100, i)
	}},
	{"a controller changes one of 1000 endpoints of an EndpointSlice", 300, makeSlice(1000), func(i int) request {
		return updateSlice(1000, i)
	}},
	{"a kubelet changes the conditions of one of 40 nodes with 50 images", 900, makeNodes, patchNode},
}

func appliers() []request {
	var out []request
	for i := range 10 {
		out = append(out, apply(apps+"/deployments/shared", fmt.Sprintf("m%d", i), deployment("shared", 0)))
	}
	return out
}

func service(ports, tweak int) m {
	var ps []m
	for i := range ports {
		ps = append(ps, m{"name": fmt.Sprintf("p%d", i), "port": 8000 + i})
	}
	return m{"apiVersion": "v1", "kind": "Service", "metadata": m{"name": "s", "annotations": m{"tweak": fmt.Sprint(tweak)}},
		"spec": m{"selector": m{"a": "b"}, "ports": ps}}
}

func pod(tweak int) m {
	return m{"apiVersion": "v1", "kind": "Pod", "metadata": m{"name": "p", "labels": m{"app": "p", "tier": "web", "team": "a", "track": "stable"}},
		"spec": m{
			"nodeName": "n",
			"containers": []m{{
				"name": "c", "image": fmt.Sprintf("image:%d", tweak), "args": []string{"serve", "--port=8080", "--quiet"},
				"env":          []m{{"name": "SECRET", "valueFrom": m{"secretKeyRef": m{"name": "s", "key": "k"}}}, {"name": "B", "value": "2"}, {"name": "A", "value": "1"}},
				"ports":        []m{{"containerPort": 8080}, {"containerPort": 8080, "protocol": "UDP"}},
				"resources":    m{"requests": m{"cpu": "100m"}},
				"volumeMounts": []m{{"name": "v", "mountPath": "/v", "readOnly": true}},
			}},
			"tolerations": []m{{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}},
			"volumes":     []m{{"name": "v", "secret": m{"secretName": "s", "defaultMode": 420}}},
		}}
}

// deployment returns a Deployment with 5 containers. Each container has 20 variables, 5
// mounts, and 3 ports whose protocol is not set.
func deployment(name string, tweak int) m {
	var containers, volumes []m
	for c := range 5 {
		var env, ports, mounts []m
		for e := range 20 {
			value := "value"
			if c == 0 && e == 10 {
				value = fmt.Sprint(tweak)
			}
			env = append(env, m{"name": fmt.Sprintf("ENV_%d", e), "value": value})
		}
		for p := range 3 {
			ports = append(ports, m{"containerPort": 8000 + p})
		}
		for v := range 5 {
			mounts = append(mounts, m{"name": fmt.Sprintf("v%d", v), "mountPath": fmt.Sprintf("/m/%d", v)})
		}
		containers = append(containers, m{"name": fmt.Sprintf("c%d", c), "image": "image:1", "env": env, "ports": ports, "volumeMounts": mounts,
			"resources": m{"limits": m{"cpu": "1", "memory": "1Gi"}}})
	}
	for v := range 5 {
		volumes = append(volumes, m{"name": fmt.Sprintf("v%d", v), "emptyDir": m{}})
	}
	return m{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": m{"name": name}, "spec": m{
		"selector": m{"matchLabels": m{"a": "b"}},
		"template": m{"metadata": m{"labels": m{"a": "b"}}, "spec": m{"containers": containers, "volumes": volumes}}}}
}

func widget(name string, items, tweak int) m {
	var ports []m
	for i := range items {
		n := "name"
		if i == items/2 {
			n = fmt.Sprint(tweak)
		}
		ports = append(ports, m{"port": i + 1, "name": n})
	}
	return m{"apiVersion": "load.example.com/v1", "kind": "Widget", "metadata": m{"name": name}, "spec": m{"ports": ports}}
}

// prepare creates the namespace and the CRD of Widgets. A Widget has a list of ports, whose items
// are identified by port and protocol.
func (s *side) prepare(ctx context.Context) error {
	str := m{"type": "string"}
	objects := []struct {
		path   string
		object m
	}{
		{"/api/v1/namespaces", m{"apiVersion": "v1", "kind": "Namespace", "metadata": m{"name": namespace}}},
		{"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", m{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": m{"name": "widgets.load.example.com"},
			"spec": m{
				"group": "load.example.com", "scope": "Namespaced",
				"names": m{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
				"versions": []m{{"name": "v1", "served": true, "storage": true, "schema": m{"openAPIV3Schema": m{"type": "object", "properties": m{
					"spec": m{"type": "object", "properties": m{"ports": m{
						"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []string{"port", "protocol"},
						"items": m{"type": "object", "required": []string{"port"}, "properties": m{
							"port": m{"type": "integer"}, "protocol": m{"type": "string", "default": "TCP"}, "name": str}}}}}}}}}},
			}}},
	}
	for _, o := range objects {
		body, err := json.Marshal(o.object)
		if err != nil {
			return err
		}
		if err := s.rest.Post().AbsPath(o.path).Body(body).Do(ctx).Error(); err != nil {
			return err
		}
	}
	var err error
	for range 300 {
		if err = s.rest.Get().AbsPath(widgets).Do(ctx).Error(); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}
