// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// newest is the newest known release.
var newest = knownReleases.All()[len(knownReleases.All())-1]

// Check rejects an update that breaks a condition, and accepts one that does not. Tests in
// test/immutable compare all fields of all kinds with a server.
func TestConditions(t *testing.T) {
	types := openapi.Builtin(openapi.Options{})
	for _, c := range []struct {
		name, apiVersion, kind, old, next string
		want                              []string // the paths of the forbidden changes
	}{
		{"frozen data", "v1", "ConfigMap", "{immutable: true, data: {a: b}}", "{immutable: true, data: {a: c}}", []string{".data.a"}},
		{"no longer immutable", "v1", "ConfigMap", "{immutable: true, data: {a: b}}", "{data: {a: b}}", []string{".immutable"}},
		{"frozen labels", "v1", "ConfigMap", "{immutable: true}", "{immutable: true, metadata: {labels: {a: b}}}", nil},
		{"secret as text", "v1", "Secret", "{immutable: true, data: {a: Yg==}}", "{immutable: true, stringData: {a: b}}", nil},
		{"secret type is filled in", "v1", "Secret", "{type: Opaque}", "{}", nil},
		{"account by its old name", "v1", "Pod", "{spec: {serviceAccount: a, serviceAccountName: a}}", "{spec: {serviceAccount: a}}", nil},
		{"another account by its old name", "v1", "Pod", "{spec: {serviceAccount: a, serviceAccountName: a}}", "{spec: {serviceAccount: b}}", []string{".spec.serviceAccountName"}},
		{"account of a template", "batch/v1", "Job", "{spec: {template: {spec: {serviceAccount: a, serviceAccountName: a}}}}", "{spec: {template: {spec: {serviceAccount: a}}}}", nil},
		{"image", "v1", "Pod", "{spec: {containers: [{name: a, image: b}]}}", "{spec: {containers: [{name: a, image: c}]}}", nil},
		{"container", "v1", "Pod", "{spec: {containers: [{name: a}]}}", "{spec: {containers: [{name: a}, {name: b}]}}", []string{".spec.containers", `.spec.containers[name="b"]`}},
		{"deadline", "v1", "Pod", "{spec: {activeDeadlineSeconds: 5}}", "{spec: {activeDeadlineSeconds: 6}}", []string{".spec.activeDeadlineSeconds"}},
		{"toleration removed", "v1", "Pod", "{spec: {tolerations: [{key: a}]}}", "{spec: {tolerations: [{key: b}]}}", []string{".spec.tolerations"}},
		{"toleration added", "v1", "Pod", "{spec: {tolerations: [{key: a}]}}", "{spec: {tolerations: [{key: b}, {key: a, tolerationSeconds: 5}]}}", nil},
		{"gate added", "v1", "Pod", "{spec: {}}", "{spec: {schedulingGates: [{name: a}]}}", []string{".spec.schedulingGates"}},
		{"selector while gated", "v1", "Pod", "{spec: {schedulingGates: [{name: a}], nodeSelector: {a: b}}}", "{spec: {nodeSelector: {a: b, c: d}}}", nil},
		{"selector", "v1", "Pod", "{spec: {nodeSelector: {a: b}}}", "{spec: {nodeSelector: {a: b, c: d}}}", []string{".spec.nodeSelector.c"}},
		{"template", "batch/v1", "Job", "{spec: {template: {spec: {nodeName: a}}}}", "{spec: {template: {spec: {nodeName: b}}}}", []string{".spec.template.spec.nodeName"}},
		{"template while suspended", "batch/v1", "Job", "{spec: {suspend: true, template: {spec: {nodeSelector: {a: b}}}}}", "{spec: {template: {spec: {}}}}", nil},
		{"completions", "batch/v1", "Job", "{spec: {completions: 1}}", "{spec: {completions: 2}}", []string{".spec.completions"}},
		{"completions when indexed", "batch/v1", "Job", "{spec: {completionMode: Indexed, completions: 1}}", "{spec: {completionMode: Indexed, completions: 2, parallelism: 2}}", nil},
		{"claim grows", "v1", "PersistentVolumeClaim", "{spec: {resources: {requests: {storage: 1Gi}}}, status: {phase: Bound}}", "{spec: {resources: {requests: {storage: 2Gi}}}}", nil},
		{"unbound claim grows", "v1", "PersistentVolumeClaim", "{spec: {resources: {requests: {storage: 1Gi}}}}", "{spec: {resources: {requests: {storage: 2Gi}}}}", []string{".spec.resources.requests.storage"}},
		{"the same size", "v1", "PersistentVolumeClaim", "{spec: {resources: {requests: {storage: 1Gi}}}}", "{spec: {resources: {requests: {storage: 1024Mi}}}}", nil},
		{"claim gets a volume", "v1", "PersistentVolumeClaim", "{spec: {}}", "{spec: {volumeName: a}}", nil},
		{"volume source", "v1", "PersistentVolume", "{spec: {nfs: {path: a}}}", "{spec: {nfs: {path: b}}}", []string{".spec.nfs.path"}},
		{"beta label", "v1", "PersistentVolume", "{spec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: beta.kubernetes.io/os}]}]}}}}", "{spec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os}]}]}}}}", nil},
		{"cluster IP", "v1", "Service", "{spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1]}}", "{spec: {clusterIP: 10.0.0.2}}", []string{".spec.clusterIP"}},
		{"cluster IP left out", "v1", "Service", "{spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1]}}", "{spec: {}}", nil},
		{"external name", "v1", "Service", "{spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1]}}", "{spec: {type: ExternalName}}", nil},
		{"second family", "networking.k8s.io/v1", "ServiceCIDR", "{spec: {cidrs: [10.0.0.0/8]}}", "{spec: {cidrs: [10.0.0.0/8, 'fd00::/8']}}", nil},
		{"range", "networking.k8s.io/v1", "ServiceCIDR", "{spec: {cidrs: [10.0.0.0/8]}}", "{spec: {cidrs: [11.0.0.0/8]}}", []string{".spec.cidrs"}},
		{"gang removed", "scheduling.k8s.io/v1beta1", "PodGroup", "{spec: {schedulingPolicy: {gang: {minCount: 2}}}}", "{spec: {schedulingPolicy: {basic: {}}}}", []string{".spec.schedulingPolicy.basic", ".spec.schedulingPolicy.gang"}},
		{"larger gang", "scheduling.k8s.io/v1beta1", "PodGroup", "{spec: {schedulingPolicy: {gang: {minCount: 2}}}}", "{spec: {schedulingPolicy: {gang: {minCount: 3}}}}", nil},
		{"gang of a template", "scheduling.k8s.io/v1beta1", "Workload", "{spec: {podGroupTemplates: [{name: a}, {name: b, schedulingPolicy: {}}]}}", "{spec: {podGroupTemplates: [{name: a}, {name: b, schedulingPolicy: {gang: {}}}]}}", []string{`.spec.podGroupTemplates[name="b"].schedulingPolicy.gang`}},
		{"order of scopes", "v1", "ResourceQuota", "{spec: {scopes: [A, B]}}", "{spec: {scopes: [B, A]}}", nil},
		{"node gets a range", "v1", "Node", "{spec: {}}", "{spec: {podCIDR: 10.0.0.0/8}}", nil},
		{"node's range", "v1", "Node", "{spec: {podCIDR: 10.0.0.0/8}}", "{spec: {podCIDR: 11.0.0.0/8}}", []string{".spec.podCIDR"}},
		{"role", "rbac.authorization.k8s.io/v1", "RoleBinding", "{roleRef: {name: a}}", "{roleRef: {name: b}}", []string{".roleRef.name"}},
	} {
		typ, ok := types.Type(c.apiVersion, c.kind)
		if !ok {
			t.Fatal(c.kind)
		}
		object := func(text string) map[string]any {
			o := map[string]any{"apiVersion": c.apiVersion, "kind": c.kind}
			if err := yaml.Unmarshal([]byte(text), &o); err != nil {
				t.Fatal(err)
			}
			return o
		}
		found, err := newest.Check(typ, object(c.old), object(c.next))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Path.String())
		}
		if strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%s: got %v, want %v", c.name, found, c.want)
		}
	}
}

// Since 1.36, servers allow changes of more fields in the template of a suspended Job
// than before.
func TestSuspendedJob(t *testing.T) {
	typ, _ := openapi.Builtin(openapi.Options{}).Type("batch/v1", "Job")
	job := func(template, status string) map[string]any {
		o := map[string]any{"apiVersion": "batch/v1", "kind": "Job"}
		if err := yaml.Unmarshal(fmt.Appendf(nil, "{spec: {suspend: true, template: %s}, status: %s}", template, status), &o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	const stopped = "{startTime: '2026-01-01T00:00:00Z', conditions: [{type: Suspended, status: 'True'}]}"
	for _, c := range []struct {
		name, template, status string
		fixed                  bool // whether 1.35 rejects the change
	}{
		{"selector", "{spec: {containers: [{name: a}], nodeSelector: {a: b}}}", "{}", false},
		{"selector of a stopped Job", "{spec: {containers: [{name: a}], nodeSelector: {a: b}}}", stopped, true},
		{"labels", "{metadata: {labels: {a: b}}, spec: {containers: [{name: a}]}}", "{}", false},
		{"labels of a stopped Job", "{metadata: {labels: {a: b}}, spec: {containers: [{name: a}]}}", stopped, true},
		{"name", "{metadata: {name: a}, spec: {containers: [{name: a}]}}", "{}", true},
		{"resources", "{spec: {containers: [{name: a, resources: {limits: {cpu: 2}}}]}}", "{}", true},
	} {
		for _, r := range knownReleases.All() {
			found, err := r.Check(typ, job("{spec: {containers: [{name: a}]}}", c.status), job(c.template, c.status))
			if err != nil {
				t.Fatal(err)
			}
			if want := c.fixed && r.minor == "1.35"; (len(found) > 0) != want {
				t.Errorf("%s, %s: got %v, want one: %v", c.name, r.minor, found, want)
			}
		}
	}
}

// Type must return schemas with valid rules. The published types must stay without rules.
func TestTypes(t *testing.T) {
	types := openapi.Builtin(openapi.Options{})
	for _, k := range types.Kinds() {
		typ, _ := types.Type(k.APIVersion, k.Kind)
		typesWithRules, ok := newest.Type(typ, k.APIVersion, k.Kind)
		if ok != typesWithRules.HasTransitions() || ok && len(newest.Rules(k.APIVersion, k.Kind)) == 0 {
			t.Errorf("%s %s: rules %v, but %v", k.APIVersion, k.Kind, newest.Rules(k.APIVersion, k.Kind), ok)
		}
		if err := typesWithRules.Schema.CheckTransitions(); err != nil {
			t.Errorf("%s %s: %v", k.APIVersion, k.Kind, err)
		}
		if typ.HasTransitions() {
			t.Errorf("%s %s: rules are in the published type", k.APIVersion, k.Kind)
		}
	}
}

// It must be possible to read every table. Every rule in a table must be
// known.
func TestTable(t *testing.T) {
	for _, r := range knownReleases.All() {
		if !strings.HasPrefix(r.Version(), "v"+r.minor+".") || !r.Knows("v1", "Pod") || len(r.table().types) < 100 {
			t.Errorf("%s: %s, %d types", r.minor, r.Version(), len(r.table().types))
		}
		for _, k := range r.table().kinds {
			for _, rule := range k.rules {
				if rule.Transition.Extension() == "" {
					t.Errorf("%s: %s %s %s has no rule", r.minor, k.apiVersion, k.kind, rule.Path)
				}
			}
		}
	}
}

// Tables contain the rules of kinds and the facts about types.
func TestReadTable(t *testing.T) {
	got := readTable(`# a comment
release v1.36.4

kind v1 Pod
.spec.a immutable
.spec.b setOnce

type io.k8s.Spec
	a kept filled
	kind bytes
`)
	if k := got.kinds[[2]string{"v1", "Pod"}]; k == nil || fmt.Sprint(k.rules) != "[{.spec.a immutable} {.spec.b setOnce}]" {
		t.Errorf("got %v", k)
	}
	if f := got.types["io.k8s.Spec"]; f["a"] != (facts{zeroIsValue: true, filledByServer: true}) || f["kind"] != (facts{base64: true}) {
		t.Errorf("got %v", f)
	}
	if got.version != "v1.36.4" {
		t.Errorf("got %s", got.version)
	}
}
