// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func TestRewritten(t *testing.T) {
	const in = `# top
kind: A # tail
apiVersion: v1

metadata: {name: x, labels: {a: "1", b: "2"}} # flow
# about spec
spec:
  replicas: 3 # three
  "on": "yes"
  # the ports
  ports:
  - name: a # first
    port: 80
  # second
  - port: 81
  - port: 82 # third
  text: |
    more
    lines
`
	set := func(m map[string]any, name string, v any) { m[name] = v }
	for _, c := range []struct {
		name   string
		change func(o, spec map[string]any)
		want   string
	}{
		{"nothing", func(o, spec map[string]any) {}, `# top
kind: A # tail
apiVersion: v1
metadata: {name: x, labels: {a: "1", b: "2"}} # flow
# about spec
spec:
  replicas: 3 # three
  "on": "yes"
  # the ports
  ports:
  - name: a # first
    port: 80
  # second
  - port: 81
  - port: 82 # third
  text: |
    more
    lines
`},
		{"fields and items", func(o, spec map[string]any) {
			o["metadata"] = map[string]any{"name": "x", "labels": map[string]any{"b": "3", "c": "no"}}
			set(spec, "replicas", int64(2))
			set(spec, "ports", []any{map[string]any{"port": int64(80)}, map[string]any{"port": int64(82)}})
			delete(spec, "text")
		}, `# top
kind: A # tail
apiVersion: v1
metadata: {name: x, labels: {b: "3", c: "no"}} # flow
# about spec
spec:
  replicas: 2 # three
  "on": "yes"
  # the ports
  ports:
  - port: 80
  - port: 82 # third
`},
		{"another kind of value", func(o, spec map[string]any) {
			set(spec, "replicas", map[string]any{"a": nil})
			set(spec, "ports", []any{})
			set(spec, "text", []any{"x", "y: z"})
			delete(o, "metadata")
		}, `# top
kind: A # tail
apiVersion: v1
# about spec
spec:
  replicas:
    a: null
  "on": "yes"
  # the ports
  ports: []
  text:
  - x
  - 'y: z'
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			object, content := readOne(t, in), readOne(t, in).Content
			c.change(content, content["spec"].(map[string]any))
			got, err := object.Rewritten(content)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func readOne(t *testing.T, text string) *manifest.Object {
	t.Helper()
	objects, err := manifest.Read("f.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects[0]
}

func TestRewrittenRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"JSON":   `{"kind": "A", "apiVersion": "v1", "spec": {"x": 1}}`,
		"a List": "kind: List\napiVersion: v1\nitems:\n- kind: A\n  apiVersion: v1\n  spec: {x: 1}\n",
		"merged": "kind: A\napiVersion: v1\nbase: &b {x: 1}\nspec:\n  <<: *b\n  y: 1\n",
	} {
		object := readOne(t, in)
		content := readOne(t, in).Content
		delete(content["spec"].(map[string]any), "x")
		if got, err := object.Rewritten(content); err == nil {
			t.Errorf("%s: got %s", name, got)
		}
	}
}
