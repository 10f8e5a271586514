// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/typed"
)

// server returns a server of the given Kubernetes version.
func server(t testing.TB, version string) *predict.Server {
	t.Helper()
	catalog, err := openapi.BuiltinRelease(version, openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	release, err := defaults.New(version)
	if err != nil {
		t.Fatal(err)
	}
	return &predict.Server{
		FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(catalog.Type)},
		Kind:         catalog.Kind,
		Release:      release,
	}
}

func object(t testing.TB, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

// predictRequest predicts a request by the manager that all tests use.
func predictRequest(t *testing.T, s *predict.Server, verb predict.Verb, subresource, sent string, live map[string]any) *predict.Prediction {
	t.Helper()
	p, err := s.Predict(&predict.Request{
		Verb: verb, Subresource: subresource, Manager: "m", Time: time.Unix(0, 0), Object: object(t, sent), Live: live,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// at returns the value that a path leads to.
func at(t *testing.T, o map[string]any, path string) any {
	t.Helper()
	p, err := fieldpath.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	var v any = o
	for _, e := range p {
		switch c := v.(type) {
		case map[string]any:
			v = c[*e.FieldName]
		case []any:
			v = c[*e.Index]
		default:
			return nil
		}
	}
	return v
}

func TestGeneration(t *testing.T) {
	const (
		deployment = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"%M}, "spec": {"selector": {"matchLabels": {"a": "b"}},
			"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "%C"}}}]}}}}`
		hpa      = `{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}, "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "x"}}}`
		priority = `{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "a"}, "value": 10%M}`
		driver   = `{"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "a", "uid": ""}, "spec": {"attachRequired": %M}}`
	)
	with := func(text, m, c string) string {
		return strings.NewReplacer("%M", m, "%C", c).Replace(text)
	}
	for _, c := range []struct {
		name        string
		release     string
		subresource string
		live, sent  string
		uid         string // the uid of the live object
		want        any
	}{
		{name: "new", sent: with(deployment, "", "1"), want: int64(1)},
		{name: "sent and new", sent: with(deployment, `, "generation": 7`, "1"), want: int64(1)},
		{name: "no change", live: with(deployment, "", "1"), sent: with(deployment, "", "1"), want: int64(1)},
		{name: "respelled", live: with(deployment, "", "1"), sent: with(deployment, "", "1000m"), want: int64(1)},
		{name: "spec", live: with(deployment, "", "1"), sent: with(deployment, "", "2"), want: int64(2)},
		{name: "status", subresource: "status", live: with(deployment, "", "1"), sent: with(deployment, "", "2"), want: int64(1)},
		{name: "labels", live: with(deployment, "", "1"), sent: with(deployment, `, "labels": {"x": "y"}`, "1"), want: int64(1)},
		{name: "annotations", live: with(deployment, "", "1"), sent: with(deployment, `, "annotations": {"x": "y"}`, "1"), want: int64(2)},
		{name: "none yet", release: "1.36", sent: hpa, want: nil},
		{name: "now it has one", sent: hpa, want: int64(1)},
		{name: "never again", live: with(priority, "", ""), sent: with(priority, `, "description": "x"`, ""), want: int64(1)},
		{name: "not when created", sent: with(driver, "true", ""), want: nil},
		{name: "but later", live: with(driver, "true", ""), uid: "u", sent: with(driver, "false", ""), want: int64(1)},
		{name: "never on a server", live: with(driver, "true", ""), sent: with(driver, "false", ""), want: nil},
		{name: "no generation", sent: `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`, want: nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			release := c.release
			if release == "" {
				release = "1.37"
			}
			s := server(t, release)
			for _, verb := range []predict.Verb{predict.Update, predict.ApplyForce} {
				var live map[string]any
				if c.live != "" {
					live = maps.Clone(predictRequest(t, s, predict.Create, "", c.live, nil).Object)
					if c.uid != "" {
						live["metadata"].(map[string]any)["uid"] = c.uid
					}
				}
				if got := at(t, predictRequest(t, s, verb, c.subresource, c.sent, live).Object, ".metadata.generation"); got != c.want {
					t.Errorf("verb %d: got %v, want %v", verb, got, c.want)
				}
			}
		})
	}
}

// Widget is the kind of a custom resource. In some cases it has a status subresource.
func TestGenerationOfCustomResources(t *testing.T) {
	for _, c := range []struct {
		name   string
		status bool
		sent   string
		want   int64
	}{
		{"no change", false, `"spec": {"a": "1"}, "status": {"b": "1"}`, 1},
		{"spec", false, `"spec": {"a": "2"}, "status": {"b": "1"}`, 2},
		{"status is a field like any", false, `"spec": {"a": "1"}, "status": {"b": "2"}`, 2},
		{"status is a subresource", true, `"spec": {"a": "1"}, "status": {"b": "2"}`, 1},
		{"beside spec", true, `"spec": {"a": "1"}, "data": {"b": "2"}`, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &predict.Server{
				FieldManager: fieldmanager.Options{Untyped: true, Types: func(string, string) (t typed.ParseableType, err error) { return t, fieldmanager.ErrUnknownType }},
				Custom:       func(string, string) (predict.Definition, bool) { return nil, true },
				Kind: func(apiVersion, kind string) (k openapi.Kind, ok bool) {
					if c.status {
						k.Subresources = []string{"status"}
					}
					return k, true
				},
			}
			const head = `{"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": "w"}, `
			live := predictRequest(t, s, predict.Create, "", head+`"spec": {"a": "1"}, "status": {"b": "1"}}`, nil).Object
			if got := at(t, live, ".metadata.generation"); got != int64(1) {
				t.Errorf("a new one has %v", got)
			}
			if c.status {
				live["status"] = map[string]any{"b": "1"}
			}
			if got := at(t, predictRequest(t, s, predict.Update, "", head+c.sent+"}", live).Object, ".metadata.generation"); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestCreated(t *testing.T) {
	s := server(t, "1.37")
	for _, c := range []struct{ sent, path, want string }{
		{`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}`, ".spec.finalizers", `["kubernetes"]`},
		{`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}, "spec": {"finalizers": ["x.io/y"]}}`, ".spec.finalizers", `["x.io/y","kubernetes"]`},
		{`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}`, ".status", `{"phase":"Active"}`},
		{`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}, "status": {"phase": "Running", "podIP": "10.0.0.1"}}`, ".status", `{"phase":"Pending"}`},
		{job(`"manualSelector": true`), ".spec.template.metadata", `{"labels":{"a":"b"}}`},
		{job(`"parallelism": 1`), ".spec.template.metadata.labels", `{"a":"b","batch.kubernetes.io/job-name":"j","job-name":"j"}`},
		{service(`"clusterIP": "None"`), ".spec.clusterIPs", `["None"]`},
		{service(`"clusterIP": "None"`), ".spec.ipFamilyPolicy", `"RequireDualStack"`},
		{service(`"selector": {"a": "b"}, "ports": [{"port": 80}]`), ".spec.ipFamilyPolicy", `"SingleStack"`},
		{service(`"type": "ExternalName", "externalName": "a.example"`), ".spec.ipFamilyPolicy", `null`},
	} {
		for _, verb := range []predict.Verb{predict.Create, predict.Apply} {
			got, err := json.Marshal(at(t, predictRequest(t, s, verb, "", c.sent, nil).Object, c.path))
			if err != nil || string(got) != c.want {
				t.Errorf("%s: %s: got %s, %v, want %s", c.sent, c.path, got, err, c.want)
			}
		}
	}
}

func job(spec string) string {
	return `{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {` + spec + `,
		"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}`
}

func service(spec string) string {
	return `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {` + spec + `}}`
}

// A Service must keep its allocated values if a request leaves them out. If the type
// of the Service changes, values that only the old type needs must be removed.
func TestServiceKeepsAllocatedValues(t *testing.T) {
	s := server(t, "1.37")
	const ip = `"clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"`
	live := object(t, service(ip+`, "type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 30100, "allocateLoadBalancerNodePorts": true,
		"ports": [{"name": "a", "port": 80, "nodePort": 30080}, {"name": "b", "port": 81, "nodePort": 30081}]`))
	live = predictRequest(t, s, predict.Update, "", mustJSON(t, live), live).Object
	ports := func(a, b string) string {
		return `"ports": [{"name": "a", "port": 80` + a + `}, {"name": "b", "port": 81` + b + `}]`
	}
	for _, c := range []struct {
		name, sent string
		want       map[string]string
	}{
		{"left out", service(`"type": "LoadBalancer", "externalTrafficPolicy": "Local", ` + ports("", "")), map[string]string{
			".spec.clusterIP": `"10.0.0.1"`, ".spec.clusterIPs": `["10.0.0.1"]`, ".spec.ipFamilies": `["IPv4"]`, ".spec.ipFamilyPolicy": `"SingleStack"`,
			".spec.healthCheckNodePort": "30100", ".spec.ports[0].nodePort": "30080", ".spec.ports[1].nodePort": "30081",
		}},
		{"taken by another port", service(`"type": "LoadBalancer", "externalTrafficPolicy": "Local", ` + ports(`, "nodePort": 30081`, "")), map[string]string{
			".spec.ports[0].nodePort": "30081", ".spec.ports[1].nodePort": "null",
		}},
		{"no node ports any more", service(`"type": "ClusterIP", ` + ip + `, "externalTrafficPolicy": "Local", "healthCheckNodePort": 30100, "allocateLoadBalancerNodePorts": true, ` + ports(`, "nodePort": 30080`, "")), map[string]string{
			".spec.ports[0].nodePort": "null", ".spec.healthCheckNodePort": "null", ".spec.externalTrafficPolicy": "null",
			".spec.allocateLoadBalancerNodePorts": "null", ".spec.clusterIP": `"10.0.0.1"`,
		}},
		{"no address any more", service(`"type": "ExternalName", "externalName": "a.example", ` + ip), map[string]string{
			".spec.clusterIP": "null", ".spec.clusterIPs": "null", ".spec.ipFamilies": "null", ".spec.ipFamilyPolicy": "null",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := predictRequest(t, s, predict.Update, "", c.sent, live).Object
			for path, want := range c.want {
				if text := mustJSON(t, at(t, got, path)); text != want {
					t.Errorf("%s: got %s, want %s", path, text, want)
				}
			}
		})
	}
	// An update that omits the allocated values changes nothing.
	p := predictRequest(t, s, predict.Update, "", mustJSON(t, withoutAllocated(t, live)), live)
	if p.Changed || !reflect.DeepEqual(p.Object, live) {
		t.Errorf("changed %v: %s", p.Changed, mustJSON(t, p.Object))
	}
}

func withoutAllocated(t *testing.T, service map[string]any) map[string]any {
	copied := object(t, mustJSON(t, service))
	spec := copied["spec"].(map[string]any)
	for _, field := range []string{"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"} {
		delete(spec, field)
	}
	return copied
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A request may omit a value that Go always writes. The omission must not count as a
// change.
func TestGenerationComparesGoForm(t *testing.T) {
	s := server(t, "1.37")
	const set = `{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "a", "generation": 3}, "spec": {"serviceName": "s", "selector": {"matchLabels": {"a": "b"}},
		"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"%}]}}}}`
	live := predictRequest(t, s, predict.Update, "", strings.ReplaceAll(set, "%", `, "resources": {}, "args": []`), object(t, strings.ReplaceAll(set, "%", `, "resources": {}`))).Object
	for sent, want := range map[string]any{"": float64(3), `, "resources": {}`: float64(3), `, "tty": true`: int64(4)} {
		if got := at(t, predictRequest(t, s, predict.Update, "", strings.ReplaceAll(set, "%", sent), live).Object, ".metadata.generation"); got != want {
			t.Errorf("%s: got %v, want %v", sent, got, want)
		}
	}
}

func TestNamespaceKeepsItsFinalizers(t *testing.T) {
	s := server(t, "1.37")
	live := predictRequest(t, s, predict.Create, "", `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}`, nil).Object
	for _, sent := range []string{"{}", `{"finalizers": ["x.io/y"]}`} {
		got := predictRequest(t, s, predict.Update, "", `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}, "spec": `+sent+`}`, live).Object
		if f := mustJSON(t, at(t, got, ".spec.finalizers")); f != `["kubernetes"]` {
			t.Errorf("%s: got %s", sent, f)
		}
	}
}

// When a custom resource is read back, its status must have defaults, although the main
// endpoint does not store status.
func TestDefaultsOfStatusAreRead(t *testing.T) {
	catalog := openapi.Builtin(openapi.Options{})
	if err := catalog.AddCRD("crd.yaml", []byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gates.ex.io}
spec:
  group: ex.io
  names: {kind: Gate, plural: gates}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status: {type: object, default: {phase: Waiting}, properties: {phase: {type: string}}}
`)); err != nil {
		t.Fatal(err)
	}
	s := &predict.Server{
		FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(catalog.Type)},
		Kind:         catalog.Kind,
		Custom:       func(_, kind string) (predict.Definition, bool) { return nil, kind == "Gate" },
	}
	for _, verb := range []predict.Verb{predict.Create, predict.Apply} {
		p := predictRequest(t, s, verb, "", `{"apiVersion":"ex.io/v1","kind":"Gate","metadata":{"name":"g"},"status":{"phase":"Open"}}`, nil)
		if got := at(t, p.Object, ".status.phase"); got != "Waiting" {
			t.Errorf("%v: %v", verb, got)
		}
	}
}

// For three kinds, adding an empty map or list counts as a change, although the server
// stores it like an absent field. Each request with such an empty value increases the
// generation.
func TestAddedEmptyValuesCount(t *testing.T) {
	const (
		policy = `{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "a"}, "spec": {%}}`
		hook   = `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "a"}, "webhooks": [{"name": "a.ex.io",
			"admissionReviewVersions": ["v1"], "sideEffects": "None", "clientConfig": {"url": "https://a.ex.io"}%}]}`
		template = `{"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "a"}, "template": {"spec": {"containers": [{"name": "a", "image": "a"}]%}}}`
	)
	for _, c := range []struct {
		text, plain, empty string
		applied, updated   any // the generation after an apply and after an update
	}{
		{policy, `"podSelector": {}`, `"podSelector": {"matchLabels": {}}`, int64(2), int64(2)},
		{policy, `"podSelector": {}`, `"podSelector": {}, "egress": []`, int64(2), int64(2)},
		{policy, `"podSelector": {}`, `"podSelector": {}`, int64(1), int64(1)},
		{hook, ``, `, "namespaceSelector": {"matchLabels": {}}`, int64(2), int64(2)},
		{template, ``, `, "nodeSelector": {}`, int64(1), int64(1)},
	} {
		s := server(t, "1.37")
		var err error
		if s.GoForm, err = goform.New("1.37"); err != nil {
			t.Fatal(err)
		}
		empty := strings.ReplaceAll(c.text, "%", c.empty)
		live := predictRequest(t, s, predict.Create, "", strings.ReplaceAll(c.text, "%", c.plain), nil).Object
		for verb, want := range map[predict.Verb]any{predict.Update: c.updated, predict.ApplyForce: c.applied} {
			p := predictRequest(t, s, verb, "", empty, live)
			if got := at(t, p.Object, ".metadata.generation"); got != want || (want != int64(1)) && !p.Changed {
				t.Errorf("%s, verb %d: generation %v, changed %t, want %v", c.empty, verb, got, p.Changed, want)
			}
		}
	}
}

// An apply may merge values into a custom resource that the server does not store, such as an empty
// map in metadata. However, the server stores the object after each such apply, with a new time in
// the applier's entry. Outside of metadata and status, each such apply also increases the generation.
// TestAppliesLikeServer in test/crd compares more values with Kubernetes' own code.
func TestUnstoredValuesOfCustomResourcesCauseWrites(t *testing.T) {
	catalog := openapi.New(openapi.Options{})
	if err := catalog.AddCRD("crd.yaml", []byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gates.ex.io}
spec:
  group: ex.io
  names: {kind: Gate, plural: gates}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}, status: {type: object}}}}}
`)); err != nil {
		t.Fatal(err)
	}
	s := &predict.Server{
		FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(catalog.Type)}, Kind: catalog.Kind,
		Custom: func(string, string) (predict.Definition, bool) { return stripped{}, true },
	}
	for _, c := range []struct {
		subresource, metadata, fields string
		changed                       bool
		generation                    int64 // after three applies
	}{
		{"", `"labels": {}`, ``, true, 1},
		{"", `"labels": {"a": "b"}`, ``, false, 1},
		{"", `"annotations": {}, "labels": {"a": "b"}`, ``, true, 1},
		{"", `"annotations": null`, ``, true, 1},
		{"", `"creationTimestamp": null`, ``, false, 1},
		{"", ``, `"spec": {"undeclared": null}`, true, 3},
		{"", ``, `"spec": {"undeclared": {}}`, true, 3},
		{"", ``, `"spec": {"a": null}`, false, 1}, // replaced by its default
		{"", ``, `"spec": {"b": "1"}`, false, 1},
		{"", ``, `"spec": {"metadata": {"labels": {"a": null}}}`, false, 1}, // the null is stored
		{"", ``, `"status": {"undeclared": null}`, false, 1},
		{"status", `"labels": {}`, `"status": {"b": "1"}`, false, 1},
		{"status", ``, `"status": {"undeclared": null}`, true, 1},
		{"status", ``, `"status": {"undeclared": "1"}`, true, 1},
		{"status", ``, `"spec": {"undeclared": "1"}`, false, 1},
	} {
		sent := `{"apiVersion": "ex.io/v1", "kind": "Gate", "metadata": {` + strings.TrimSuffix(`"name": "g", `+c.metadata, ", ") + "}" + strings.TrimSuffix(", "+c.fields, ", ") + "}"
		live := predictRequest(t, s, predict.Create, "", `{"apiVersion": "ex.io/v1", "kind": "Gate", "metadata": {"name": "g"}}`, nil).Object
		if c.subresource == "" {
			live = nil
		}
		for i := range 3 {
			p, err := s.Predict(&predict.Request{Verb: predict.Apply, Subresource: c.subresource, Manager: "m", Time: time.Unix(int64(i), 0), Object: object(t, sent), Live: live})
			if err != nil {
				t.Fatal(err)
			}
			if live = p.Object; i > 0 && p.Changed != c.changed {
				t.Errorf("%s, apply %d: changed %t", sent, i, p.Changed)
			}
			entries, _ := live["metadata"].(map[string]any)["managedFields"].([]any)
			for _, e := range entries {
				if at := e.(map[string]any)["time"]; c.changed && at != time.Unix(int64(i), 0).UTC().Format(time.RFC3339) {
					t.Errorf("%s, apply %d: the time is %v", sent, i, at)
				}
			}
		}
		if got := at(t, live, ".metadata.generation"); got != c.generation {
			t.Errorf("%s: generation %v, want %d", sent, got, c.generation)
		}
	}

	// The second merge changes nothing, so it must not use the values of the first merge.
	live := predictRequest(t, s, predict.Create, "", `{"apiVersion": "ex.io/v1", "kind": "Gate", "metadata": {"name": "g"}}`, nil).Object
	p, err := s.Prepare(&predict.Request{Verb: predict.Apply, Manager: "m", Object: object(t, `{"apiVersion": "ex.io/v1", "kind": "Gate", "metadata": {"name": "g"}}`), Live: live})
	if err != nil {
		t.Fatal(err)
	}
	for metadata, want := range map[string]bool{`"name": "g", "labels": {}`: true, `"name": "g"`: false} {
		if _, err := p.FieldManager.Apply(p.Live, object(t, `{"apiVersion": "ex.io/v1", "kind": "Gate", "metadata": {"name": "g", "labels": {}}}`), "m", false); err != nil {
			t.Fatal(err)
		}
		result, err := p.FieldManager.Apply(p.Live, object(t, `{"apiVersion": "ex.io/v1", "kind": "Gate", "metadata": {`+metadata+`}}`), "m", false)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Prediction(result).Changed; got != want {
			t.Errorf("%s in the second merge: changed %t", metadata, got)
		}
	}
}

// stripped is a definition that stores neither empty metadata nor the fields named undeclared. It has
// a default for the field a in spec.
type stripped struct{}

func (stripped) Default(object map[string]any) (map[string]any, error) {
	object = maps.Clone(object)
	for _, name := range []string{"metadata", "spec", "status"} {
		fields, there := object[name].(map[string]any)
		if !there {
			continue
		}
		fields = maps.Clone(fields)
		maps.DeleteFunc(fields, func(field string, v any) bool {
			m, ok := v.(map[string]any)
			return field == "undeclared" || name == "metadata" && (v == nil || ok && len(m) == 0)
		})
		if name == "spec" && fields["a"] == nil {
			fields["a"] = "default"
		}
		object[name] = fields
	}
	return object, nil
}

// A server compares the selfLink of an apply with the live object before it drops the selfLink. So it
// writes the object with each such apply.
func TestSelfLinkCausesWrites(t *testing.T) {
	s := server(t, "1.37")
	for _, c := range []struct {
		kind, subresource, link string
		want                    bool
	}{
		{`"apiVersion": "v1", "kind": "ConfigMap"`, "", "/x", true},
		{`"apiVersion": "v1", "kind": "ConfigMap"`, "", "", false},
		{`"apiVersion": "v1", "kind": "Node"`, "status", "/x", true},
		{`"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"`, "status", "/x", false},
	} {
		sent := "{" + c.kind + `, "metadata": {"name": "a", "selfLink": "` + c.link + `"}}`
		live := predictRequest(t, s, predict.Create, "", "{"+c.kind+`, "metadata": {"name": "a"}}`, nil).Object
		live = predictRequest(t, s, predict.ApplyForce, c.subresource, sent, live).Object
		if p := predictRequest(t, s, predict.ApplyForce, c.subresource, sent, live); p.Changed != c.want || at(t, p.Object, ".metadata.selfLink") != nil {
			t.Errorf("%s, subresource %q: changed %t, stored %v", sent, c.subresource, p.Changed, p.Object)
		}
	}
}
