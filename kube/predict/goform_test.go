// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

const deployment = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": {"a": "b"}},
	"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"hostNetwork": false, "containers": [{"name": "c", "image": "i:1", "resources": {"limits": {"cpu": "1000m"}}}, {"name": "d", "image": "i:1"}]}}}}`

func goServer(t testing.TB) *predict.Server {
	t.Helper()
	s := server(t, "1.37")
	release, err := goform.New("1.37")
	if err != nil {
		t.Fatal(err)
	}
	s.GoForm = release
	return s
}

// Stored objects must have the form that Go types write, regardless of the form of the
// request.
func TestGoForm(t *testing.T) {
	s := goServer(t)
	for _, verb := range []predict.Verb{predict.Create, predict.Apply} {
		p := predictRequest(t, s, verb, "", deployment, nil)
		if got := asJSON(t, at(t, p.Object, ".spec.template.spec.containers")); got !=
			`[{"image":"i:1","imagePullPolicy":"IfNotPresent","name":"c","resources":{"limits":{"cpu":"1"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"},`+
				`{"image":"i:1","imagePullPolicy":"IfNotPresent","name":"d","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}]` {
			t.Error(got)
		}
		if got := at(t, p.Object, ".spec.template.spec.hostNetwork"); got != nil {
			t.Errorf("hostNetwork is %v", got)
		}
		if got, _ := s.GoForm.Stored(p.Object); !reflect.DeepEqual(got, p.Object) {
			t.Errorf("the object does not have the form that Go writes: %s", asJSON(t, p.Object))
		}
		// Sending the same object again, in the form of the request, must not change anything.
		if again := predictRequest(t, s, verb, "", deployment, nil); !reflect.DeepEqual(again.Object, p.Object) {
			t.Errorf("the object has changed: %s", asJSON(t, again.Object))
		}
		if again := predictRequest(t, s, predict.Update, "", deployment, p.Object); again.Changed {
			t.Errorf("sending the same object again counts as a change: %s", asJSON(t, again.Object))
		}
	}
}

// With DeclaredOnly, the types may be from a newer release than the Go types. Fields that
// only the newer release has must stay. All other fields must get the form of the Go
// types.
func TestGoFormOfUnknownRelease(t *testing.T) {
	s := goServer(t)
	s.DeclaredOnly = true
	found, err := s.FieldManager.Types("apps/v1", "Deployment")
	if err != nil {
		t.Fatal(err)
	}
	found = withField(found, "io.k8s.api.core.v1.ResourceRequirements", "new")
	s.FieldManager.Types = func(string, string) (typed.ParseableType, error) { return found, nil }
	sent := strings.Replace(deployment, `"1000m"}`, `"1000m"}, "new": "1024Mi"`, 1)
	for _, verb := range []predict.Verb{predict.Create, predict.Apply} {
		p := predictRequest(t, s, verb, "", sent, nil)
		if got := asJSON(t, at(t, p.Object, ".spec.template.spec.containers[0].resources")); got != `{"limits":{"cpu":"1"},"new":"1024Mi"}` {
			t.Errorf("%v: %s", verb, got)
		}
		if verb == predict.Apply && predictRequest(t, s, verb, "", sent, p.Object).Changed {
			t.Error("applying the same object again counts as a change")
		}
	}
	unknown := strings.Replace(deployment, `"1000m"}`, `"1000m"}, "other": "1024Mi"`, 1)
	p := predictRequest(t, s, predict.Create, "", unknown, nil)
	if got := asJSON(t, at(t, p.Object, ".spec.template.spec.containers[0].resources")); got != `{"limits":{"cpu":"1"}}` {
		t.Error(got)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].Message != "removed: the type does not declare this field" {
		t.Errorf("warnings %v", p.Warnings)
	}
}

// withField returns a copy of t in which the type called name has an additional string
// field.
func withField(t typed.ParseableType, name, field string) typed.ParseableType {
	text := schema.String
	s := &schema.Schema{Types: slices.Clone(t.Schema.Types)}
	for i := range s.Types {
		if s.Types[i].Name == name {
			m := s.Types[i].Map
			added := schema.StructField{Name: field, Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &text}}}
			s.Types[i].Map = &schema.Map{Fields: append(slices.Clone(m.Fields), added), ElementType: m.ElementType, ElementRelationship: m.ElementRelationship}
		}
	}
	t.Schema = s
	return t
}

// The creator of an object must own the values that Go's encoder adds, except lists that
// were null before.
func TestOwnersInGoForm(t *testing.T) {
	p := predictRequest(t, goServer(t), predict.Create, "", deployment, nil)
	entries, _ := at(t, p.Object, ".metadata.managedFields").([]any)
	if len(entries) != 1 {
		t.Fatal(asJSON(t, p.Object))
	}
	set, _ := entries[0].(map[string]any)["fieldsV1"].(map[string]any)
	containers := set
	for _, name := range []string{"f:spec", "f:template", "f:spec", "f:containers"} {
		containers, _ = containers[name].(map[string]any)
	}
	if _, dot := containers["."]; dot {
		t.Error("the creator owns the list that was null")
	}
	d, _ := containers[`k:{"name":"d"}`].(map[string]any)
	if _, owned := d["f:resources"]; !owned {
		t.Errorf("the creator does not own resources: %s", asJSON(t, d))
	}
}

// An update with an empty list of managed fields resets them. Predict must keep this list,
// although Go's encoder would omit it.
func TestResetManagedFieldsInGoForm(t *testing.T) {
	s := goServer(t)
	live := predictRequest(t, s, predict.Apply, "", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "1"}}`, nil).Object
	p := predictRequest(t, s, predict.Update, "", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "managedFields": []}, "data": {"a": "1"}}`, live)
	if got := at(t, p.Object, ".metadata.managedFields"); got != nil {
		t.Errorf("some managed fields are left: %s", asJSON(t, got))
	}
}

// Writing a value in another form must not change the generation.
func TestGenerationInGoForm(t *testing.T) {
	s := goServer(t)
	const head = `{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "p"}, "spec": {"defaultBackend": {"resource": {"kind": "A", "name": "a"}}, `
	live := predictRequest(t, s, predict.Create, "", head+`"tls": [{"hosts": []}]}}`, nil).Object
	for sent, want := range map[string]int64{
		`"tls": [{"hosts": null}]}}`: 1,
		`"tls": [{}], "rules": []}}`: 1,
		`"tls": [{}, {}]}}`:          2,
	} {
		if got := at(t, predictRequest(t, s, predict.Update, "", head+sent, live).Object, ".metadata.generation"); got != want {
			t.Errorf("%s: generation %v, want %d", sent, got, want)
		}
	}
}

// Undeclared fields must be removed with a warning.
func TestUnknownFieldsInGoForm(t *testing.T) {
	p := predictRequest(t, goServer(t), predict.Create, "", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "colour": "red"}`, nil)
	if _, there := p.Object["colour"]; there {
		t.Error("it is stored")
	}
	if len(p.Warnings) != 1 || p.Warnings[0].Path != ".colour" {
		t.Errorf("warnings: %v", p.Warnings)
	}
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
