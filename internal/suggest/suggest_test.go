// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suggest

import (
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/schema"
)

func TestNearest(t *testing.T) {
	fields := []string{"ports", "selector", "sessionAffinity", "type", "clusterIP"}
	for name, want := range map[string]string{
		"port":            "ports",
		"prots":           "ports",
		"Selector":        "selector",
		"sesionAfinity":   "sessionAffinity",
		"clusterIp":       "clusterIP",
		"typ":             "type",
		"zzz":             "",
		"x":               "",
		"sessionLength":   "",
		"loadBalancer":    "",
		longName("ports"): "",
	} {
		if got := Nearest(name, fields); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"", "", 3, 0}, {"abc", "abc", 3, 0}, {"abc", "abd", 3, 1}, {"abc", "abcd", 3, 1}, {"abc", "bc", 3, 1},
		{"ab", "ba", 3, 1}, {"abcd", "badc", 5, 2}, {"xaby", "xbay", 3, 1}, {"abc", "cab", 5, 2},
		{"a", "abcde", 2, 2}, {"abcde", "a", 2, 2}, {"abc", "xyz", 5, 3}, {"abc", "xyz", 2, 2},
	} {
		if got := distance(c.a, c.b, c.limit); got != c.want {
			t.Errorf("%s and %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func longName(s string) string { return s + strings.Repeat("x", 1000) }

// TestFieldOfValue checks that Field prefers a place that the value has.
func TestFieldOfValue(t *testing.T) {
	s, ref := workloads(t)
	steps := []any{"spec", "template", "spec"}
	for want, pod := range map[string]map[string]any{
		".spec.template.spec.containers[].image":         {"image": "x"},
		".spec.template.spec.sidecar.containers[].image": {"image": "x", "sidecar": map[string]any{"containers": []any{map[string]any{"name": "a"}}}},
	} {
		value := map[string]any{"spec": map[string]any{"template": map[string]any{"spec": pod}}}
		if got := Field(s, ref, value, steps, "image"); got != want {
			t.Errorf("%v: did you mean %q, want %q", pod, got, want)
		}
	}
}

// workload is a schema that is similar to a Deployment. It has fields with the same name at
// several levels, a recursive type, and maps with arbitrary names.
const workload = `types:
- name: workload
  map:
    fields:
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {fields: [{name: labels, type: {map: {elementType: {scalar: string}}}}]}}}
    - {name: spec, type: {namedType: spec}}
- name: spec
  map:
    fields:
    - {name: replicas, type: {scalar: numeric}}
    - {name: template, type: {map: {fields: [{name: spec, type: {namedType: pod}}]}}}
    - {name: "odd.name", type: {map: {fields: [{name: a, type: {scalar: string}}]}}}
    - {name: sets, type: {map: {elementType: {namedType: pod}}}}
- name: pod
  map:
    fields:
    - {name: containers, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: container}}}}
    - {name: nodeName, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: sidecar, type: {namedType: pod}}
- name: container
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: image, type: {scalar: string}}
    - {name: args, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
`

func workloads(t *testing.T) (*schema.Schema, schema.TypeRef) {
	t.Helper()
	s := &schema.Schema{}
	if err := yaml.Unmarshal([]byte(workload), s); err != nil {
		t.Fatal(err)
	}
	name := "workload"
	return s, schema.TypeRef{NamedType: &name}
}

func TestStepsAndField(t *testing.T) {
	s, ref := workloads(t)
	for _, tt := range []struct {
		path  string
		steps []any
		field string // the undeclared field
		want  string // the suggestion
	}{
		{".spec.replica", []any{"spec"}, "replica", "replicas"},
		{".spec.Replicas", []any{"spec"}, "Replicas", "replicas"},
		{".replicas", nil, "replicas", ".spec.replicas"},
		{".spec.kind", []any{"spec"}, "kind", ".kind"}, // a field at the level above is preferred to a field at the level below
		{".image", nil, "image", ".spec.template.spec.containers[].image"},
		{".spec.template.spec.replicas", []any{"spec", "template", "spec"}, "replicas", ".spec.replicas"},
		{`.spec.template.spec.containers[name="a.b]\"[x"].nodeName`, []any{"spec", "template", "spec", "containers", 0}, "nodeName", ".spec.template.spec.nodeName"},
		{".spec.template.spec.containers[0].labels", []any{"spec", "template", "spec", "containers", 0}, "labels", ".metadata.labels"},
		{".spec.odd.name.b", []any{"spec", "odd.name"}, "b", ""},
		{".spec.odd.names", []any{"spec"}, "odd.names", "odd.name"},
		{".spec.sets.a.b.c[x].image", []any{"spec", "sets", "a.b.c[x]"}, "image", ".spec.sets.a.b.c[x].containers[].image"},
		{".spec.template.spec.sidecar.sidecar.IMAGE", []any{"spec", "template", "spec", "sidecar", "sidecar"}, "IMAGE", ".spec.template.spec.sidecar.sidecar.containers[].image"},
		{".spec.zzz", []any{"spec"}, "zzz", ""},
		{".spec.replicas", []any{"spec", "replicas"}, "", ""},
		{`.spec.template.spec.containers[name="x"].args[3]`, []any{"spec", "template", "spec", "containers", 0, "args", 0}, "", ""},
		{`.metadata.labels.a.b/c`, []any{"metadata", "labels", "a.b/c"}, "", ""},
	} {
		steps, field, ok := Steps(s, ref, tt.path)
		if !ok || len(steps)+len(tt.steps) > 0 && !reflect.DeepEqual(steps, tt.steps) || field != tt.field {
			t.Errorf("%s: %v, %q, %t", tt.path, steps, field, ok)
		}
		if field == "" {
			continue
		}
		if got := Field(s, ref, nil, steps, field); got != tt.want {
			t.Errorf("%s: did you mean %q, want %q", tt.path, got, tt.want)
		}
	}
	for _, path := range []string{"spec", "[0]", `[="`} {
		if steps, field, ok := Steps(s, ref, path); ok {
			t.Errorf("%s: %v, %q", path, steps, field)
		}
	}
}

// TestStepsEnd checks that Steps gives up on long paths that have very many possible
// readings.
func TestStepsEnd(t *testing.T) {
	s, ref := workloads(t)
	Steps(s, ref, ".spec.sets"+strings.Repeat(".sidecar.x[", 370))
	if _, _, ok := Steps(s, ref, ".spec.sets"+strings.Repeat(".sidecar", 1_000)); ok {
		t.Error("Steps accepted a path of 8 kB")
	}
}

func TestValue(t *testing.T) {
	s, ref := workloads(t)
	at := func(steps ...any) schema.Atom {
		atom, ok := TypeAt(s, ref, steps)
		if !ok {
			t.Fatalf("no type at %v", steps)
		}
		return atom
	}
	args, containers := at("spec", "template", "spec", "containers", 0, "args"), at("spec", "template", "spec", "containers")
	for _, tt := range []struct {
		want    string
		found   any
		atom    schema.Atom
		repairs []Repair
	}{
		{"number", "3", schema.Atom{}, []Repair{{DropQuotes, "3"}}},
		{"number", "0x1F", schema.Atom{}, []Repair{{DropQuotes, "31"}}},
		{"number", "012", schema.Atom{}, []Repair{{DropQuotes, "10"}}},
		{"number", "1_000", schema.Atom{}, []Repair{{DropQuotes, "1000"}}},
		{"number", "22:30", schema.Atom{}, []Repair{{DropQuotes, "1350"}}},
		{"number", "22:99", schema.Atom{}, nil},
		{"number", "many", schema.Atom{}, nil},
		{"number", ".nan", schema.Atom{}, nil},
		{"number", "true", schema.Atom{}, nil},
		{"boolean", "yes", schema.Atom{}, []Repair{{DropQuotes, "true"}}},
		{"boolean", "off", schema.Atom{}, []Repair{{DropQuotes, "false"}}},
		{"boolean", "3", schema.Atom{}, nil},
		{"string", int64(3), schema.Atom{}, []Repair{{AddQuotes, `"3"`}}},
		{"string", true, schema.Atom{}, []Repair{{YAMLBoolean, ""}, {AddQuotes, `"true"`}}},
		{"string", []any{"a"}, schema.Atom{}, []Repair{{DropList, "a"}}},
		{"string", []any{"a", "b"}, schema.Atom{}, nil},
		{"string", []any{int64(1)}, schema.Atom{}, nil},
		{"string", []any{strings.Repeat("a", 1000)}, schema.Atom{}, nil},
		{"map", []any{map[string]any{"a": "b"}}, schema.Atom{}, []Repair{{DropList, "{a: b}"}}},
		{"list", "x", args, []Repair{{MakeList, "[x]"}}},
		{"list", int64(3), args, nil},
		{"list", map[string]any{"name": "x"}, containers, []Repair{{MakeList, "[{name: x}]"}}},
		{"list", map[string]any{"web": "x"}, containers, nil},
		{"list", "x", schema.Atom{}, nil},
	} {
		if got := Value(tt.want, tt.found, tt.atom, s); !reflect.DeepEqual(got, tt.repairs) {
			t.Errorf("want %s, found %#v: %v, want %v", tt.want, tt.found, got, tt.repairs)
		}
	}
}
