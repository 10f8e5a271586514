// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"
	"slices"
	"testing"
)

// Each object is followed by the causes that servers return. In all known releases, they are the
// same.
func TestDependent(t *testing.T) {
	const secret = `{"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/`
	for _, c := range []struct {
		object string
		want   []string
	}{
		{`{"apiVersion": "v1", "kind": "Service", "spec": {"type": "ClusterIP"}}`, []string{"spec.ports: Required value"}},
		{`{"apiVersion": "v1", "kind": "Service", "spec": {"type": "NodePort", "ports": [], "clusterIPs": ["10.0.0.1"]}}`, []string{"spec.ports: Required value"}},
		{`{"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"port": 80}]}}`, nil},
		{`{"apiVersion": "v1", "kind": "Service", "spec": {"clusterIP": "None"}}`, nil},
		{`{"apiVersion": "v1", "kind": "Service", "spec": {"clusterIPs": ["None"]}}`, nil},
		{`{"apiVersion": "v1", "kind": "Service", "spec": {"type": "ExternalName", "externalName": "a.example."}}`, nil},
		{`{"apiVersion": "v1", "kind": "Service", "spec": {"type": "ExternalName", "externalName": "."}}`, []string{"spec.externalName: Required value"}},
		{`{"apiVersion": "example.com/v1", "kind": "Service", "spec": {}}`, nil},
		{`{"apiVersion": "v1", "kind": "Secret"}`, nil},
		{secret + `tls", "data": {"tls.crt": ""}}`, []string{"data[tls.key]: Required value"}},
		{secret + `tls", "data": {"tls.crt": ""}, "stringData": {"tls.key": "k"}}`, nil},
		{secret + `dockerconfigjson"}`, []string{"data[.dockerconfigjson]: Required value"}},
		{secret + `dockercfg", "data": {".dockercfg": "e30="}}`, nil},
		{secret + `ssh-auth"}`, []string{"data[ssh-privatekey]: Required value"}},
		{secret + `basic-auth"}`, []string{"data[username]: Required value", "data[password]: Required value"}},
		{secret + `basic-auth", "data": {"password": "eA=="}}`, nil},
		{`{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "spec": {"rules": []}}`, []string{"spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"}},
		{`{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "spec": {"defaultBackend": {}}}`, nil},
		{`{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "spec": {"minReplicas": 3, "maxReplicas": 2}}`, []string{"spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`"}},
		{`{"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "spec": {"minReplicas": 2, "maxReplicas": 2}}`, nil},
		{`{"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "spec": {"maxReplicas": 2}}`, nil},
		{`{"apiVersion": "example.com/v1", "kind": "HorizontalPodAutoscaler", "spec": {"minReplicas": 3, "maxReplicas": 2}}`, nil},
		{`{"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": {"containers": [{}, {"resources": {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"cpu": 0.25, "memory": "1024Mi"}}}]}}}}`,
			[]string{`spec.template.spec.containers[1].resources.requests: Invalid value: "500m": must be less than or equal to cpu limit of 250m`}},
		{`{"apiVersion": "batch/v1", "kind": "CronJob", "spec": {"jobTemplate": {"spec": {"template": {"spec": {"initContainers": [{"resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": "1G"}}}]}}}}}}`,
			[]string{`spec.jobTemplate.spec.template.spec.initContainers[0].resources.requests: Invalid value: "1Gi": must be less than or equal to memory limit of 1G`}},
		{`{"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1000m"}}}]}}`, nil},
		{`{"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"resources": {"requests": {"cpu": "one"}, "limits": {"cpu": "1"}}}]}}`, nil},
		{`{"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"readinessProbe": {"successThreshold": 3}, "livenessProbe": {"successThreshold": 1}, "startupProbe": {"successThreshold": 2}}]}}`,
			[]string{"spec.containers[0].startupProbe.successThreshold: Invalid value: 2: must be 1"}},
		{`{"apiVersion": "example.com/v1", "kind": "Deployment", "spec": {"template": {"spec": {"containers": [{"resources": {"requests": {"cpu": 2}, "limits": {"cpu": 1}}}]}}}}`, nil},
	} {
		var object map[string]any
		if err := json.Unmarshal([]byte(c.object), &object); err != nil {
			t.Fatal(err)
		}
		apiVersion, _ := object["apiVersion"].(string)
		kind, _ := object["kind"].(string)
		w := &walk{}
		w.dependent(apiVersion, kind, object)
		var got []string
		for _, f := range w.found {
			got = append(got, f.Field+": "+f.Message)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.object, got, c.want)
		}
	}
}
