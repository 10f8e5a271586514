// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"math/rand/v2"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/cluster/internal/random"
)

type m = map[string]any

const namespace = "upgrade"

// kind generates random writes to objects of one kind.
type kind struct {
	name, group, plural string // group ends with a slash if it is not empty
	versions            []string
	key                 string                           // the first part of the key in etcd, before the namespace
	strategic           bool                             // whether the kind supports strategic merge patches
	apply               func(r *rand.Rand, whole bool) m // returns a config; if whole is true, the config can create the object
	patch               func(r *rand.Rand) m             // returns a JSON merge patch
	status              func(r *rand.Rand) m             // returns a JSON merge patch of the status; nil if the kind has no status
}

func (k *kind) path(version string) string {
	root := "/apis/" + k.group
	if k.group == "" {
		root = "/api/"
	}
	return root + version + "/namespaces/" + namespace + "/" + k.plural
}

var widgets = kind{
	name: "Widget", group: "upgrade.example.com/", plural: "widgets", versions: []string{"v1", "v1beta1"},
	key: "/registry/upgrade.example.com/widgets", apply: widget, patch: widgetPatch, status: conditions,
}

var kinds = []kind{
	{name: "Deployment", group: "apps/", plural: "deployments", versions: []string{"v1"}, key: "/registry/deployments", strategic: true,
		apply: deployment, patch: deploymentPatch, status: replicas},
	{name: "Service", plural: "services", versions: []string{"v1"}, key: "/registry/services/specs", strategic: true, apply: service, patch: servicePatch},
	{name: "ConfigMap", plural: "configmaps", versions: []string{"v1"}, key: "/registry/configmaps", strategic: true, apply: configMap, patch: configMapPatch},
	widgets,
	widgets, // listed twice, because it has the most kinds of fields
}

// Kubernetes releases encode many of these values differently in FieldsV1. The values contain
// <, >, &, line separators, control characters or floats.
var (
	names   = []string{"plainNames", "a<b", "c>d", "e&f", "g\u2028h", "<&>\u2029", "i\"j\\k", "ü😀", "1e-7", "", "l\bm\fn", "f:x", "."}
	printed = []string{"PLAIN", "A<B", "C>D", "E&F", "G\"H", "I\\J"} // these are valid names of environment variables
	mounts  = []string{"/p", "/a<b>", "/c&d", "/e\u2028f", "/g\"h", "/ü"}
	numbers = []any{1e-7, 2.5e-9, -1e-10, 0.1, 1e21, 1e300, 123456789.125, 3, -5, 9007199254740991}
)

// definition is a CRD with two versions. Its schema has lists and maps of every type.
var definition = func() m {
	str, number := m{"type": "string"}, m{"type": "number"}
	list := func(how string, items m) m {
		return m{"type": "array", "x-kubernetes-list-type": how, "items": items}
	}
	keyed := func(properties m, keys ...string) m {
		l := list("map", m{"type": "object", "required": keys[:1], "properties": properties})
		l["x-kubernetes-list-map-keys"] = keys
		return l
	}
	version := func(name string, storage bool) m {
		return m{"name": name, "served": true, "storage": storage, "subresources": m{"status": m{}},
			"schema": m{"openAPIV3Schema": m{"type": "object", "properties": m{
				"spec": m{"type": "object", "properties": m{
					"mode":     m{"type": "string", "default": "fast"},
					"texts":    m{"type": "object", "additionalProperties": str},
					"settings": m{"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": str},
					"free":     m{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
					"ports":    keyed(m{"port": m{"type": "integer"}, "protocol": m{"type": "string", "default": "TCP"}, "name": str}, "port", "protocol"),
					"points":   keyed(m{"at": number, "on": m{"type": "boolean", "default": false}, "note": str, "marks": m{"type": "object", "additionalProperties": number}}, "at", "on"),
					"named":    keyed(m{"name": str, "value": number}, "name"),
					"tags":     list("set", str),
					"numbers":  list("set", number),
					"args":     list("atomic", str),
				}},
				"status": m{"type": "object", "properties": m{
					"conditions": keyed(m{"type": str, "status": str}, "type"),
				}},
			}}}}
	}
	group := strings.TrimSuffix(widgets.group, "/")
	return m{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": m{"name": "widgets." + group},
		"spec": m{"group": group, "scope": "Namespaced",
			"names":    m{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
			"versions": []m{version("v1", true), version("v1beta1", false)}},
	}
}()

// texts returns a map with random string values. Its keys are some of the given names.
func texts(r *rand.Rand, names []string) m {
	out := m{}
	for _, name := range random.Subset(r, names, 0.35) {
		out[name] = random.Pick(r, "1", "2", "<&>\u2028")
	}
	return out
}

var plainNames = []string{"k0", "k1", "k2", "k3", "x.example.com/k4"}

func container(r *rand.Rand, name, image string) m {
	var env, volumes []m
	for _, e := range random.Subset(r, printed, 0.35) {
		env = append(env, m{"name": e, "value": random.Pick(r, "1", "2")})
	}
	for _, path := range random.Subset(r, mounts, 0.3) {
		volumes = append(volumes, m{"name": "v", "mountPath": path})
	}
	c := m{"name": name, "image": image, "env": env, "volumeMounts": volumes, "ports": random.Ports(r, "containerPort")}
	if r.IntN(4) == 0 {
		c["resources"] = m{"limits": m{"cpu": random.Pick(r, 1, "1", "500m", 0.5), "memory": "1Gi"}}
	}
	return c
}

func deployment(r *rand.Rand, whole bool) m {
	var containers []m
	for _, name := range random.Subset(r, []string{"c0", "c1"}, 0.6) {
		containers = append(containers, container(r, name, random.Pick(r, "a:1", "a:2").(string)))
	}
	spec := m{}
	if whole {
		containers = append(containers, m{"name": "base", "image": "base:1"})
		spec["volumes"] = []m{{"name": "v", "emptyDir": m{}}}
	}
	if len(containers) > 0 {
		spec["containers"] = containers
	}
	labels := m{}
	for _, name := range random.Subset(r, plainNames[:3], 0.35) {
		labels[name] = random.Pick(r, "1", "2")
	}
	d := m{"metadata": m{"labels": labels}, "spec": m{"template": m{"spec": spec}}}
	if whole {
		d["spec"] = m{"selector": m{"matchLabels": m{"a": "b"}}, "template": m{"metadata": m{"labels": m{"a": "b"}}, "spec": spec}}
	} else if r.IntN(3) == 0 {
		d["spec"].(m)["replicas"] = r.IntN(3)
	}
	return d
}

func deploymentPatch(r *rand.Rand) m {
	return random.Pick(r,
		m{"spec": m{"replicas": r.IntN(4)}},
		m{"metadata": m{"annotations": texts(r, plainNames)}},
		m{"metadata": m{"labels": m{plainNames[r.IntN(3)]: nil}}},
		m{"spec": m{"template": m{"metadata": m{"annotations": texts(r, plainNames)}, "spec": m{"containers": []m{
			container(r, "base", random.Pick(r, "base:1", "base:2").(string)), container(r, "c1", "a:1")}}}}},
		m{"spec": m{"strategy": m{"rollingUpdate": m{"maxSurge": random.Pick(r, 1, "25%")}}}},
	).(m)
}

func replicas(r *rand.Rand) m {
	n := r.IntN(3)
	return m{"status": m{"replicas": n, "readyReplicas": n, "conditions": []m{{"type": random.Pick(r, "Available", "Progressing"), "status": random.Pick(r, "True", "False")}}}}
}

func service(r *rand.Rand, whole bool) m {
	ps := random.Ports(r, "port")
	if whole {
		ps = append(ps, m{"port": 1, "name": "base"})
	}
	s := m{"metadata": m{"annotations": texts(r, plainNames)}, "spec": m{"ports": ps}}
	if r.IntN(2) == 0 {
		s["spec"].(m)["selector"] = m{"a": random.Pick(r, "1", "2")}
	}
	return s
}

func servicePatch(r *rand.Rand) m {
	return random.Pick(r,
		m{"spec": m{"ports": append([]m{{"port": 1, "name": "base"}}, random.Ports(r, "port")...)}},
		m{"spec": m{"selector": m{"b": random.Pick(r, "1", "2", nil)}}},
		m{"metadata": m{"annotations": texts(r, plainNames)}},
		m{"metadata": m{"labels": m{"k1": random.Pick(r, "1", "2", nil)}, "annotations": m{"k0": nil}}},
	).(m)
}

var files = []string{"a.txt", "b-c", "D_e", ".f", "g", "h"}

func configMap(r *rand.Rand, _ bool) m {
	c := m{"data": texts(r, files)}
	if r.IntN(3) == 0 {
		c["metadata"] = m{"finalizers": random.Pick(r, []any{"x.example.com/a"}, []any{"x.example.com/b", "x.example.com/a"})}
	}
	return c
}

func configMapPatch(r *rand.Rand) m {
	return random.Pick(r,
		m{"data": texts(r, files)},
		m{"data": m{files[r.IntN(len(files))]: nil}},
		m{"data": nil},
		m{"metadata": m{"annotations": texts(r, plainNames), "finalizers": []any{"x.example.com/c"}}},
	).(m)
}

func widget(r *rand.Rand, _ bool) m {
	spec := m{"texts": texts(r, names), "points": points(r), "named": named(r)}
	switch r.IntN(6) {
	case 0:
		spec["args"] = []any{"x", random.Pick(r, "<", "\u2028")}
	case 1:
		spec["settings"] = texts(r, names)
	case 2:
		spec["free"] = freeForm(r)
	case 3:
		spec["tags"] = random.Subset(r, names, 0.3)
	case 4:
		spec["numbers"] = random.Subset(r, numbers, 0.3)
	case 5:
		spec["ports"] = random.Ports(r, "port")
	}
	return m{"spec": spec}
}

func points(r *rand.Rand) []m {
	out := []m{}
	for _, at := range random.Subset(r, numbers, 0.25) {
		p := m{"at": at, "note": random.Pick(r, "1", "2"), "marks": m{names[r.IntN(len(names))]: numbers[r.IntN(len(numbers))]}}
		if r.IntN(2) == 0 {
			p["on"] = r.IntN(2) == 0
		}
		out = append(out, p)
	}
	return out
}

func named(r *rand.Rand) []m {
	out := []m{}
	for _, name := range random.Subset(r, names, 0.25) {
		out = append(out, m{"name": name, "value": numbers[r.IntN(3)]})
	}
	return out
}

func freeForm(r *rand.Rand) m {
	return m{"a": texts(r, names), names[r.IntN(len(names))]: random.Pick(r, 1, 1e-7, nil, []any{m{"<": nil}}, "x", m{"\u2028": m{"&": 1e-7}})}
}

func widgetPatch(r *rand.Rand) m {
	return random.Pick(r,
		m{"spec": m{"points": points(r)}},
		m{"spec": m{"named": named(r), "mode": random.Pick(r, "slow", nil)}},
		m{"spec": m{"texts": texts(r, names)}},
		m{"spec": m{"texts": m{names[r.IntN(len(names))]: nil}}},
		m{"spec": m{"tags": random.Subset(r, names, 0.3), "numbers": random.Subset(r, numbers, 0.3)}},
		m{"spec": m{"free": freeForm(r), "settings": texts(r, names)}},
		m{"spec": m{"free": nil, "ports": random.Ports(r, "port")}},
	).(m)
}

func conditions(r *rand.Rand) m {
	out := []m{}
	for _, name := range random.Subset(r, names, 0.3) {
		out = append(out, m{"type": name, "status": random.Pick(r, "True", "False")})
	}
	return m{"status": m{"conditions": out}}
}
