// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/quantity"
)

// These annotations of a v1 autoscaler store the fields that exist only in v2.
const (
	metricsAnnotation    = "autoscaling.alpha.kubernetes.io/metrics"
	behaviorAnnotation   = "autoscaling.alpha.kubernetes.io/behavior"
	currentAnnotation    = "autoscaling.alpha.kubernetes.io/current-metrics"
	conditionsAnnotation = "autoscaling.alpha.kubernetes.io/conditions"
)

var scalerAnnotations = []string{
	metricsAnnotation, behaviorAnnotation, currentAnnotation, conditionsAnnotation,
	"autoscaling.alpha.kubernetes.io/scale-down-tolerance", "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
}

// move maps a field of a v1 metric to its path in v2.
type move struct {
	v1, v2 string
	// If always is true, Go writes the v1 field even if it is empty, so a missing value becomes the
	// quantity 0.
	always bool
}

// metrics lists the fields of each type of metric. The outer key is "target" for a metric in the
// spec, or "current" for a metric in the status. The inner key is the type of the metric.
var metrics = map[string]map[string][]move{
	"target": {
		"object":            {{v1: "target", v2: "describedObject"}, {v1: "metricName", v2: "metric.name"}, {"targetValue", "target.value", true}, {v1: "selector", v2: "metric.selector"}, {v1: "averageValue", v2: "target.averageValue"}},
		"pods":              {{v1: "metricName", v2: "metric.name"}, {"targetAverageValue", "target.averageValue", true}, {v1: "selector", v2: "metric.selector"}},
		"resource":          {{v1: "name", v2: "name"}, {v1: "targetAverageUtilization", v2: "target.averageUtilization"}, {v1: "targetAverageValue", v2: "target.averageValue"}},
		"containerResource": {{v1: "name", v2: "name"}, {v1: "targetAverageUtilization", v2: "target.averageUtilization"}, {v1: "targetAverageValue", v2: "target.averageValue"}, {v1: "container", v2: "container"}},
		"external":          {{v1: "metricName", v2: "metric.name"}, {v1: "metricSelector", v2: "metric.selector"}, {v1: "targetValue", v2: "target.value"}, {v1: "targetAverageValue", v2: "target.averageValue"}},
	},
	"current": {
		"object":            {{v1: "target", v2: "describedObject"}, {v1: "metricName", v2: "metric.name"}, {"currentValue", "current.value", true}, {v1: "selector", v2: "metric.selector"}, {v1: "averageValue", v2: "current.averageValue"}},
		"pods":              {{v1: "metricName", v2: "metric.name"}, {"currentAverageValue", "current.averageValue", true}, {v1: "selector", v2: "metric.selector"}},
		"resource":          {{v1: "name", v2: "name"}, {v1: "currentAverageUtilization", v2: "current.averageUtilization"}, {"currentAverageValue", "current.averageValue", true}},
		"containerResource": {{v1: "name", v2: "name"}, {v1: "currentAverageUtilization", v2: "current.averageUtilization"}, {"currentAverageValue", "current.averageValue", true}, {v1: "container", v2: "container"}},
		"external":          {{v1: "metricName", v2: "metric.name"}, {v1: "metricSelector", v2: "metric.selector"}, {"currentValue", "current.value", true}, {v1: "currentAverageValue", v2: "current.averageValue"}},
	},
}

// metricToV1 converts a v2 metric to v1. The argument part is "target" for a metric in the spec, and
// "current" for a metric in the status.
func metricToV1(v any, part string) any {
	metric := object(v)
	out := map[string]any{"type": text(metric["type"])}
	for name, moves := range metrics[part] {
		source := object(metric[name])
		if metric[name] == nil {
			continue
		}
		to := map[string]any{}
		for _, m := range moves {
			switch v := at(source, m.v2); {
			case v != nil:
				to[m.v1] = v
			case m.always:
				to[m.v1] = "0"
			case m.v1 == "metricName", m.v1 == "name", m.v1 == "container":
				to[m.v1] = ""
			case m.v1 == "target":
				to[m.v1] = map[string]any{"kind": "", "name": ""}
			}
		}
		out[name] = to
	}
	return out
}

// metricToV2 converts a v1 metric to v2. The argument part is "target" for a metric in the spec, and
// "current" for a metric in the status.
func metricToV2(v any, part string) any {
	metric := object(v)
	out := map[string]any{"type": text(metric["type"])}
	for name, moves := range metrics[part] {
		source := object(metric[name])
		if metric[name] == nil {
			continue
		}
		to := map[string]any{}
		for _, m := range moves {
			v := source[m.v1]
			if v == nil && m.always {
				v = "0"
			}
			if v != nil {
				put(to, m.v2, v)
			}
		}
		if part == "target" {
			target := object(to[part])
			put(to, "target.type", targetType(name, target))
			if name == "object" && target["averageValue"] != nil && isZero(target["value"]) {
				delete(target, "value")
			}
		}
		out[name] = to
	}
	return out
}

// targetType returns the type of a v2 target, such as Utilization. v1 has no such field, so
// targetType derives it from the kind of metric (source) and from the fields of the target.
func targetType(source string, target map[string]any) string {
	switch {
	case source == "object" && target["averageValue"] == nil, source == "external" && target["value"] != nil:
		return "Value"
	case strings.HasSuffix(strings.ToLower(source), "resource") && target["averageUtilization"] != nil:
		return "Utilization"
	}
	return "AverageValue"
}

// isCPU reports whether a v2 metric is the CPU utilization, which is a separate field in v1. The
// argument part is "target" for a metric in the spec, and "current" for a metric in the status.
func isCPU(v any, part string) bool {
	metric := object(v)
	resource := object(metric["resource"])
	return metric["type"] == "Resource" && resource["name"] == "cpu" && at(resource, part+".averageUtilization") != nil
}

func cpu(part string, utilization any) any {
	inside := map[string]any{"averageUtilization": utilization}
	if part == "target" {
		inside["type"] = "Utilization"
	}
	return map[string]any{"type": "Resource", "resource": map[string]any{"name": "cpu", part: inside}}
}

func scalerToV1(scaler map[string]any) {
	spec, status := copied(scaler["spec"]), copied(scaler["status"])
	annotations := withoutScaler(scaler)
	var others []any
	for _, m := range list(spec["metrics"]) {
		switch {
		case !isCPU(m, "target"):
			others = append(others, metricToV1(m, "target"))
		case spec["targetCPUUtilizationPercentage"] == nil:
			spec["targetCPUUtilizationPercentage"] = at(object(m), "resource.target.averageUtilization")
		}
	}
	var current []any
	for _, m := range list(status["currentMetrics"]) {
		current = append(current, metricToV1(m, "current"))
		if isCPU(m, "current") {
			status["currentCPUUtilizationPercentage"] = at(object(m), "resource.current.averageUtilization")
		}
	}
	var conditions []any
	for _, c := range list(status["conditions"]) {
		condition := copied(c)
		for _, name := range []string{"reason", "message"} {
			if condition[name] == "" {
				delete(condition, name)
			}
		}
		if _, ok := condition["lastTransitionTime"]; !ok {
			condition["lastTransitionTime"] = nil
		}
		conditions = append(conditions, condition)
	}
	write := func(annotation string, v any, there bool) {
		if there {
			data, err := json.Marshal(ordered{v: v})
			if err != nil {
				panic(err) // cannot happen: v was decoded from JSON
			}
			annotations[annotation] = string(data)
		}
	}
	write(metricsAnnotation, others, len(others) > 0)
	write(currentAnnotation, current, len(current) > 0)
	write(behaviorAnnotation, behaviorToV1(object(spec["behavior"])), spec["behavior"] != nil)
	write(conditionsAnnotation, conditions, len(conditions) > 0)
	delete(spec, "metrics")
	delete(spec, "behavior")
	delete(status, "currentMetrics")
	delete(status, "conditions")
	if len(status) > 0 && status["currentReplicas"] == nil { // the Go type of v1 always writes currentReplicas
		status["currentReplicas"] = int64(0)
	}
	finish(scaler, spec, status, annotations)
}

func scalerToV2(scaler map[string]any) {
	carried := object(object(scaler["metadata"])["annotations"])
	spec, status := copied(scaler["spec"]), copied(scaler["status"])
	// Ignore invalid annotations, as API servers do.
	read := func(annotation string) (v any, ok bool) {
		err := json.Unmarshal([]byte(text(carried[annotation])), &v)
		return whole(v), err == nil && carried[annotation] != nil
	}
	var all []any
	if v, ok := read(metricsAnnotation); ok {
		for _, m := range list(v) {
			all = append(all, metricToV2(m, "target"))
		}
	}
	if v := spec["targetCPUUtilizationPercentage"]; v != nil {
		all = append(all, cpu("target", v))
	}
	if len(all) == 0 {
		all = []any{cpu("target", int64(80))}
	}
	delete(spec, "targetCPUUtilizationPercentage")
	spec["metrics"] = all
	if v, ok := read(behaviorAnnotation); ok {
		if behavior := behaviorToV2(object(v)); len(behavior) > 0 {
			spec["behavior"] = behavior
		}
	}
	if v, ok := read(currentAnnotation); ok {
		current := []any{}
		for _, m := range list(v) {
			current = append(current, metricToV2(m, "current"))
		}
		status["currentMetrics"] = current
	} else if v := status["currentCPUUtilizationPercentage"]; v != nil {
		status["currentMetrics"] = []any{cpu("current", v)}
	}
	delete(status, "currentCPUUtilizationPercentage")
	if len(status) > 0 { // the Go type of v2 always writes currentMetrics
		if _, ok := status["currentMetrics"]; !ok {
			status["currentMetrics"] = nil
		}
		if document.IsZero(status["currentReplicas"]) {
			delete(status, "currentReplicas")
		}
	}
	if v, ok := read(conditionsAnnotation); ok {
		status["conditions"] = v
	}
	finish(scaler, spec, status, withoutScaler(scaler))
}

// behaviorNames maps the fields of behavior to their names in the annotation, which differ
// from the JSON names.
var behaviorNames = map[string]string{
	"scaleUp": "ScaleUp", "scaleDown": "ScaleDown", "stabilizationWindowSeconds": "StabilizationWindowSeconds",
	"selectPolicy": "SelectPolicy", "policies": "Policies", "tolerance": "Tolerance",
	"type": "Type", "value": "Value", "periodSeconds": "PeriodSeconds",
}

func behaviorToV1(behavior map[string]any) map[string]any {
	rules := func(v any) any {
		in, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		out := named(in, "stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")
		if in["policies"] != nil {
			policies := []any{}
			for _, p := range list(in["policies"]) {
				policies = append(policies, named(object(p), "type", "value", "periodSeconds"))
			}
			out["Policies"] = policies
		}
		return out
	}
	return map[string]any{"ScaleUp": rules(behavior["scaleUp"]), "ScaleDown": rules(behavior["scaleDown"])}
}

// named copies the listed fields of a map. It renames them to their names in the behavior annotation,
// which behaviorNames lists. Missing fields become null.
func named(in map[string]any, names ...string) map[string]any {
	out := map[string]any{}
	for _, name := range names {
		out[behaviorNames[name]] = in[name]
	}
	return out
}

// behaviorToV2 renames the fields of behavior to their JSON names, and removes nulls.
func behaviorToV2(v map[string]any) map[string]any {
	out := map[string]any{}
	for name, is := range behaviorNames {
		for key, v := range v {
			if !strings.EqualFold(key, is) || v == nil {
				continue
			}
			switch v := v.(type) {
			case map[string]any:
				out[name] = behaviorToV2(v)
			case []any:
				items := make([]any, len(v))
				for i := range v {
					items[i] = behaviorToV2(object(v[i]))
				}
				out[name] = items
			default:
				out[name] = v
			}
		}
	}
	return out
}

// withoutScaler returns a copy of the scaler's annotations, without the annotations that store
// autoscaler fields.
func withoutScaler(scaler map[string]any) map[string]any {
	annotations := copied(object(scaler["metadata"])["annotations"])
	for _, name := range scalerAnnotations {
		delete(annotations, name)
	}
	return annotations
}

// finish sets the spec, status and annotations of an autoscaler. It omits those that are
// empty.
func finish(scaler, spec, status, annotations map[string]any) {
	metadata := copied(scaler["metadata"])
	delete(metadata, "annotations")
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	scaler["metadata"] = metadata
	for name, part := range map[string]map[string]any{"spec": spec, "status": status} {
		if delete(scaler, name); len(part) > 0 {
			scaler[name] = part
		}
	}
}

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

// copied returns a copy of v, or an empty map if v is not an object.
func copied(v any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, object(v))
	return out
}

func list(v any) []any  { l, _ := v.([]any); return l }
func text(v any) string { s, _ := v.(string); return s }

// at returns the value at a path of field names, such as "target.value".
func at(m map[string]any, path string) any {
	name, rest, more := strings.Cut(path, ".")
	if !more {
		return m[name]
	}
	return at(object(m[name]), rest)
}

// put sets the value at a path such as "target.value", and creates missing maps.
func put(m map[string]any, path string, v any) {
	name, rest, more := strings.Cut(path, ".")
	if !more {
		m[name] = v
		return
	}
	below, _ := m[name].(map[string]any)
	if below == nil {
		below = map[string]any{}
		m[name] = below
	}
	put(below, rest, v)
}

// isZero reports whether v is absent or is a quantity of 0.
func isZero(v any) bool {
	n, ok := quantity.Compare(text(v), "0")
	return ok && n == 0 || v == nil || v == int64(0)
}

// whole replaces whole numbers in v, such as 80.0, with integers of type int64. It changes maps and
// lists in place.
func whole(v any) any {
	switch x := v.(type) {
	case float64:
		if i := int64(x); float64(i) == x {
			return i
		}
	case map[string]any:
		for k := range x {
			x[k] = whole(x[k])
		}
	case []any:
		for i := range x {
			x[i] = whole(x[i])
		}
	}
	return v
}
