// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/predict"
)

func TestOnlyServer(t *testing.T) {
	s := server(t, "1.37")
	const always = ".metadata.creationTimestamp .metadata.namespace .metadata.resourceVersion .metadata.uid"
	ports := `"ports": [{"port": 80}, {"port": 81, "nodePort": 30081}]`
	for _, c := range []struct{ name, sent, want string }{
		{"config map", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`, always},
		{"its namespace is known", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"}}`, strings.ReplaceAll(always, " .metadata.namespace", "")},
		{"it has no namespace", `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}`, strings.ReplaceAll(always, " .metadata.namespace", "")},
		{"name", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "a-"}}`, ".metadata.creationTimestamp .metadata.name .metadata.namespace .metadata.resourceVersion .metadata.uid"},
		{"service", service(ports), always + " .spec.clusterIP .spec.clusterIPs .spec.ipFamilies"},
		{"address is asked for", service(`"clusterIP": "None"`), always + " .spec.ipFamilies"},
		{"node ports", service(`"type": "NodePort", ` + ports), always + " .spec.clusterIP .spec.clusterIPs .spec.ipFamilies .spec.ports[0].nodePort"},
		{"port of health checks", service(`"type": "LoadBalancer", "externalTrafficPolicy": "Local", "allocateLoadBalancerNodePorts": false, ` + ports), always + " .spec.clusterIP .spec.clusterIPs .spec.healthCheckNodePort .spec.ipFamilies"},
		{"no address", service(`"type": "ExternalName", "externalName": "a.example"`), always},
		{"job", job(`"parallelism": 1`), always + " .spec.selector .spec.template.metadata.labels.controller-uid .spec.template.metadata.labels.batch.kubernetes.io/controller-uid"},
		{"selected by hand", job(`"manualSelector": true, "selector": {"matchLabels": {"a": "b"}}`), always},
		{"pod", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"automountServiceAccountToken": false, "serviceAccountName": "x", "priority": 1, "containers": [{"name": "c", "image": "i"}]}}`,
			always + " .spec.imagePullSecrets .spec.preemptionPolicy .status.qosClass"},
	} {
		t.Run(c.name, func(t *testing.T) {
			verbs := []predict.Verb{predict.Create, predict.Apply}
			if c.name == "name" {
				verbs = verbs[:1] // an apply needs a name
			}
			for _, verb := range verbs {
				var got []string
				for _, p := range predictRequest(t, s, verb, "", c.sent, nil).OnlyServer {
					got = append(got, p.String())
				}
				if strings.Join(got, " ") != c.want {
					t.Errorf("got  %s\nwant %s", strings.Join(got, " "), c.want)
				}
			}
		})
	}
}

// A live object already has the values that only a server knows. OnlyServer therefore
// contains only the resourceVersion, and only if the request changes the object.
func TestOnlyServerOfLive(t *testing.T) {
	s := server(t, "1.37")
	live := object(t, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b", "uid": "u", "resourceVersion": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}}`)
	p := predictRequest(t, s, predict.Apply, "", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "y"}}`, live)
	if len(p.OnlyServer) != 1 || p.OnlyServer[0].String() != ".metadata.resourceVersion" {
		t.Errorf("a change: %v", p.OnlyServer)
	}
	again := predictRequest(t, s, predict.Apply, "", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "y"}}`, p.Object)
	if again.Changed || again.OnlyServer != nil {
		t.Errorf("no change: %v", again.OnlyServer)
	}
}

// If a live object was never on a server, its generation cannot be predicted.
func TestGenerationOnlyTheServerKnows(t *testing.T) {
	s := server(t, "1.37")
	const pdb = `{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "a", "namespace": "b"}, "spec": {"minAvailable": %}}`
	p := predictRequest(t, s, predict.Update, "", strings.ReplaceAll(pdb, "%", "2"), object(t, strings.ReplaceAll(pdb, "%", "1")))
	var got []string
	for _, path := range p.OnlyServer {
		got = append(got, path.String())
	}
	if !slices.Contains(got, ".metadata.generation") {
		t.Errorf("got %v", got)
	}
}

func TestServerFieldsAreInOrder(t *testing.T) {
	all := predict.ServerFields()
	if !slices.IsSortedFunc(all, func(a, b predict.ServerField) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Path, b.Path))
	}) {
		t.Error("they are not")
	}
	for _, f := range all {
		if !strings.HasPrefix(f.Path, ".") || !strings.HasSuffix(f.Why, ".") {
			t.Errorf("%+v", f)
		}
	}
}

// The predicted template generation of a DaemonSet must equal the one that a server
// stores.
func TestDaemonSetTemplates(t *testing.T) {
	s := server(t, "1.37")
	const set = `{"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "a"}, "spec": {"minReadySeconds": %M, "selector": {"matchLabels": {"a": "b"}},
		"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "%I"}]}}}}`
	with := func(min, image string) string { return strings.NewReplacer("%M", min, "%I", image).Replace(set) }
	count := func(o map[string]any) any {
		m, _ := at(t, o, ".metadata.annotations").(map[string]any)
		return m["deprecated.daemonset.template.generation"]
	}
	for _, verb := range []predict.Verb{predict.Update, predict.ApplyForce} {
		live := predictRequest(t, s, verb, "", with("1", "i"), nil).Object
		if count(live) != "1" {
			t.Errorf("verb %d: a new one has %v", verb, count(live))
		}
		if got := count(predictRequest(t, s, verb, "", with("2", "i"), live).Object); got != "1" {
			t.Errorf("verb %d: without another template: %v", verb, got)
		}
		after := predictRequest(t, s, verb, "", with("1", "j"), live).Object
		if count(after) != "2" {
			t.Errorf("verb %d: with another template: %v", verb, count(after))
		}
		after["spec"] = live["spec"]
		if got, want := mustJSON(t, predict.RemoveCounters(after)), mustJSON(t, predict.RemoveCounters(live)); verb == predict.ApplyForce && got != want {
			t.Errorf("without counts:\n%s\n%s", got, want)
		}
	}
}
