// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// The fields that v1 lacks must survive a conversion to v1 and back. The annotations that
// store these fields have the same text as the annotations that an API server writes.
// Other annotations stay unchanged.
func TestScalerRoundTrip(t *testing.T) {
	const v2 = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"annotations":{"mine":"1"},"name":"h"},` +
		`"spec":{"behavior":{"scaleDown":{"policies":[{"periodSeconds":15,"type":"Pods","value":1}],"selectPolicy":"Min"}},"maxReplicas":9,` +
		`"metrics":[{"object":{"describedObject":{"apiVersion":"v1","kind":"Service","name":"s"},"metric":{"name":"hits","selector":{"matchLabels":{"type":"a"}}},"target":{"averageValue":"5","type":"AverageValue"}},"type":"Object"},` +
		`{"resource":{"name":"cpu","target":{"averageUtilization":70,"type":"Utilization"}},"type":"Resource"}]}}`
	const v1 = `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"annotations":{` +
		`"autoscaling.alpha.kubernetes.io/behavior":"{\"ScaleUp\":null,\"ScaleDown\":{\"StabilizationWindowSeconds\":null,\"SelectPolicy\":\"Min\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":1,\"PeriodSeconds\":15}],\"Tolerance\":null}}",` +
		`"autoscaling.alpha.kubernetes.io/metrics":"[{\"type\":\"Object\",\"object\":{\"target\":{\"kind\":\"Service\",\"name\":\"s\",\"apiVersion\":\"v1\"},\"metricName\":\"hits\",\"targetValue\":\"0\",\"selector\":{\"matchLabels\":{\"type\":\"a\"}},\"averageValue\":\"5\"}}]",` +
		`"mine":"1"},"name":"h"},"spec":{"maxReplicas":9,"targetCPUUtilizationPercentage":70}}`
	if got := converted(t, v2, "autoscaling/v1"); got != v1 {
		t.Errorf("in v1:\n%s\nwant\n%s", got, v1)
	}
	if got := converted(t, v1, "autoscaling/v2"); got != v2 {
		t.Errorf("in v2:\n%s\nwant\n%s", got, v2)
	}
}

// An invalid annotation is ignored. If v1 has no metrics, v2 gets a CPU metric of 80 %.
func TestScalerWithoutMetrics(t *testing.T) {
	const v1 = `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"annotations":{"autoscaling.alpha.kubernetes.io/metrics":"[{"}}}`
	const want = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{},` +
		`"spec":{"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}]}}`
	if got := converted(t, v1, "autoscaling/v2"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The status contains the fields that Go always writes: currentReplicas with the value 0
// in v1, currentMetrics with the value null in v2.
func TestScalerStatus(t *testing.T) {
	const v2 = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{},` +
		`"spec":{"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}]},"status":{"currentMetrics":null,"desiredReplicas":0}}`
	const v1 = `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{},"spec":{"targetCPUUtilizationPercentage":80},"status":{"currentReplicas":0,"desiredReplicas":0}}`
	if got := converted(t, v2, "autoscaling/v1"); got != v1 {
		t.Errorf("in v1:\n%s\nwant\n%s", got, v1)
	}
	if got := converted(t, v1, "autoscaling/v2"); got != v2 {
		t.Errorf("in v2:\n%s\nwant\n%s", got, v2)
	}
}

func converted(t *testing.T, text, apiVersion string) string {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	got, err := Builtin(openapi.Builtin(openapi.Options{}), object, apiVersion)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
