// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

const service = `# a comment
apiVersion: v1
kind: Service
metadata:
  name: web
  labels:
    app.kubernetes.io/name: web
    app: yes
    quoted: "y"
spec:
  finalizers: [a/b, c]
  ports:
  - name: http
    port: 80
  - name: dns
    port: 53
    protocol: UDP
  - port: 53
    name: dns-tcp
    weight: 1.5
`

const serviceJSON = `{"apiVersion": "v1",
 "kind": "Service",
 "spec": {
  "ports": [
   {"port": 80},
   {
    "port": 53, "protocol": "UDP",
    "name": "dns"}
]}}`

const listed = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: A
  x: &shared
    a: 1
- apiVersion: v1
  kind: B
  y:
    <<: *shared
    b: 2
  z: *shared
`

func TestPosition(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		object     int
		path       string
		line       int
	}{
		{"root", service, 0, "", 2},
		{"field", service, 0, ".metadata.name", 5},
		{"dots in a name", service, 0, ".metadata.labels.app.kubernetes.io/name", 7},
		{"name that begins another", service, 0, ".metadata.labels.app", 8},
		{"missing field", service, 0, ".metadata.annotations.x", 4},
		{"list", service, 0, ".spec.ports", 12},
		{"index", service, 0, ".spec.ports[1]", 15},
		{"keys", service, 0, `.spec.ports[port=53,protocol="UDP"].name`, 15},
		{"defaulted key", service, 0, `.spec.ports[port=53,protocol="TCP"].name`, 19},
		{"defaulted key itself", service, 0, `.spec.ports[port=53,protocol="TCP"].protocol`, 18},
		{"float for an integer", service, 0, `.spec.ports[port=80.0,protocol="TCP"]`, 13},
		{"no such item", service, 0, `.spec.ports[port=1,protocol="TCP"]`, 12},
		{"set", service, 0, `.spec.finalizers[="c"]`, 11},
		{"not a path", service, 0, "spec[[", 2},
		{"JSON", serviceJSON, 0, `.spec.ports[port=53,protocol="UDP"].name`, 8},
		{"JSON item", serviceJSON, 0, `.spec.ports[1]`, 6},
		{"item of a list", listed, 0, ".x.a", 7},
		{"merged", listed, 1, ".true.a", 7},
		{"beside merged", listed, 1, ".true.b", 12},
		{"alias", listed, 1, ".z.a", 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			objects, err := manifest.Read("f", []byte(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			if p := objects[tt.object].Position(tt.path); p.Line != tt.line {
				t.Errorf("line %d, want %d", p.Line, tt.line)
			}
		})
	}
}

func TestScalar(t *testing.T) {
	objects, err := manifest.Read("f", []byte(service))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, text string
		plain, ok  bool
	}{
		{".metadata.labels.app", "yes", true, true},
		{".metadata.labels.quoted", "y", false, true},
		{".metadata.labels", "", false, false},
		{".metadata.labels.nope", "", false, false},
	} {
		text, plain, ok := objects[0].Scalar(tt.path)
		if text != tt.text || plain != tt.plain || ok != tt.ok {
			t.Errorf("%s: %q, %t, %t", tt.path, text, plain, ok)
		}
	}
}

// A name with dots and brackets in it is one step.
func TestAt(t *testing.T) {
	objects, err := manifest.Read("f.yaml", []byte(`kind: List
apiVersion: v1
items:
- apiVersion: v1
  kind: Thing
  a:
    b: 1
  a.b:
  - c[0]: 2
    c:
    - 3
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		steps []any
		line  int
	}{
		{nil, 4},
		{[]any{"a", "b"}, 7},
		{[]any{"a.b"}, 8},
		{[]any{"a.b", 0}, 9},
		{[]any{"a.b", 0, "c[0]"}, 9},
		{[]any{"a.b", 0, "c", 0}, 11},
		{[]any{"a.b", 0, "c", 7, "d"}, 10},
		{[]any{"a", "x", "b"}, 6},
	} {
		if got := objects[0].At(c.steps...); got.Line != c.line || got.File != "f.yaml" {
			t.Errorf("%v: got %v, want line %d", c.steps, got, c.line)
		}
	}
}
