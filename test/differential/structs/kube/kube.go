// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package kube registers Go types of k8s.io/api as kinds of package structs. The schemas of
// these kinds come from the client libraries.
package kube

import (
	"encoding/json"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
	yaml "go.yaml.in/yaml/v2"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

func init() {
	for _, k := range []struct {
		version, name string
		new           func() any
	}{
		{"core.v1", "Pod", func() any { return new(corev1.Pod) }},
		{"core.v1", "Service", func() any { return new(corev1.Service) }},
		{"core.v1", "PersistentVolumeClaim", func() any { return new(corev1.PersistentVolumeClaim) }},
		{"core.v1", "Node", func() any { return new(corev1.Node) }},
		{"core.v1", "Secret", func() any { return new(corev1.Secret) }},
		{"apps.v1", "Deployment", func() any { return new(appsv1.Deployment) }},
		{"apps.v1", "ControllerRevision", func() any { return new(appsv1.ControllerRevision) }},
		{"autoscaling.v2", "HorizontalPodAutoscaler", func() any { return new(autoscalingv2.HorizontalPodAutoscaler) }},
		{"batch.v1", "Job", func() any { return new(batchv1.Job) }},
		{"coordination.v1", "Lease", func() any { return new(coordinationv1.Lease) }},
		{"networking.v1", "NetworkPolicy", func() any { return new(networkingv1.NetworkPolicy) }},
		{"networking.v1", "Ingress", func() any { return new(networkingv1.Ingress) }},
	} {
		structs.Kinds = append(structs.Kinds, structs.Kind{
			Name: k.name, New: k.new, Schema: func() any { return document() }, Type: "io.k8s.api." + k.version + "." + k.name,
		})
	}
	special(func(v any, form int) resource.Quantity { return quantity(text(v), form) })
	special(func(v any, form int) metav1.Time { return metav1.Time{Time: moment(v, form)} })
	special(func(v any, form int) metav1.MicroTime { return metav1.MicroTime{Time: moment(v, form)} })
	special(func(v any, form int) metav1.Duration {
		return metav1.Duration{Duration: time.Duration(len(text(v))) * time.Second}
	})
	special(func(v any, form int) intstr.IntOrString {
		// This field has no schema, so the value may be anything.
		if s, ok := v.(string); ok {
			return intstr.IntOrString{Type: intstr.String, StrVal: s, IntVal: int32(form % 2)}
		}
		n, _ := v.(int64)
		return intstr.IntOrString{Type: intstr.Int, IntVal: int32(n), StrVal: []string{"", "old"}[form%2]}
	})
	special(func(v any, form int) metav1.FieldsV1 { return metav1.FieldsV1{Raw: raw(v, form)} })
	special(func(v any, form int) runtime.RawExtension {
		if m, ok := v.(map[string]any); ok && form == 3 {
			// Set the field Object instead of Raw, like a program that has not encoded the object yet.
			return runtime.RawExtension{Object: &runtime.Unknown{ContentType: runtime.ContentTypeJSON, Raw: raw(m, 0)}}
		}
		return runtime.RawExtension{Raw: raw(v, form)}
	})
}

// special registers a function that creates values of type T.
func special[T any](create func(v any, form int) T) {
	structs.Specials[reflect.TypeFor[T]()] = func(dst reflect.Value, v any, form int) {
		if v != nil || form > 1 {
			dst.Set(reflect.ValueOf(create(v, form)))
		}
	}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// quantity returns one of a few quantities, depending on a text. The second argument selects one
// of four representations in memory: parsed, computed, with a cached text, or as a decimal.
func quantity(s string, form int) resource.Quantity {
	spelling := []string{"0", "1", "1500m", "1Gi", "64Mi", "2k"}[len(s)%6]
	q := resource.MustParse(spelling)
	switch form {
	case 1:
		q = *resource.NewMilliQuantity(q.MilliValue(), q.Format)
	case 2:
		q = *resource.NewMilliQuantity(q.MilliValue(), q.Format)
		_ = q.String()
	case 3:
		q.AsDec()
	}
	return q
}

var zone = time.FixedZone("elsewhere", 3600)

// moment returns a time that depends on a text. The second argument selects one of several
// representations in memory.
func moment(v any, form int) time.Time {
	s := text(v)
	if s == "" {
		return []time.Time{{}, time.Time{}.In(zone), {}, {}}[form]
	}
	t := time.Unix(int64(1e9+len(s)), 0)
	return []time.Time{t.UTC(), t.In(zone), t.UTC().Add(time.Nanosecond), t.In(time.UTC)}[form]
}

// raw returns a value as JSON. The second argument selects one of several spellings.
func raw(v any, form int) []byte {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return []byte(strconv.Quote(tree.Text(v)))
	}
	if form == 1 && (b[0] == '{' || b[0] == '[') {
		b = append(b, '\n')
	}
	return b
}

// document has the schemas of all kinds.
var document = sync.OnceValue(func() any {
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	t, err := applyconfigurations.NewTypeConverter(scheme.Scheme).ObjectToTyped(pod)
	if err != nil {
		panic(err)
	}
	b, err := yaml.Marshal(t.Schema())
	if err != nil {
		panic(err)
	}
	doc, err := tree.Parse(string(b))
	if err != nil {
		panic(err)
	}
	return doc
})
