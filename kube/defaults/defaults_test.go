// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

var now = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// newest returns the newest release.
func newest(t testing.TB) *Release {
	t.Helper()
	r, err := New(Releases()[len(Releases())-1])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// read decodes YAML.
func read(t testing.TB, text string) any {
	t.Helper()
	docs, err := manifest.ReadValues("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return docs[0]
}

// TestCases fills the objects in a file. It checks which fields the rules fill in, and the
// resulting objects.
func TestCases(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.yaml")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, c := range read(t, string(text)).([]any) {
		c := c.(map[string]any)
		in := c["object"].(map[string]any)
		before := data.Clone(in)
		got := map[string]any{}
		out := newest(t).Fill(in, Options{Now: now, Filled: func(d Default) {
			if d.Rule == "" {
				return
			}
			used[d.Rule] = true
			if got[d.Path.String()] = d.Value; d.Value == nil {
				got[d.Path.String()] = "-"
			}
		}})
		// This map was empty when a rule set it. Later rules may have added entries.
		for path, v := range got {
			if m, ok := v.(map[string]any); ok && path == ".spec.updateStrategy.rollingUpdate" && len(m) > 0 && c["why"] == "a stateful set" {
				got[path] = map[string]any{}
			}
		}
		if g, w := spell(got), spell(c["filled"]); g != w {
			t.Errorf("%s:\ngot  %s\nwant %s", c["why"], g, w)
		}
		if !reflect.DeepEqual(before, in) {
			t.Errorf("%s: the object has changed", c["why"])
		}
		if again := newest(t).Fill(out, Options{Now: now}); !same(out, again) {
			t.Errorf("%s: a second call fills in more: %s", c["why"], spell(again))
		}
	}
	for _, r := range newest(t).Rules() {
		if !used[r.Name] && !slices.ContainsFunc(r.Types, func(name string) bool { return oldType(name) }) {
			t.Errorf("no case has rule %s", r.Name)
		}
	}
}

// oldType reports whether a type has a beta or alpha version. Servers do not serve these
// versions by default.
func oldType(name string) bool {
	return strings.Contains(name, "beta") || strings.Contains(name, "alpha")
}

func spell(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

// same reports whether two maps are the same map in memory.
func same(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// TestTypesOfRulesAreKnown finds misspelt type names: each type of a rule must exist in at
// least one release.
func TestTypesOfRulesAreKnown(t *testing.T) {
	for _, r := range rules {
		for _, name := range r.types {
			if !slices.ContainsFunc(known.All(), func(rel *Release) bool { return rel.table().typeNamed(name) != nil }) {
				t.Errorf("rule %s: no release has the type %s", r.name, name)
			}
		}
	}
}

// TestNothingToFill checks that an object that already has all defaults is returned
// unchanged, with few allocations.
func TestNothingToFill(t *testing.T) {
	pod := read(t, `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: x, ports: [{containerPort: 80}]}]}}`).(map[string]any)
	full := newest(t).Fill(pod, Options{})
	if same(pod, full) {
		t.Fatal("nothing was filled in")
	}
	n := testing.AllocsPerRun(100, func() {
		if !same(full, newest(t).Fill(full, Options{})) {
			t.Fatal("a second call fills in more")
		}
	})
	if n > 60 {
		t.Errorf("%v allocations", n)
	}
	other := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing"}
	if !same(other, newest(t).Fill(other, Options{})) {
		t.Error("an object of an unknown kind changed")
	}
}

// TestOddObjects fills objects with nulls and with values of a wrong type. Fill must
// ignore or default such values as the server's decoder does, without a panic.
func TestOddObjects(t *testing.T) {
	for _, text := range []string{
		`{apiVersion: v1, kind: Pod}`,
		`{apiVersion: v1, kind: Pod, metadata: null, spec: null, status: null}`,
		`{apiVersion: v1, kind: Pod, spec: {containers: [null, 1, [], {}], volumes: {}, initContainers: x, hostNetwork: true}}`,
		`{apiVersion: v1, kind: Pod, spec: [], metadata: 1}`,
		`{apiVersion: v1, kind: Service, spec: {ports: [null, {port: x}], type: 1}}`,
		`{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: []}}`,
		`{apiVersion: batch/v1, kind: Job, spec: {template: []}}`,
	} {
		in := read(t, text).(map[string]any)
		before := data.Clone(in)
		for _, r := range known.All() {
			r.Fill(in, Options{Now: now, Filled: func(d Default) { _ = d.Path.String() }})
		}
		if !reflect.DeepEqual(before, in) {
			t.Errorf("%s has changed", text)
		}
	}
}

// TestValuesAreCopies checks that changing a filled-in value does not change the tables.
func TestValuesAreCopies(t *testing.T) {
	pod := map[string]any{"apiVersion": "v1", "kind": "Pod"}
	first := newest(t).Fill(pod, Options{})
	first["spec"].(map[string]any)["securityContext"].(map[string]any)["runAsUser"] = int64(1)
	second := newest(t).Fill(pod, Options{})
	if len(second["spec"].(map[string]any)["securityContext"].(map[string]any)) > 0 {
		t.Error("changing a filled-in value changed the table")
	}
}

func TestFor(t *testing.T) {
	for _, version := range []string{"1.37", "v1.37.2", "1.37.0"} {
		if r, err := New(version); err != nil || r.minor != "1.37" {
			t.Errorf("%s: %v", version, err)
		}
	}
	for _, version := range []string{"", "1", "1.2", "v2.37.0"} {
		if _, err := New(version); err == nil {
			t.Errorf("%q: New accepts the version", version)
		}
	}
}

// TestPossibleDefaults checks PossibleDefaults of each release.
func TestPossibleDefaults(t *testing.T) {
	all := map[string]string{}
	for _, d := range newest(t).PossibleDefaults("io.k8s.api.apps.v1.Deployment") {
		all[d.Path] = d.Origin.String()
	}
	for path, from := range map[string]string{
		".spec.replicas": "constant",
		".spec.template.spec.containers[].ports[].protocol": "OpenAPI",
		".spec.template.spec.containers[].imagePullPolicy":  "rule image-pull-policy",
	} {
		if all[path] != from {
			t.Errorf("%s: got %q, want %q", path, all[path], from)
		}
	}
	if got := newest(t).PossibleDefaults("no.such.Type"); got != nil {
		t.Errorf("got %v", got)
	}
}

// TestTablesAreWhole checks that the tables are sorted and have no duplicates, because
// the generator writes them in that form.
func TestTablesAreWhole(t *testing.T) {
	for _, minor := range Releases() {
		r, err := New(minor)
		if err != nil {
			t.Fatal(err)
		}
		constants := 0
		for _, name := range slices.Sorted(maps.Keys(r.table().lines)) {
			n := r.table().typeNamed(name)
			seen := map[string]bool{}
			for _, c := range n.constants {
				if at := strings.Join(c.path, "."); seen[at] {
					t.Errorf("%s: %s %s is duplicate", r.minor, name, at)
				} else {
					seen[at] = true
				}
				constants++
			}
		}
		t.Logf("%s: %d kinds, %d types, %d constants", r.Version(), len(r.table().kinds), len(r.table().types), constants)
		if len(r.table().kinds) < 100 || constants < 150 {
			t.Errorf("%s: the table is incomplete", r.minor)
		}
	}
}
