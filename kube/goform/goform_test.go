// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/goform"
)

// TestNormalise has one case for each kind of change. Tests in test/builtin compare the
// results with Kubernetes' own types.
func TestNormalise(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"what is always written", `{"kind":"ReplicaSet","apiVersion":"apps/v1"}`,
			`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}}},"status":{"replicas":0}}`},
		{"zero values and null go", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"generateName":"","creationTimestamp":null,"labels":{}},"data":null,"immutable":null}`,
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}`},
		{"a pointer keeps a zero value", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"immutable":false}`,
			`{"apiVersion":"v1","immutable":false,"kind":"ConfigMap","metadata":{}}`},
		{"null in maps and lists", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"finalizers":[null]},"data":{"a":null},"binaryData":{"b":null,"c":"ZGF0YR=="}}`,
			`{"apiVersion":"v1","binaryData":{"b":null,"c":"ZGF0YQ=="},"data":{"a":""},"kind":"ConfigMap","metadata":{"finalizers":[""]}}`},
		{"quantities and times", `{"kind":"PersistentVolume","apiVersion":"v1","metadata":{"creationTimestamp":"2026-03-01T11:00:00.5+01:00"},"spec":{"capacity":{"storage":"1024Ki","x":0.5}}}`,
			`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"creationTimestamp":"2026-03-01T10:00:00Z"},"spec":{"capacity":{"storage":"1Mi","x":"500m"}},"status":{}}`},
		{"whole numbers", `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"generation":2.0},"spec":{"leaseTransitions":1e3}}`,
			`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"generation":2},"spec":{"leaseTransitions":1000}}`},
		{"what cannot be decoded stays", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":5,"labels":[],"creationTimestamp":"today"},"spec":{"containers":{"a":1},"priority":1.5},"status":"x"}`,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"today","labels":[],"name":5},"spec":{"containers":{"a":1},"priority":1.5},"status":"x"}`},
		{"schemas", `{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","spec":{"versions":[{"schema":{"openAPIV3Schema":{"default":{"a":null},"items":{"type":"string","x":1},"additionalProperties":true,"dependencies":{"a":["b"],"c":5}}}}]}}`,
			`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{},"spec":{"group":"","names":{"kind":"","plural":""},"scope":"","versions":[{"name":"","schema":{"openAPIV3Schema":{"additionalProperties":true,"default":{"a":null},"dependencies":{"a":["b"],"c":null},"items":{"type":"string"}}},"served":false,"storage":false}]},"status":{"acceptedNames":{"kind":"","plural":""},"conditions":null,"storedVersions":null}}`},
		{"another kind", `{"kind":"Pod","apiVersion":"example.com/v1","metadata":null}`, `{"apiVersion":"example.com/v1","kind":"Pod","metadata":null}`},
	} {
		if got := normalised(t, c.in, (*goform.Release).Normalise); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestWithTypes normalises objects of another release. Fields that the Go types lack must
// stay, and only fields that the other release declares may be added.
func TestWithTypes(t *testing.T) {
	in := `{"kind":"Pod","apiVersion":"v1","spec":{"new":{"x":1},"containers":[{"name":"c","image":"i","new":"1024Mi","resources":{"limits":{"cpu":"1000m"}}}]}}`
	got := normalised(t, in, func(r *goform.Release, object map[string]any) (map[string]any, []goform.DroppedField) {
		return r.WithTypes(func(apiVersion, kind string, path fieldpath.Path) bool {
			return apiVersion == "v1" && kind == "Pod" && path.String() != ".status"
		}).Normalise(object)
	})
	want := `{"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{"containers":[{"image":"i","name":"c","new":"1024Mi","resources":{"limits":{"cpu":"1"}}}],"new":{"x":1}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestStored checks values that protocol buffers cannot distinguish, such as an empty and
// an absent list.
func TestStored(t *testing.T) {
	in := `{"kind":"ReplicaSet","apiVersion":"apps/v1","metadata":{},"spec":{"selector":{},"template":{"metadata":{},"spec":{"containers":[]}}},"status":{"replicas":0}}`
	if got := normalised(t, in, (*goform.Release).Normalise); !strings.Contains(got, `"containers":[]`) {
		t.Error(got)
	}
	if got := normalised(t, in, (*goform.Release).Stored); !strings.Contains(got, `"containers":null`) {
		t.Error(got)
	}
}

// TestFillNulls checks that only nulls in maps and lists change, and that FillNulls
// and Stored set the same values in their place.
func TestFillNulls(t *testing.T) {
	fill := func(r *goform.Release, object map[string]any) (map[string]any, []goform.DroppedField) {
		return r.FillNulls(object), nil
	}
	for name, c := range map[string]struct{ in, want string }{
		"texts and bytes": {`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":null,"labels":{"a":null,"b":"x"},"finalizers":[null,"f"]},"data":{"a":null},"binaryData":{"b":null}}`,
			`{"apiVersion":"v1","binaryData":{"b":""},"data":{"a":""},"kind":"ConfigMap","metadata":{"finalizers":["","f"],"labels":{"a":"","b":"x"},"name":null}}`},
		"quantities, and the spelling of others": {`{"kind":"Pod","apiVersion":"v1","spec":{"containers":[null,{"args":[null],"resources":{"limits":{"cpu":null,"memory":"1024Mi"}}}]}}`,
			`{"apiVersion":"v1","kind":"Pod","spec":{"containers":[null,{"args":[""],"resources":{"limits":{"cpu":"0","memory":"1024Mi"}}}]}}`},
		"lists in a map": {`{"kind":"CertificateSigningRequest","apiVersion":"certificates.k8s.io/v1","spec":{"extra":{"a":null,"b":[null]}}}`,
			`{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","spec":{"extra":{"a":[],"b":[""]}}}`},
		"unknown fields and kinds": {`{"kind":"ConfigMap","apiVersion":"v1","unknown":{"a":null}}`, `{"apiVersion":"v1","kind":"ConfigMap","unknown":{"a":null}}`},
		"another kind":             {`{"kind":"ConfigMap","apiVersion":"example.com/v1","data":{"a":null}}`, `{"apiVersion":"example.com/v1","data":{"a":null},"kind":"ConfigMap"}`},
		"values of another shape":  {`{"kind":"ConfigMap","apiVersion":"v1","data":[null],"metadata":{"finalizers":{"a":null}}}`, `{"apiVersion":"v1","data":[null],"kind":"ConfigMap","metadata":{"finalizers":{"a":null}}}`},
	} {
		if got := normalised(t, c.in, fill); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

func normalised(t *testing.T, text string, how func(*goform.Release, map[string]any) (map[string]any, []goform.DroppedField)) string {
	t.Helper()
	var in, before map[string]any
	for _, to := range []*map[string]any{&in, &before} {
		if err := json.Unmarshal([]byte(text), to); err != nil {
			t.Fatal(err)
		}
	}
	release, err := goform.New("v1.37.0")
	if err != nil {
		t.Fatal(err)
	}
	out, _ := how(release, in)
	if !reflect.DeepEqual(in, before) {
		t.Errorf("the argument changed: %s", text)
	}
	again, _ := how(release, out)
	if reflect.ValueOf(again).Pointer() != reflect.ValueOf(out).Pointer() {
		t.Errorf("an unchanged object was copied: %s", text)
	}
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestDeepObjects(t *testing.T) {
	release, err := goform.New("1.37")
	if err != nil {
		t.Fatal(err)
	}
	schema := map[string]any{}
	for range 100_000 {
		schema = map[string]any{"not": schema}
	}
	release.Normalise(map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"spec": map[string]any{"versions": []any{map[string]any{"schema": map[string]any{"openAPIV3Schema": schema}}}}})
}

// FuzzNormalise normalises each result a second time. The second call must not change
// anything, except for pointer fields whose value Go writes as null.
func FuzzNormalise(f *testing.F) {
	f.Add("v1", "Pod", `{"metadata":{"labels":5},"spec":{"containers":[null,{},3,{"name":null,"resources":{"limits":{"cpu":[],"m":"1.5Ki"}}}],"x":1}}`)
	f.Add("apps/v1", "Deployment", `{"spec":{"replicas":1.5,"strategy":{"rollingUpdate":{"maxSurge":true}},"template":[]}}`)
	f.Add("apiextensions.k8s.io/v1", "CustomResourceDefinition", `{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":[],"additionalProperties":null,"dependencies":{"a":[1],"b":{}}}}}]}}`)
	release, err := goform.New("1.37")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, apiVersion, kind, text string) {
		var object map[string]any
		if json.Unmarshal([]byte(text), &object) != nil || object == nil {
			return
		}
		object["apiVersion"], object["kind"] = apiVersion, kind
		for _, form := range []func(map[string]any) (map[string]any, []goform.DroppedField){release.Normalise, release.Stored} {
			first, _ := form(object)
			again, dropped := form(first)
			if len(dropped) > 0 {
				t.Errorf("%s: a second call drops more fields: %v", text, dropped)
			}
			if third, _ := form(again); !reflect.DeepEqual(third, again) {
				t.Errorf("%s: it changes again", text)
			}
		}
	})
}

// TestTables checks that each release's table contains all types that it refers to.
func TestTables(t *testing.T) {
	for _, minor := range goform.Releases() {
		release, err := goform.New(minor)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(release.Version(), "v"+minor+".") {
			t.Errorf("%s has the table of %s", minor, release.Version())
		}
		known := release.Kinds()
		if len(known) < 250 {
			t.Errorf("%s has %d kinds", minor, len(known))
		}
		for _, k := range known {
			apiVersion, kind, _ := strings.Cut(k, " ")
			if !release.Knows(apiVersion, kind) {
				t.Errorf("%s does not know %s", minor, k)
			}
			release.Normalise(map[string]any{"apiVersion": apiVersion, "kind": kind})
		}
	}
	if _, err := goform.New("1.20"); err == nil {
		t.Error("1.20 is known")
	}
}

func BenchmarkNormalise(b *testing.B) {
	var in map[string]any
	if err := json.Unmarshal([]byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app":"web"}},
		"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[
		{"name":"web","image":"web:1","ports":[{"containerPort":80}],"resources":{"limits":{"memory":"1024Mi"}}}]}}}}`), &in); err != nil {
		b.Fatal(err)
	}
	release, err := goform.New("1.37")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		release.Normalise(in)
	}
}

// TestLike checks that skipping parts shared with a normalised object does not change the
// result.
func TestLike(t *testing.T) {
	release, err := goform.New("1.37")
	if err != nil {
		t.Fatal(err)
	}
	var live map[string]any
	if err := json.Unmarshal([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"b"}},"spec":{"hostNetwork":false,"containers":[
		{"name":"a","env":[{"name":"A","value":""}],"resources":{"limits":{"cpu":"1000m"}}},{"name":"b","command":[]}]}}`), &live); err != nil {
		t.Fatal(err)
	}
	live, _ = release.Stored(live)
	for _, form := range []struct {
		whole, like func(map[string]any) (map[string]any, []goform.DroppedField)
	}{
		{release.Normalise, func(o map[string]any) (map[string]any, []goform.DroppedField) { return release.NormaliseLike(o, live) }},
		{release.Stored, func(o map[string]any) (map[string]any, []goform.DroppedField) { return release.StoredLike(o, live) }},
	} {
		containers := live["spec"].(map[string]any)["containers"].([]any)
		for _, spec := range []map[string]any{
			live["spec"].(map[string]any),
			{"containers": containers, "hostIPC": false},
			{"containers": []any{containers[0], map[string]any{"name": "c", "unknown": 1}}},
			{"containers": []any{containers[1], containers[0]}},
			{"containers": []any{}},
		} {
			object := map[string]any{"kind": "Pod", "apiVersion": "v1", "metadata": live["metadata"], "spec": spec}
			want, lost := form.whole(object)
			got, dropped := form.like(object)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(dropped, lost) {
				t.Errorf("got %v, %v, want %v, %v", got, dropped, want, lost)
			}
		}
		if got, _ := form.like(live); reflect.ValueOf(got).Pointer() != reflect.ValueOf(live).Pointer() {
			t.Error("the object itself was copied")
		}
	}
}
