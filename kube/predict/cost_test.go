// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// podSpec is the pod spec in all measured objects.
const podSpec = `{"serviceAccountName": "shop", "nodeSelector": {"disk": "ssd"}, "securityContext": {"fsGroup": 2000},
	"initContainers": [{"name": "migrate", "image": "shop/migrate:2.1", "command": ["migrate", "up"],
		"env": [{"name": "DB", "valueFrom": {"secretKeyRef": {"name": "db", "key": "url"}}}]}],
	"containers": [{"name": "web", "image": "shop/web:2.1", "args": ["--port=8080", "--verbose"],
		"env": [{"name": "DB", "valueFrom": {"secretKeyRef": {"name": "db", "key": "url"}}}, {"name": "LEVEL", "value": "info"},
			{"name": "REGION", "value": "eu-1"}, {"name": "NODE", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}}],
		"ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}, {"name": "metrics", "containerPort": 9090, "protocol": "TCP"}],
		"resources": {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"cpu": "1", "memory": "512Mi"}},
		"livenessProbe": {"httpGet": {"path": "/live", "port": "http"}, "periodSeconds": 20},
		"readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}},
		"volumeMounts": [{"name": "config", "mountPath": "/etc/shop"}, {"name": "cache", "mountPath": "/cache"}]},
		{"name": "proxy", "image": "proxy:1.9", "ports": [{"name": "proxy", "containerPort": 15001, "protocol": "TCP"}],
		"env": [{"name": "MODE", "value": "sidecar"}],
		"resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
		"volumeMounts": [{"name": "config", "mountPath": "/etc/proxy", "readOnly": true}]}],
	"volumes": [{"name": "config", "configMap": {"name": "shop"}}, {"name": "cache", "emptyDir": {"sizeLimit": "1Gi"}}]}`

const labelled = `"metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web", "tier": "front", "release": "v2"}, "annotations": {"team": "shop"}}`

// measured lists the kinds to measure, each with the object to apply.
var measured = []struct{ kind, config string }{
	{"Pod", `{"apiVersion": "v1", "kind": "Pod", ` + labelled + `, "spec": ` + podSpec + `}`},
	{"Deployment", `{"apiVersion": "apps/v1", "kind": "Deployment", ` + labelled + `, "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}},
		"template": {` + `"metadata": {"labels": {"app": "web", "tier": "front"}}, "spec": ` + podSpec + `}}}`},
}

// BenchmarkApply measures an apply to a live object, once with the merge alone and once
// with a full prediction. It does so with two configs: one changes a field, and the other
// changes nothing. test/cmd/predictcost counts instructions for the same objects.
func BenchmarkApply(b *testing.B) {
	s := goServer(b)
	now := time.Unix(0, 0)
	for _, m := range measured {
		config := object(b, m.config)
		live := request(b, s, &predict.Request{Verb: predict.Apply, Manager: "gitops", Time: now, Object: config}).Object
		seen := object(b, asJSON(b, live))
		seen["metadata"].(map[string]any)["uid"] = "1"
		seen["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}
		live = request(b, s, &predict.Request{Verb: predict.Update, Subresource: "status", Manager: "kubelet", Time: now, Object: seen, Live: live}).Object
		changed := object(b, m.config)
		changed["metadata"].(map[string]any)["labels"].(map[string]any)["release"] = "v3"
		for _, of := range []struct {
			name   string
			object map[string]any
		}{{"OneField", changed}, {"Noop", config}} {
			r := &predict.Request{Verb: predict.Apply, Manager: "gitops", Time: now, Object: of.object, Live: live}
			b.Run(m.kind+"/"+of.name+"/Merge", func(b *testing.B) {
				b.ReportAllocs()
				options := s.FieldManager
				options.Clock = func() time.Time { return now }
				alone, err := fieldmanager.New(options)
				for err == nil && b.Loop() {
					_, err = alone.Apply(r.Live, r.Object, r.Manager, false)
				}
				if err != nil {
					b.Fatal(err)
				}
			})
			b.Run(m.kind+"/"+of.name+"/Predict", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					request(b, s, r)
				}
			})
		}
	}
}

func request(b testing.TB, s *predict.Server, r *predict.Request) *predict.Prediction {
	p, err := s.Predict(r)
	if err != nil {
		b.Fatal(err)
	}
	return p
}
