// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// toManifest returns a Go struct as unstructured content. It omits the empty fields that Go
// encodes but a manifest would not contain.
func toManifest(gvk schema.GroupVersionKind, obj runtime.Object) object {
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	o, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	must(err)
	for _, top := range []string{"status", "spec"} {
		if m, ok := o[top].(object); ok && len(m) == 0 {
			delete(o, top)
		}
	}
	strip(o)
	return o
}

// noise lists fields that Go encodes even if they are empty, because they lack omitempty.
var noise = map[string]bool{"creationTimestamp": true, "resources": true, "strategy": true, "loadBalancer": true, "acceptedNames": true, "storedVersions": true, "conditions": true}

func strip(v any) {
	switch v := v.(type) {
	case object:
		for name, item := range v {
			if m, ok := item.(object); noise[name] && (item == nil || ok && len(m) == 0) {
				delete(v, name)
				continue
			}
			strip(item)
		}
	case []any:
		for _, item := range v {
			strip(item)
		}
	}
}

var started = metav1.NewTime(time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC))

// applied returns the metadata of a manifest. The argument "more" contains additional labels.
// The namespace may be empty.
func applied(namespace, name string, more map[string]string) metav1.ObjectMeta {
	labels := map[string]string{
		"app.kubernetes.io/component":  "api",
		"app.kubernetes.io/instance":   name + "-eu",
		"app.kubernetes.io/managed-by": "kustomize",
		"app.kubernetes.io/name":       name,
		"app.kubernetes.io/part-of":    "booking",
		"app.kubernetes.io/version":    "4.11.2",
		"cost-center":                  "1742",
		"stage":                        "production",
	}
	for k, v := range more {
		labels[k] = v
	}
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name, Labels: labels,
		Annotations: map[string]string{
			"booking.example.com/contact":     "platform@booking.example.com",
			"booking.example.com/config-hash": "b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611184",
			"booking.example.com/runbook":     "https://runbooks.booking.example.com/" + name,
			"linkerd.io/inject":               "enabled",
			"kubernetes.io/description":       "Serves bookings to the web and mobile clients.",
		},
	}
}

// withServerFields adds the fields of metadata that the server sets, such as uid.
func withServerFields(m metav1.ObjectMeta) metav1.ObjectMeta {
	m.UID = "0f5e1a52-41a7-4a1b-8a7e-f2a6cf3f2d10"
	m.ResourceVersion = "90210445"
	m.Generation = 4
	m.CreationTimestamp = started
	return m
}

func ptr[T any](v T) *T { return &v }

func podConditions() []corev1.PodCondition {
	var cs []corev1.PodCondition
	for _, t := range []corev1.PodConditionType{
		corev1.PodReadyToStartContainers, corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled,
	} {
		cs = append(cs, corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: started, ObservedGeneration: 4})
	}
	return cs
}
