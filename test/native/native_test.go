// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/kube/immutable"
	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/immutable/probe"
)

var programs = flag.String("programs", "", "`folder` with the programs (default: build them)")

// releases returns the Kubernetes releases for which there is a program, oldest first.
func releases(t *testing.T) (all []string) {
	t.Helper()
	folders, err := filepath.Glob("../../kube/native/[0-9]*/go.mod")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, f := range folders {
		all = append(all, filepath.Base(filepath.Dir(f)))
	}
	if testing.Short() {
		all = all[len(all)-1:]
	}
	return all
}

// engine builds the program for a release and returns an Engine that runs it.
func engine(t *testing.T, release string) *native.Engine {
	t.Helper()
	folder := *programs
	if folder == "" {
		folder = t.TempDir()
		build := exec.Command("go", "build", "-o", folder, "./"+native.Name(release))
		build.Dir = filepath.Join("../../kube/native", release)
		build.Env = append(os.Environ(), "GOWORK=")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
	}
	path, err := native.Find(release, folder)
	if err != nil {
		t.Fatal(err)
	}
	e := native.New(path, release, native.Limits{})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e
}

// eachRelease runs a test for each release for which there is a program.
func eachRelease(t *testing.T, f func(t *testing.T, release string, e *native.Engine)) {
	for _, release := range releases(t) {
		t.Run(release, func(t *testing.T) { f(t, release, engine(t, release)) })
	}
}

// objects returns one or more valid objects of each kind of a release.
func objects(t *testing.T, release string) (all []map[string]any) {
	t.Helper()
	files, err := filepath.Glob("../immutable/testdata/objects/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no objects: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range strings.Split(string(data), "\n---\n") {
			if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# ") {
				if _, holds := probe.OfRelease(strings.TrimPrefix(first, "# "), release); !holds {
					continue
				}
			}
			var object map[string]any
			if err := yaml.Unmarshal([]byte(text), &object); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if object != nil {
				all = append(all, object)
			}
		}
	}
	return all
}

func send(t *testing.T, e *native.Engine, r *native.Request) *native.Response {
	t.Helper()
	response, err := e.Ask(r)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// behindGate reports whether a version is not stable. Such a version may need a feature gate
// that is off by default.
func behindGate(apiVersion string) bool {
	return strings.Contains(apiVersion, "alpha") || strings.Contains(apiVersion, "beta")
}

func name(object map[string]any) string {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	return apiVersion + " " + kind
}

// TestValidObjects creates a valid object of each kind. Then it applies and updates the stored
// object. Neither request may change the object.
func TestValidObjects(t *testing.T) {
	eachRelease(t, func(t *testing.T, release string, e *native.Engine) {
		types, err := openapi.BuiltinRelease(release, openapi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		asked := map[string]bool{}
		for _, object := range objects(t, release) {
			if _, ok := types.Type(object["apiVersion"].(string), object["kind"].(string)); !ok {
				continue
			}
			created := send(t, e, &native.Request{Verb: native.Create, Object: object})
			if created.Unknown && behindGate(name(object)) {
				continue
			}
			if created.Object == nil {
				t.Errorf("%s: creating the object: unknown kind %v, status %+v", name(object), created.Unknown, created.Status)
				continue
			}
			asked[name(object)] = true
			for _, verb := range []native.Verb{native.Update, native.Apply} {
				again := send(t, e, &native.Request{Verb: verb, Object: created.Object, Live: created.Object})
				if again.Status != nil || !reflect.DeepEqual(again.Object, created.Object) {
					t.Errorf("%s: %s of the stored object changes it: %+v\nwant %v", name(object), verb, again, created.Object)
				}
			}
		}
		t.Logf("%d kinds", len(asked))
	})
}

// TestEveryKind checks that the program knows all kinds that its release stores, and all
// subresources of these kinds.
func TestEveryKind(t *testing.T) {
	eachRelease(t, func(t *testing.T, release string, e *native.Engine) {
		types, err := openapi.BuiltinRelease(release, openapi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		stored, err := immutable.New(release)
		if err != nil {
			t.Fatal(err)
		}
		kinds := 0
		for _, k := range types.Kinds() {
			if k.Source != "" || !stored.Knows(k.APIVersion, k.Kind) {
				continue
			}
			if !behindGate(k.APIVersion) {
				kinds++
			}
			object := map[string]any{"apiVersion": k.APIVersion, "kind": k.Kind, "metadata": map[string]any{"name": "x", "namespace": "x"}}
			if send(t, e, &native.Request{Verb: native.Create, Object: object}).Unknown {
				if !behindGate(k.APIVersion) {
					t.Errorf("%s %s is not known", k.APIVersion, k.Kind)
				}
				continue
			}
			for _, subresource := range k.Subresources {
				if subresource == "scale" {
					scale := map[string]any{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": object["metadata"], "spec": map[string]any{"replicas": int64(3)}}
					if send(t, e, &native.Request{Verb: native.Update, Subresource: subresource, Object: scale, Live: object}).Unknown {
						t.Errorf("%s %s: the subresource scale is not known", k.APIVersion, k.Kind)
					}
				}
				if !wholeObject[subresource] {
					continue
				}
				if send(t, e, &native.Request{Verb: native.Update, Subresource: subresource, Object: object, Live: object}).Unknown {
					t.Errorf("%s %s: the subresource %s is not known", k.APIVersion, k.Kind, subresource)
				}
			}
		}
		t.Logf("%d kinds", kinds)
	})
}

// wholeObject has the subresources to which clients send the whole object. To all other
// subresources, clients send an object of another kind, such as an Eviction.
var wholeObject = map[string]bool{"status": true, "approval": true, "finalize": true, "ephemeralcontainers": true, "resize": true}

// TestDefault checks that Default only sets defaults. It must change and validate nothing else.
func TestDefault(t *testing.T) {
	eachRelease(t, func(t *testing.T, release string, e *native.Engine) {
		for _, object := range objects(t, release) {
			first := send(t, e, &native.Request{Verb: native.Default, Object: object})
			if first.Unknown && behindGate(name(object)) {
				continue
			}
			if first.Object == nil {
				t.Errorf("%s: %+v", name(object), first)
				continue
			}
			if again := send(t, e, &native.Request{Verb: native.Default, Object: first.Object}); !reflect.DeepEqual(again.Object, first.Object) {
				t.Errorf("%s: defaults of the defaulted object: %v\nwant %v", name(object), again.Object, first.Object)
			}
		}
		got := send(t, e, &native.Request{Verb: native.Default, Object: map[string]any{
			"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p", "labels": map[string]any{"empty": ""}}, "spec": map[string]any{"containers": []any{map[string]any{"name": ""}}},
		}})
		metadata, _ := got.Object["metadata"].(map[string]any)
		spec, _ := got.Object["spec"].(map[string]any)
		if spec["restartPolicy"] != "Always" || spec["tolerations"] != nil || !reflect.DeepEqual(metadata, map[string]any{"name": "p", "labels": map[string]any{"empty": ""}}) {
			t.Errorf("want only defaults in an invalid Pod, got %+v", got)
		}
	})
}

// TestScale checks that a request to the subresource scale returns the whole object with new
// replicas.
func TestScale(t *testing.T) {
	eachRelease(t, func(t *testing.T, release string, e *native.Engine) {
		scaled := 0
		for _, object := range objects(t, release) {
			kind, _ := object["kind"].(string)
			if apiVersion := object["apiVersion"]; apiVersion != "apps/v1" && apiVersion != "v1" || !slices.Contains([]string{"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"}, kind) {
				continue
			}
			scaled++
			live := send(t, e, &native.Request{Verb: native.Create, Object: object}).Object
			scale := func(replicas int64) *native.Response {
				return send(t, e, &native.Request{Verb: native.Update, Subresource: "scale", Live: live, Object: map[string]any{
					"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": live["metadata"].(map[string]any)["name"]}, "spec": map[string]any{"replicas": replicas},
				}})
			}
			got := scale(17)
			spec, _ := got.Object["spec"].(map[string]any)
			metadata, _ := got.Object["metadata"].(map[string]any)
			if got.Object["kind"] != kind || spec["replicas"] != int64(17) || metadata["generation"] != int64(2) {
				t.Errorf("%s: %+v", name(object), got)
			}
			if refused := scale(-1); refused.Status == nil || refused.Status.Code != 422 || !strings.HasPrefix(refused.Status.Message, "Scale.autoscaling ") {
				t.Errorf("%s: want a rejection of negative replicas, got %+v", name(object), refused.Status)
			}
		}
		if scaled < 4 {
			t.Errorf("%d kinds", scaled)
		}
	})
}

// TestServersChoice checks that responses contain no values that only a server can choose, such
// as addresses.
func TestServersChoice(t *testing.T) {
	eachRelease(t, func(t *testing.T, _ string, e *native.Engine) {
		meta := map[string]any{"name": "x", "namespace": "x"}
		service := send(t, e, &native.Request{Verb: native.Apply, Object: map[string]any{
			"apiVersion": "v1", "kind": "Service", "metadata": meta,
			"spec": map[string]any{"type": "NodePort", "ports": []any{map[string]any{"port": int64(80)}, map[string]any{"name": "b", "port": int64(81), "nodePort": int64(30001)}}},
		}})
		if service.Status == nil {
			t.Errorf("want a rejection of two ports of which one has no name, got %v", service)
		}
		service = send(t, e, &native.Request{Verb: native.Apply, Object: map[string]any{
			"apiVersion": "v1", "kind": "Service", "metadata": meta,
			"spec": map[string]any{"type": "NodePort", "ports": []any{map[string]any{"name": "a", "port": int64(80)}, map[string]any{"name": "b", "port": int64(81), "nodePort": int64(30001)}}},
		}})
		spec, _ := service.Object["spec"].(map[string]any)
		for _, field := range []string{"clusterIP", "clusterIPs", "ipFamilies"} {
			if spec[field] != nil {
				t.Errorf("%s is %v", field, spec[field])
			}
		}
		ports, _ := spec["ports"].([]any)
		if len(ports) != 2 || ports[0].(map[string]any)["nodePort"] != nil || ports[1].(map[string]any)["nodePort"] != int64(30001) {
			t.Errorf("want only the node port of the request, got ports %v", ports)
		}
		headless := send(t, e, &native.Request{Verb: native.Apply, Object: map[string]any{
			"apiVersion": "v1", "kind": "Service", "metadata": meta,
			"spec": map[string]any{"clusterIP": "None", "clusterIPs": []any{}, "ports": []any{map[string]any{"port": int64(80)}}},
		}})
		spec, _ = headless.Object["spec"].(map[string]any)
		if ips, _ := spec["clusterIPs"].([]any); len(ips) != 1 || ips[0] != "None" {
			t.Errorf("want the clusterIP of the request in clusterIPs, got %v", spec["clusterIPs"])
		}
		job := send(t, e, &native.Request{Verb: native.Apply, Object: map[string]any{
			"apiVersion": "batch/v1", "kind": "Job", "metadata": meta,
			"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
				"restartPolicy": "Never", "containers": []any{map[string]any{"name": "c", "image": "i"}},
			}}},
		}})
		spec, _ = job.Object["spec"].(map[string]any)
		labels, _ := spec["template"].(map[string]any)["metadata"].(map[string]any)["labels"].(map[string]any)
		if spec["selector"] != nil || len(labels) != 2 || labels["job-name"] != "x" {
			t.Errorf("want no selector and only two labels in the Job, got selector %v, labels %v", spec["selector"], labels)
		}
	})
}
