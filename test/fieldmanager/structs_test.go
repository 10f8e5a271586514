// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"github.com/dovetail-ssa/dovetail/internal/allocs"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// structured are Go types, with the names of their types in the schema. The schema is older
// than the Go types, so some fields are not declared.
var structured = []struct {
	apiVersion, kind string
	new              func() runtime.Object
}{
	{"v1", "Pod", func() runtime.Object { return new(corev1.Pod) }},
	{"v1", "Service", func() runtime.Object { return new(corev1.Service) }},
	{"v1", "Node", func() runtime.Object { return new(corev1.Node) }},
	{"v1", "ConfigMap", func() runtime.Object { return new(corev1.ConfigMap) }},
	{"v1", "Secret", func() runtime.Object { return new(corev1.Secret) }},
	{"v1", "Endpoints", func() runtime.Object { return new(corev1.Endpoints) }},
	{"v1", "PersistentVolumeClaim", func() runtime.Object { return new(corev1.PersistentVolumeClaim) }},
	{"v1", "ServiceAccount", func() runtime.Object { return new(corev1.ServiceAccount) }},
	{"apps/v1", "Deployment", func() runtime.Object { return new(appsv1.Deployment) }},
	{"apps/v1", "StatefulSet", func() runtime.Object { return new(appsv1.StatefulSet) }},
	{"batch/v1", "Job", func() runtime.Object { return new(batchv1.Job) }},
	// Here, the Go type does not match the type in the schema.
	{"v1", "Service", func() runtime.Object { return new(corev1.Pod) }},
	{"apps/v1", "Deployment", func() runtime.Object { return new(appsv1.StatefulSet) }},
}

// filler fills structs. On average, one of n values is broken: its JSON conversion fails, or it is
// invalid JSON. The filler uses only a few names, so lists sometimes have duplicate items.
func filler(seed int64, n int) *randfill.Filler {
	name := func(c randfill.Continue) string {
		return []string{"a", "b", "c", "web", "TCP", "", "ü"}[c.Intn(7)]
	}
	raw := func(c randfill.Continue) []byte {
		if c.Intn(n) == 0 {
			return []byte([]string{`{`, `{"f:a":}`, `[1,2`, `{"a":1}x`, `"\x"`, `{"a":1e999}`, ` {}`, `7`, `"s"`, `[]`}[c.Intn(10)])
		}
		return []byte([]string{`{}`, `{"f:a":{},"f:b":{".":{},"k:{\"name\":\"x\"}":{}}}`, `{"v:\u00e9":{"f:x":{}}}`, `null`}[c.Intn(4)])
	}
	return randfill.NewWithSeed(seed).NilChance(0.4).NumElements(0, 3).MaxDepth(14).Funcs(
		func(s *string, c randfill.Continue) { *s = name(c) },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewQuantity(int64(c.Intn(9000)), resource.BinarySI)
		},
		func(t *metav1.Time, c randfill.Continue) {
			if c.Bool() {
				*t = metav1.NewTime(time.Unix(int64(c.Intn(1e9)), 0))
			}
		},
		func(t *metav1.MicroTime, c randfill.Continue) {
			*t = metav1.NewMicroTime(time.Unix(int64(c.Intn(1e9)), 5000))
		},
		func(s *intstr.IntOrString, c randfill.Continue) {
			switch {
			case c.Intn(10*n) == 0:
				s.Type = 7
			case c.Bool():
				*s = intstr.FromString(name(c))
			default:
				*s = intstr.FromInt32(int32(c.Intn(3)))
			}
		},
		func(b *[]byte, c randfill.Continue) {
			*b = slices.Concat(make([]byte, []int{0, 1, 200, 2000}[c.Intn(4)]), []byte([]string{"", "a", "b"}[c.Intn(3)]))
		},
		func(f *metav1.FieldsV1, c randfill.Continue) { f.Raw = raw(c) },
		func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = raw(c) },
	)
}

// outcome returns the result of an operation, or the text of its error or panic.
func outcome[T any](f func() (T, error)) (result T, failure string) {
	defer func() {
		if r := recover(); r != nil {
			failure = fmt.Sprintf("panic: %v", r)
		}
	}()
	result, err := f()
	if err != nil {
		failure = "error: " + err.Error()
	}
	return result, failure
}

// TestStructs validates and compares structs. The results must be the same as for the structs
// in the form of plain data.
func TestStructs(t *testing.T) {
	types := builtinTypes(t)
	all := 20 * len(structured)
	if testing.Short() {
		all /= 10
	}
	seen := map[string]int{}
	for i := range all {
		s := structured[i%len(structured)]
		of, err := types.find(s.apiVersion, s.kind)
		if err != nil {
			t.Fatal(err)
		}
		fill := filler(int64(i), 1+i%50*10)
		object := s.new()
		fill.Fill(object)
		for _, opts := range [][]typed.ValidationOptions{nil, {typed.AllowDuplicates}} {
			seen[sameAsPlain(t, of, object, opts)]++
		}
		sameDifferences(t, of, object, changed(fill, object, rand.New(rand.NewPCG(uint64(i), 1))))
	}
	for _, verdict := range []string{"valid", "error", "panic"} {
		if seen[verdict] < all/100 && !testing.Short() {
			t.Errorf("%d of %d are %s: too little was tested", seen[verdict], 2*all, verdict)
		}
	}
	t.Log(seen)
}

// TestStructsWithIntOrString checks that an IntOrString is read directly. Reading it through
// its JSON would allocate memory.
func TestStructsWithIntOrString(t *testing.T) {
	of, err := builtinTypes(t).find("v1", "Service")
	if err != nil {
		t.Fatal(err)
	}
	service := &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{
		{Port: 80, TargetPort: intstr.FromInt32(8080)}, {Port: 443, TargetPort: intstr.FromString("https")},
	}}}
	validated := func() {
		if _, err := of.FromStructured(service); err != nil {
			t.Fatal(err)
		}
	}
	if n := allocs.Least(validated); n > 2 {
		t.Errorf("a Service of two ports takes %v allocations", n)
	}
	service.Spec.Ports[1].TargetPort.Type = 2
	if _, said := outcome(func() (*typed.TypedValue, error) { return of.FromStructured(service) }); said == "" {
		t.Error("a target port that is neither a number nor a text is accepted")
	}
}

// sameAsPlain validates an object both as a struct and as plain data. It checks that the
// results are equal.
func sameAsPlain(t *testing.T, typ typed.ParseableType, object runtime.Object, opts []typed.ValidationOptions) string {
	t.Helper()
	ours, said := outcome(func() (*typed.TypedValue, error) { return typ.FromStructured(object, opts...) })
	plain, want := outcome(func() (*typed.TypedValue, error) {
		v, err := value.NewValueReflect(object)
		if err != nil {
			return nil, err
		}
		return typ.FromUnstructured(v.Unstructured(), opts...)
	})
	if said != want {
		t.Errorf("validating %T: the struct gives\n%s\nplain data gives\n%s", object, said, want)
		return "different"
	}
	if said != "" {
		return said[:5]
	}
	for _, fact := range []engine.Facts{engine.Valid, engine.Unique, engine.NoEmptyLists, engine.StringKeyed} {
		if (*operand.Value)(ours).Knows(fact) != (*operand.Value)(plain).Knows(fact) {
			t.Errorf("%T: fact %b is known of the struct: %v, of plain data: %v", object, fact, (*operand.Value)(ours).Knows(fact), (*operand.Value)(plain).Knows(fact))
		}
	}
	set, err := ours.ToFieldSet()
	wantSet, wantErr := plain.ToFieldSet()
	if err != nil || wantErr != nil || !set.Equals(wantSet) {
		t.Errorf("%T: the field set of the struct is %v, %v, and of plain data %v, %v", object, set, err, wantSet, wantErr)
	}
	return "valid"
}

// changed returns a copy of an object in which at least one part is different.
func changed(fill *randfill.Filler, object runtime.Object, r *rand.Rand) runtime.Object {
	out := object.DeepCopyObject()
	switch o := out.(type) {
	case *corev1.Pod:
		switch r.IntN(5) {
		case 0:
			fill.Fill(&o.Status)
		case 1:
			fill.Fill(&o.Spec.Containers)
		case 2:
			o.ManagedFields = nil
		case 3:
			o.Spec = corev1.PodSpec{}
		case 4:
			o.Labels = map[string]string{"a": "b"}
		}
	case *appsv1.Deployment:
		switch r.IntN(3) {
		case 0:
			o.Annotations = nil
		case 1:
			fill.Fill(&o.Spec.Template.Spec.Containers)
		case 2:
			o.Spec.Strategy.RollingUpdate = nil
		}
	case *corev1.Service:
		fill.Fill(&o.Spec)
	case *corev1.Node:
		fill.Fill(&o.Status.Conditions)
	default:
		if r.IntN(3) > 0 {
			fill.Fill(out)
		}
	}
	return out
}

func sameDifferences(t *testing.T, typ typed.ParseableType, a, b runtime.Object) {
	t.Helper()
	compare := func(typedOf func(runtime.Object) (*typed.TypedValue, error)) (*typed.Comparison, string) {
		return outcome(func() (*typed.Comparison, error) {
			x, err := typedOf(a)
			if err != nil {
				return nil, err
			}
			y, err := typedOf(b)
			if err != nil {
				return nil, err
			}
			return x.Compare(y)
		})
	}
	got, said := compare(func(o runtime.Object) (*typed.TypedValue, error) {
		return typ.FromStructured(o, typed.AllowDuplicates)
	})
	want, wantSaid := compare(func(o runtime.Object) (*typed.TypedValue, error) {
		v, err := value.NewValueReflect(o)
		if err != nil {
			return nil, err
		}
		return typ.FromUnstructured(v.Unstructured(), typed.AllowDuplicates)
	})
	if said != wantSaid {
		t.Errorf("%T: comparing structs gives %s, comparing plain data %s", a, said, wantSaid)
	} else if said == "" && (!got.Added.Equals(want.Added) || !got.Modified.Equals(want.Modified) || !got.Removed.Equals(want.Removed)) {
		t.Errorf("%T: the structs differ in\n%v\nthe plain data in\n%v", a, got, want)
	}
}
