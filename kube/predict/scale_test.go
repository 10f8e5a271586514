// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// counted is a definition whose replicas are in the field count.
type counted struct{ knob }

func (counted) ReplicasPath() fieldpath.Path { return fieldpath.MakePathOrDie("spec", "count") }

// scaleTo returns a Scale of the object with the name a.
func scaleTo(replicas any) map[string]any {
	return map[string]any{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": "a", "namespace": "b"}, "spec": map[string]any{"replicas": replicas}}
}

// A request to scale is merged as a Scale object, in which only the replicas have owners.
func TestScaleOwners(t *testing.T) {
	builtin, err := openapi.BuiltinRelease("1.37", openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	deployments := &predict.Server{FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(builtin.Type)}, Kind: builtin.Kind}
	const (
		selector = `"f:selector":{}`
		at       = `"time":"2026-01-01T00:00:00Z"`
	)
	entry := func(manager, operation, fields string, more ...string) string {
		return `{"apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{` + fields + `}},"manager":"` + manager + `","operation":"` + operation + `"` +
			strings.Join(append([]string{""}, more...), ",") + `}`
	}
	for _, c := range []struct {
		what, before string
		replicas     int64
		after        string
		unchanged    bool
	}{
		{"others lose what it sets", entry("creator", "Update", `"f:replicas":{},`+selector, at), 3,
			entry("scaler", "Update", `"f:replicas":{}`, `"subresource":"scale"`) + "," + entry("creator", "Update", selector, at), false},
		{"who has nothing else has no entry", entry("gitops", "Apply", `"f:replicas":{}`, at), 3,
			entry("scaler", "Update", `"f:replicas":{}`, `"subresource":"scale"`), false},
		{"nobody owns them", entry("gitops", "Apply", selector, at), 3, entry("gitops", "Apply", selector, at), false},
		{"nobody owns anything", "", 3, "", false},
		{"who updated keeps them in an entry of its own", entry("creator", "Update", `"f:replicas":{},`+selector, at), 2,
			entry("creator", "Update", `"f:replicas":{}`) + "," + entry("creator", "Update", selector, at), false},
		{"who applied keeps them", entry("gitops", "Apply", `"f:replicas":{},`+selector, at), 2, entry("gitops", "Apply", `"f:replicas":{},`+selector, at), true},
		{"the scaler keeps them", entry("scaler", "Update", `"f:replicas":{}`, `"subresource":"scale"`), 2, entry("scaler", "Update", `"f:replicas":{}`, `"subresource":"scale"`), true},
	} {
		t.Run(c.what, func(t *testing.T) {
			read := func(replicas int64, managed string) (o map[string]any) {
				text := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"b","uid":"1","managedFields":[` + managed + `]},"spec":{}}`
				if err := json.Unmarshal([]byte(text), &o); err != nil {
					t.Fatal(err)
				}
				o["spec"].(map[string]any)["replicas"] = replicas
				if managed == "" {
					delete(o["metadata"].(map[string]any), "managedFields")
				}
				return o
			}
			got, err := deployments.Predict(&predict.Request{
				Subresource: "scale", Manager: "scaler", Time: time.Unix(1_800_000_000, 0), Live: read(2, c.before), Object: scaleTo(c.replicas),
			})
			if err != nil {
				t.Fatal(err)
			}
			metadata := func(o map[string]any) any { return o["metadata"].(map[string]any)["managedFields"] }
			want, managed := metadata(read(0, c.after)), metadata(got.Object)
			if !reflect.DeepEqual(managed, want) || got.Changed == c.unchanged {
				t.Errorf("changed %v, got %v, want %v", got.Changed, managed, want)
			}
		})
	}
}

// A request to scale sets the replicas of a custom resource at the path in its definition. If the
// replicas have no owner, the request must add no owner.
func TestScaleOfCustomResources(t *testing.T) {
	live := map[string]any{"apiVersion": "example.com/v2", "kind": "Knob", "spec": map[string]any{"count": int64(1), "mode": "a"}, "metadata": map[string]any{"name": "a", "managedFields": []any{
		map[string]any{"apiVersion": "example.com/v2", "manager": "gitops", "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:spec": map[string]any{"f:mode": map[string]any{}}}},
	}}}
	for _, c := range []struct {
		d            predict.Definition
		subresources []string
		err          string
	}{
		{counted{}, []string{"scale", "status"}, ""},
		{counted{}, []string{"status"}, `the server could not find the requested resource: example.com/v2 Knob has no subresource "scale"; the subresources of this kind are status`},
		{nil, []string{"scale"}, "the CustomResourceDefinition of example.com/v2 Knob is missing: a request to the subresource scale needs the path of the replicas in this definition"},
	} {
		server := knobServer(t, c.d, openapi.Options{})
		kinds := server.Kind
		server.Kind = func(apiVersion, kind string) (openapi.Kind, bool) {
			k, ok := kinds(apiVersion, kind)
			k.Subresources = c.subresources
			return k, ok
		}
		got, err := server.Predict(&predict.Request{Subresource: "scale", Manager: "scaler", Live: live, Object: scaleTo(int64(2))})
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%T, %v: got %v", c.d, c.subresources, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if entries := got.Managed.Entries(); len(entries) != 1 || entries[0].Manager != "gitops" || at(t, got.Object, ".spec.count") != int64(2) {
			t.Errorf("got %v", got.Object)
		}
	}
}

// A kind without a subresource has no endpoint for it.
func TestMissingSubresources(t *testing.T) {
	builtin, err := openapi.BuiltinRelease("1.37", openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := &predict.Server{FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(builtin.Type)}, Kind: builtin.Kind}
	config := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "b"}}
	pod := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "a", "namespace": "b"}}
	for _, c := range []struct {
		subresource  string
		object, live map[string]any
		found        bool
	}{
		{"scale", scaleTo(int64(1)), config, false},
		{"scale", config, config, false},
		{"status", config, config, false},
		{"statu", pod, pod, false},
		{"status", pod, pod, true},
		{"resize", pod, pod, true},
	} {
		for _, verb := range []predict.Verb{predict.Update, predict.Apply} {
			_, err := server.Predict(&predict.Request{Verb: verb, Subresource: c.subresource, Manager: "m", Object: c.object, Live: c.live})
			var refused *fieldmanager.RequestError
			if missing := errors.As(err, &refused) && refused.Status == 404; missing == c.found || c.found && err != nil {
				t.Errorf("verb %d of %v to %s: %v", verb, c.object["kind"], c.subresource, err)
			}
		}
	}
}

// A request to scale contains a Scale. It changes only the replicas of the object being scaled.
func TestScaleObjects(t *testing.T) {
	builtin, err := openapi.BuiltinRelease("1.37", openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := &predict.Server{FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(builtin.Type)}, Kind: builtin.Kind}
	live := func(managed string) (o map[string]any) {
		text := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"b","uid":"1","resourceVersion":"7","managedFields":[` + managed + `]},"spec":{"replicas":2}}`
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		o["spec"].(map[string]any)["replicas"] = int64(2)
		return o
	}
	const (
		gitops = `{"apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}},"manager":"gitops","operation":"Apply","time":"2026-01-01T00:00:00Z"}`
		other  = `{"apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:selector":{}}},"manager":"gitops","operation":"Apply","time":"2026-01-01T00:00:00Z"}`
	)
	main := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "a", "namespace": "b"}, "spec": map[string]any{"replicas": int64(3), "paused": true}}
	const notScale = `Deployment in version "v1" cannot be handled as a Scale: the subresource scale accepts only a Scale of autoscaling/v1`
	for _, c := range []struct {
		what     string
		verb     predict.Verb
		managed  string
		object   map[string]any
		replicas int64
		owners   string
		err      string
	}{
		{"update", predict.Update, gitops, scaleTo(int64(3)), 3, "scaler Update scale", ""},
		{"update without replicas", predict.Update, gitops, scaleTo(nil), 0, "scaler Update scale", ""},
		{"update with a negative number", predict.Update, gitops, scaleTo(int64(-1)), 0, "", `Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`},
		{"update with a large number", predict.Update, gitops, scaleTo(int64(1) << 31), 0, "", "Scale in version \"v1\" cannot be handled as a Scale"},
		{"apply of another value", predict.Apply, gitops, scaleTo(int64(3)), 0, "", `conflict with "gitops"`},
		{"apply of the same value", predict.Apply, gitops, scaleTo(int64(2)), 2, "gitops Apply, scaler Apply scale", ""},
		{"forced apply", predict.ApplyForce, gitops, scaleTo(int64(3)), 3, "scaler Apply scale", ""},
		{"forced apply of a negative number", predict.ApplyForce, gitops, scaleTo(int64(-1)), 0, "", `Scale.autoscaling "a" is invalid`},
		{"forced apply of a main object", predict.ApplyForce, gitops, main, 0, "", notScale},
		{"update with a main object", predict.Update, gitops, main, 0, "", notScale},
		{"apply if nobody owns the replicas", predict.Apply, other, scaleTo(int64(2)), 2, "before-first-apply Update scale, gitops Apply, scaler Apply scale", ""},
		{"apply of another value if nobody owns the replicas", predict.Apply, other, scaleTo(int64(3)), 0, "", `conflict with "before-first-apply"`},
	} {
		t.Run(c.what, func(t *testing.T) {
			before := live(c.managed)
			got, err := server.Predict(&predict.Request{
				Verb: c.verb, Subresource: "scale", Manager: "scaler", Time: time.Unix(1_800_000_000, 0), Live: before, Object: c.object,
			})
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("got %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var owners []string
			for _, e := range got.Managed.Entries() {
				if !e.Set.Has(fieldpath.MakePathOrDie("spec", "replicas")) && e.Manager != "gitops" {
					t.Errorf("%s owns %v", e.Manager, e.Set)
				}
				owners = append(owners, strings.TrimSpace(e.Manager+" "+string(e.Operation)+" "+e.Subresource))
			}
			slices.Sort(owners)
			spec := got.Object["spec"].(map[string]any)
			if got.Object["kind"] != "Deployment" || spec["replicas"] != c.replicas || spec["paused"] != nil || strings.Join(owners, ", ") != c.owners {
				t.Errorf("got %v, owners %v", got.Object, owners)
			}
			if want := live(c.managed); !reflect.DeepEqual(before, want) {
				t.Errorf("the live object was modified: got %v, want %v", before, want)
			}
		})
	}
	_, err = server.Predict(&predict.Request{Verb: predict.Update, Subresource: "scale", Manager: "scaler", Object: scaleTo(int64(1))})
	var refused *fieldmanager.RequestError
	if !errors.As(err, &refused) || refused.Status != 404 {
		t.Errorf("without a live object: %v", err)
	}
}

// The replicas of a custom resource with a scale subresource must not be negative.
func TestCustomReplicas(t *testing.T) {
	object := map[string]any{"apiVersion": "example.com/v2", "kind": "Knob", "spec": map[string]any{"count": int64(-1), "mode": "a"}, "metadata": map[string]any{"name": "a"}}
	causes, err := knobServer(t, counted{}, openapi.Options{}).InvalidValues(object, nil, "")
	if err != nil || len(causes) != 1 || causes[0].Error() != ".spec.count: Invalid value: -1: should be a non-negative integer" {
		t.Errorf("got %v, %v", causes, err)
	}
}
