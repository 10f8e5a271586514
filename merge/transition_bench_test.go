// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/allocs"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// workload returns the type of Deployments in a schema with at most one immutable place. rule
// names the place: selector, template or image. With any other rule, no place is immutable.
func workload(rule string) typed.ParseableType {
	text := `types:
- name: deployment
  map:
    fields:
    - {name: metadata, type: {map: {fields: [{name: name, type: {scalar: string}}, {name: labels, type: {namedType: strings}}]}}}
    - {name: spec, type: {namedType: spec}}
- name: strings
  map: {elementType: {scalar: string}}
- name: spec
  map:
    fields:
    - {name: replicas, type: {scalar: numeric}}
    - {name: selector, type: {map: {elementRelationship: atomic, fields: [{name: matchLabels, type: {namedType: strings}}]}SELECTOR}}
    - {name: template, type: {namedType: template TEMPLATE}}
- name: template
  map:
    fields:
    - {name: metadata, type: {map: {fields: [{name: labels, type: {namedType: strings}}]}}}
    - {name: spec, type: {namedType: pod}}
- name: pod
  map:
    fields:
    - {name: serviceAccountName, type: {scalar: string}}
    - {name: nodeSelector, type: {namedType: strings}}
    - {name: containers, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: container}}}}
    - {name: volumes, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: any}}}}
    - {name: tolerations, type: {list: {elementRelationship: atomic, elementType: {namedType: any}}}}
- name: container
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: image, type: {scalar: string IMAGE}}
    - {name: args, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - {name: env, type: {list: {elementRelationship: associative, keys: [name], elementType: {map: {fields: [{name: name, type: {scalar: string}}, {name: value, type: {scalar: string}}]}}}}}
    - name: ports
      type:
        list:
          elementRelationship: associative
          keys: [containerPort, protocol]
          elementType: {map: {fields: [{name: containerPort, type: {scalar: numeric}}, {name: protocol, type: {scalar: string}, default: TCP}, {name: name, type: {scalar: string}}]}}
    - {name: resources, type: {map: {fields: [{name: limits, type: {namedType: strings}}, {name: requests, type: {namedType: strings}}]}}}
    - {name: volumeMounts, type: {list: {elementRelationship: associative, keys: [mountPath], elementType: {map: {fields: [{name: mountPath, type: {scalar: string}}, {name: name, type: {scalar: string}}]}}}}}
    - {name: livenessProbe, type: {namedType: any}}
- name: any
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: any}}
  map: {elementType: {namedType: any}}
`
	for _, place := range []string{"SELECTOR", "TEMPLATE", "IMAGE"} {
		with := ""
		if strings.EqualFold(rule, place) {
			with = ", transition: immutable"
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text, " "+place, with), place, with)
	}
	p, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		panic(err)
	}
	return p.Type("deployment")
}

// shop returns a Deployment of 7 kB with 4 containers, each with 12 variables.
func shop(t testing.TB, pt typed.ParseableType, label string) *typed.TypedValue {
	t.Helper()
	labels := func() map[string]any {
		return map[string]any{"app.kubernetes.io/name": "shop", "app.kubernetes.io/part-of": "store", "app.kubernetes.io/component": "backend", "tier": "web"}
	}
	var containers, volumes []any
	for i := range 4 {
		var env []any
		for j := range 12 {
			env = append(env, map[string]any{"name": fmt.Sprintf("CATALOGUE_SETTING_%d", j), "value": fmt.Sprintf("https://settings.example.com/%d/%d", i, j)})
		}
		containers = append(containers, map[string]any{
			"name": fmt.Sprintf("container-%d", i), "image": fmt.Sprintf("registry.example.com/store/image-%d:1.27.3", i),
			"args":          []any{"--verbose=2", "--listen=0.0.0.0:8080", fmt.Sprintf("--shard=%d", i)},
			"env":           env,
			"ports":         []any{map[string]any{"containerPort": int64(8080 + i), "protocol": "TCP", "name": "http"}, map[string]any{"containerPort": int64(9090 + i), "protocol": "TCP", "name": "metrics"}},
			"resources":     map[string]any{"limits": map[string]any{"cpu": "500m", "memory": "256Mi"}, "requests": map[string]any{"cpu": "100m", "memory": "128Mi"}},
			"volumeMounts":  []any{map[string]any{"mountPath": "/etc/config", "name": "config"}, map[string]any{"mountPath": "/var/data", "name": "data"}},
			"livenessProbe": map[string]any{"httpGet": map[string]any{"path": "/healthz", "port": "http", "scheme": "HTTP"}, "periodSeconds": int64(10), "failureThreshold": int64(3)},
		})
		volumes = append(volumes, map[string]any{"name": fmt.Sprintf("volume-%d", i), "configMap": map[string]any{"name": fmt.Sprintf("config-%d", i), "defaultMode": int64(420)}})
	}
	meta := labels()
	meta["label"] = label
	v, err := pt.FromUnstructured(map[string]any{
		"metadata": map[string]any{"name": "shop", "labels": meta},
		"spec": map[string]any{
			"replicas": int64(3), "selector": map[string]any{"matchLabels": labels()},
			"template": map[string]any{"metadata": map[string]any{"labels": labels()}, "spec": map[string]any{
				"serviceAccountName": "shop", "nodeSelector": map[string]any{"kubernetes.io/os": "linux"},
				"containers": containers, "volumes": volumes,
				"tolerations": []any{map[string]any{"key": "dedicated", "operator": "Equal", "value": "web", "effect": "NoSchedule"}},
			}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checked has a type with a transition rule, and an update that the rule allows.
type checked struct {
	name      string
	old, next *typed.TypedValue
}

func checkedUpdates(t testing.TB) (all []checked) {
	for _, mark := range []string{"none", "selector", "image", "template"} {
		pt := workload(mark)
		all = append(all, checked{mark, shop(t, pt, "a"), shop(t, pt, "b")})
	}
	return all
}

// TestCheckTransitionAllocates checks that checking an allowed update allocates no memory.
func TestCheckTransitionAllocates(t *testing.T) {
	for _, c := range checkedUpdates(t) {
		n := allocs.Least(func() {
			if err := c.old.CheckTransition(c.next, typed.TransitionOptions{}); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// BenchmarkCheckTransition measures CheckTransition alone, and after an update that already
// compared the objects. Both objects are plain data that was decoded separately.
func BenchmarkCheckTransition(b *testing.B) {
	for _, c := range checkedUpdates(b) {
		b.Run("Check/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.old.CheckTransition(c.next, typed.TransitionOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	u := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()
	for _, c := range checkedUpdates(b) {
		_, managers, err := u.Update(c.old.Empty(), c.old, "v1", fieldpath.ManagedFields{}, "a")
		if err != nil {
			b.Fatal(err)
		}
		for _, check := range []bool{false, true} {
			name := "Update/" + c.name
			if check {
				name = "UpdateAndCheck/" + c.name
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, _, err := u.Update(c.old, c.next, "v1", managers, "b")
					if err == nil && check {
						err = c.old.CheckTransition(c.next, typed.TransitionOptions{})
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
