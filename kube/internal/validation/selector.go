// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
	"strings"
)

// selectors checks that a workload's selector matches the Pods that the workload creates.
func (w *walk) selectors(apiVersion, kind string, object map[string]any) {
	spec := mapOf(object["spec"])
	labels := mapOf(mapOf(mapOf(spec["template"])["metadata"])["labels"])
	mismatch := func() {
		w.add(invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"))
	}
	switch {
	case apiVersion == "v1" && kind == "ReplicationController":
		if selector := mapOf(spec["selector"]); spec["template"] != nil && len(selector) > 0 && !selects(map[string]any{"matchLabels": selector}, labels) {
			mismatch()
		}
	case strings.HasPrefix(apiVersion, "apps/"):
		if !slices.Contains([]string{"DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"}, kind) {
			return
		}
		selector, ok := spec["selector"].(map[string]any)
		if !ok {
			return
		}
		if len(mapOf(selector["matchLabels"]))+len(listOf(selector["matchExpressions"])) == 0 {
			name := strings.ToLower(kind)
			if kind == "ReplicaSet" {
				name = "deployment"
			}
			w.add(invalid("spec.selector", selector, "empty selector is invalid for "+name))
		}
		if !selects(selector, labels) {
			mismatch()
		}
	case strings.HasPrefix(apiVersion, "batch/") && kind == "Job":
		if selector, ok := spec["selector"].(map[string]any); ok && spec["manualSelector"] == true && !selects(selector, labels) {
			mismatch()
		}
	}
}

// selects reports whether a selector matches labels. It returns true for an invalid selector,
// because other rules report such a selector.
func selects(selector, labels map[string]any) bool {
	for key, want := range mapOf(selector["matchLabels"]) {
		if has, ok := labels[key]; !ok || has != want {
			return false
		}
	}
	for _, item := range listOf(selector["matchExpressions"]) {
		e := mapOf(item)
		key, _ := e["key"].(string)
		has, present := labels[key]
		in := slices.ContainsFunc(listOf(e["values"]), func(v any) bool { return v == has })
		ok := true
		switch e["operator"] {
		case "In":
			ok = present && in
		case "NotIn":
			ok = !present || !in
		case "Exists":
			ok = present
		case "DoesNotExist":
			ok = !present
		}
		if !ok {
			return false
		}
	}
	return true
}

func mapOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func listOf(v any) []any {
	l, _ := v.([]any)
	return l
}
