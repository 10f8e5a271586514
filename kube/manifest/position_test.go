// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
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

// A field name that contains dots and brackets is a single step.
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

// With an index, the lookup in a list must find the same item as a linear search. Some
// items lack a key, have a null key, or have the same keys as another item.
func TestPositionsInLongLists(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	number := func() string { return strconv.Itoa(r.IntN(60)) }
	var items []string
	for range 400 {
		item := "{" + `"c":1`
		if r.IntN(20) > 0 {
			item += `,"port":` + pick(number(), number(), number()+".0", `"`+number()+`"`, number()+".5", "null", "true")
		}
		if r.IntN(3) > 0 {
			item += `,"protocol":` + pick(`"TCP"`, `"UDP"`, "null", "[]")
		}
		items = append(items, "\n"+pick(item+"}", item+"}", item+"}", number(), `"`+number()+`"`))
	}
	data := []byte(`{"apiVersion":"v1","kind":"A","x":[` + strings.Join(items, ",") + "]}")
	read := func() *manifest.Object {
		objects, err := manifest.Read("f", data)
		if err != nil {
			t.Fatal(err)
		}
		return objects[0]
	}
	many := read()
	found := 0
	for range 600 {
		port := pick(number(), number(), `"`+number()+`"`, number()+".5", "true", "null", "t")
		path := pick(".x[port="+port+`,protocol="TCP"]`, ".x[port="+port+"]", `.x[protocol="UDP"]`, ".x[="+port+"]", ".x["+number()+"]", ".x[=1,=2]", ".x[no=1]", ".x[500]")
		got, want := many.Position(path), read().Position(path)
		if got != want {
			t.Fatalf("%s: got %v, want %v", path, got, want)
		}
		if want.Line > 1 {
			found++
		}
	}
	if found < 200 {
		t.Errorf("only %d found", found)
	}
}

// TestPathTo checks paths whose keys identify several items.
func TestPathTo(t *testing.T) {
	objects, err := manifest.Read("f.yaml", []byte(`
apiVersion: v1
kind: List2
items: {a.b: [{name: x, ports: [{port: 1, v: a}, {port: 1, v: b}]}, {name: x, ports: [{port: 1, v: c}]}, {name: y, ports: []}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, value, want string }{
		{`.items.a.b[name="x"].ports[port=1].v`, "a", `.items.a.b[0].ports[0].v`},
		{`.items.a.b[name="x"].ports[port=1].v`, "b", `.items.a.b[0].ports[1].v`},
		{`.items.a.b[name="x"].ports[port=1].v`, "c", `.items.a.b[1].ports[port=1].v`},
		{`.items.a.b[name="x"].ports[port=1].v`, "d", `.items.a.b[name="x"].ports[port=1].v`},
		{`.items.a.b[0].ports[port=1].v`, "b", `.items.a.b[0].ports[1].v`},
		{`.items.a.b[name="y"].name`, "y", `.items.a.b[name="y"].name`},
		{`.items.a.b[9].name`, "y", `.items.a.b[9].name`},
		{`.kind[`, "y", `.kind[`},
		{``, "y", ``},
	} {
		if got := objects[0].PathTo(c.path, func(v any) bool { return v == c.value }); got != c.want {
			t.Errorf("%s to %s: got %s, want %s", c.path, c.value, got, c.want)
		}
	}
	many := "apiVersion: v1\nkind: L\nitems:\n" + strings.Repeat("- {k: 1, v: a}\n", 300) + "- {k: 1, v: b}\n"
	objects, err = manifest.Read("f.yaml", []byte(many))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	if got := objects[0].PathTo(".items[k=1].v", func(v any) bool { tried++; return v == "b" }); got != ".items[k=1].v" || tried > 200 {
		t.Errorf("got %s after %d values, want the same path after 200", got, tried)
	}
}
