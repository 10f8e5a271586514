// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/typed"
)

// withTemplate returns an object of 5 kB. Most of it is its template.
func withTemplate(replicas int64) map[string]any {
	var containers []any
	for i := range 4 {
		var env []any
		for j := range 12 {
			env = append(env, map[string]any{"name": fmt.Sprintf("CATALOGUE_SETTING_%d", j), "value": fmt.Sprintf("https://settings.example.com/%d/%d", i, j)})
		}
		containers = append(containers, map[string]any{
			"name": fmt.Sprintf("container-%d", i), "image": "registry.example.com/store/image:1.27.3",
			"args": []any{"--verbose=2", "--listen=0.0.0.0:8080"}, "env": env,
		})
	}
	return map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "x", "namespace": "y"}, "spec": map[string]any{
		"replicas": replicas, "selector": map[string]any{"matchLabels": map[string]any{"app": "shop", "tier": "web", "part-of": "store", "env": "prod"}},
		"template": map[string]any{"containers": containers},
	}}
}

// templates is a schema with an immutable pod template.
const templates = `types:
- name: w
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {elementType: {scalar: string}}}}
    - name: spec
      type:
        map:
          fields:
          - {name: replicas, type: {scalar: numeric}}
          - {name: selector, type: {map: {elementType: {map: {elementType: {scalar: string}}}}}}
          - name: template
            type: {namedType: t, transition: immutable}
- name: t
  map:
    fields:
    - {name: containers, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: c}}}}
- name: c
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: image, type: {scalar: string}}
    - {name: args, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - {name: env, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: e}}}}
- name: e
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: value, type: {scalar: string}}
`

// BenchmarkUpdateImmutable measures an update of one number outside the immutable template, with and
// without the check of immutable fields.
func BenchmarkUpdateImmutable(b *testing.B) {
	p, err := typed.NewParser(templates)
	if err != nil {
		b.Fatal(err)
	}
	pt := p.Type("w")
	for _, check := range []bool{false, true} {
		b.Run(fmt.Sprintf("check=%v", check), func(b *testing.B) {
			m, err := fieldmanager.New(fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return pt, nil }, CheckTransitions: check})
			if err != nil {
				b.Fatal(err)
			}
			r, err := m.Update(nil, withTemplate(1), "a")
			if err != nil {
				b.Fatal(err)
			}
			live := r.Object
			next := withTemplate(2)
			next["metadata"] = live["metadata"]
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Update(live, next, "b"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
