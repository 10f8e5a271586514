// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command histories sends random histories of typed objects through the field manager of
// apimachinery and prints what each step left behind. Built over two engines it is to
// print the same: see test/cmd/histories.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

func main() {
	seed := flag.Uint64("seed", 1, "first history")
	n := flag.Uint64("n", 1, "how many")
	only := flag.Uint64("steps", ^uint64(0), "steps to do, one bit for each")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for s := *seed; s < *seed+*n; s++ {
		newHistory(s).run(out, *only)
	}
}

var kinds = []struct {
	schema.GroupVersionKind
	new func() runtime.Object
}{
	{corev1.SchemeGroupVersion.WithKind("Pod"), func() runtime.Object { return new(corev1.Pod) }},
	{corev1.SchemeGroupVersion.WithKind("Service"), func() runtime.Object { return new(corev1.Service) }},
	{corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"), func() runtime.Object { return new(corev1.PersistentVolumeClaim) }},
	{corev1.SchemeGroupVersion.WithKind("Secret"), func() runtime.Object { return new(corev1.Secret) }},
	{appsv1.SchemeGroupVersion.WithKind("Deployment"), func() runtime.Object { return new(appsv1.Deployment) }},
	{autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"), func() runtime.Object { return new(autoscalingv2.HorizontalPodAutoscaler) }},
	{batchv1.SchemeGroupVersion.WithKind("Job"), func() runtime.Object { return new(batchv1.Job) }},
	{networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"), func() runtime.Object { return new(networkingv1.NetworkPolicy) }},
}

// steps is how many steps a history has at most.
const steps = 8

type history struct {
	seed uint64
	*rand.Rand
	fill *randfill.Filler
	gvk  schema.GroupVersionKind
	new  func() runtime.Object
	fm   *managedfields.FieldManager
	live runtime.Object
}

func newHistory(seed uint64) *history {
	h := &history{seed: seed, Rand: rand.New(rand.NewPCG(seed, 7))}
	k := kinds[h.IntN(len(kinds))]
	h.gvk, h.new = k.GroupVersionKind, k.new
	var err error
	h.fm, err = managedfields.NewDefaultFieldManager(converter, sameVersion{}, noDefaults{}, scheme.Scheme, h.gvk, h.gvk.GroupVersion(), "", nil)
	if err != nil {
		panic(err)
	}
	h.fill = filler(int64(seed))
	h.live = h.empty()
	return h
}

var converter = applyconfigurations.NewTypeConverter(scheme.Scheme)

// sameVersion converts objects to the only version that there is.
type sameVersion struct{}

func (sameVersion) Convert(in, out, context any) error {
	return errors.New("there is no other version")
}

func (sameVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (sameVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

func (h *history) empty() runtime.Object { return h.named(h.new()) }

func (h *history) named(o runtime.Object) runtime.Object {
	o.GetObjectKind().SetGroupVersionKind(h.gvk)
	m, err := meta.Accessor(o)
	if err != nil {
		panic(err)
	}
	m.SetName("n")
	return o
}

// run does the steps that only has bits for. Others are drawn all the same, so that the
// rest stays what it is.
func (h *history) run(out *bufio.Writer, only uint64) {
	for i := range steps {
		r := rand.New(rand.NewPCG(h.seed, uint64(i)+100))
		h.fill = filler(int64(h.seed*steps + uint64(i)))
		if only>>i&1 == 0 {
			continue
		}
		what := h.step(r)
		fmt.Fprintf(out, "%d/%d %s %s: %s\n", h.seed, i, h.gvk.Kind, what, h.managers())
	}
}

// step does one step and tells what it was.
func (h *history) step(r *rand.Rand) string {
	manager := []string{"a", "b", "c"}[r.IntN(3)]
	var next runtime.Object
	var err error
	switch op := r.IntN(6); op {
	case 0, 1:
		force := r.IntN(3) == 0
		next, err = h.fm.Apply(h.live, h.config(r), manager, force)
		if err == nil {
			err = h.store(next)
		}
		return fmt.Sprintf("apply %s %v %s", manager, force, said(err))
	case 2:
		next = h.named(h.filled())
		m, _ := meta.Accessor(next)
		live, _ := meta.Accessor(h.live)
		m.SetManagedFields(live.GetManagedFields())
	default:
		// The same again, in another form of memory, or with a part that is new.
		next = h.live.DeepCopyObject()
		if op == 3 {
			other, spec := contents(h.filled()), contents(next)
			if i := r.IntN(spec.NumField()); spec.Field(i).CanSet() && !spec.Type().Field(i).Anonymous {
				spec.Field(i).Set(other.Field(i))
			}
		}
		reform(reflect.ValueOf(next).Elem(), r)
	}
	next, err = h.fm.Update(h.live, next, manager)
	if err == nil {
		err = h.store(next)
	}
	return fmt.Sprintf("update %s %s", manager, said(err))
}

// contents is the spec of an object, or all of it if there is none.
func contents(o runtime.Object) reflect.Value {
	v := reflect.ValueOf(o).Elem()
	if spec := v.FieldByName("Spec"); spec.IsValid() {
		return spec
	}
	return v
}

func (h *history) filled() runtime.Object {
	o := h.new()
	h.fill.Fill(o)
	m, _ := meta.Accessor(o)
	m.SetManagedFields(nil)
	return o
}

// always are what each object has.
var always = map[string]bool{"apiVersion": true, "kind": true, "metadata": true}

// config is a part of a filled object.
func (h *history) config(r *rand.Rand) runtime.Object {
	u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(h.named(h.filled()))
	if err != nil {
		panic(err)
	}
	delete(u, "status")
	u["metadata"] = map[string]any{"name": "n", "labels": map[string]any{"l": "v"}}
	spec, ok := u["spec"].(map[string]any)
	if !ok {
		spec = u
	}
	for _, name := range slices.Sorted(maps.Keys(spec)) {
		if !always[name] && r.IntN(3) > 0 {
			delete(spec, name)
		}
	}
	return &unstructured.Unstructured{Object: u}
}

// store makes a struct of what a step left, as a server does.
func (h *history) store(o runtime.Object) error {
	if u, ok := o.(*unstructured.Unstructured); ok {
		s := h.new()
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, s); err != nil {
			return err
		}
		o = s
	}
	o.GetObjectKind().SetGroupVersionKind(h.gvk)
	h.live = o
	return nil
}

// said is what a client gets to know, but for words that come in any order.
func said(err error) string {
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &status) && status.Status().Details != nil:
		causes := []string{}
		for _, c := range status.Status().Details.Causes {
			causes = append(causes, c.Message+" "+c.Field)
		}
		slices.Sort(causes)
		return "conflicts " + strings.Join(causes, "; ")
	}
	return "fails"
}

func (h *history) managers() string {
	m, _ := meta.Accessor(h.live)
	lines := []string{}
	for _, e := range m.GetManagedFields() {
		lines = append(lines, fmt.Sprint(e.Manager, " ", e.Operation, " ", string(e.FieldsV1.Raw)))
	}
	slices.Sort(lines)
	timeless := h.live.DeepCopyObject()
	if m, err := meta.Accessor(timeless); err == nil {
		m.SetManagedFields(nil)
	}
	data, err := json.Marshal(timeless)
	return fmt.Sprintf("%s %d %08x %v", strings.Join(lines, " | "), len(data), crc32.ChecksumIEEE(data), err)
}

// reform gives some of the fields another form of memory that says the same.
func reform(v reflect.Value, r *rand.Rand) {
	switch p := v.Addr().Interface().(type) {
	case *resource.Quantity:
		switch r.IntN(6) {
		case 0:
			*p = *resource.NewMilliQuantity(p.MilliValue(), p.Format)
		case 1:
			_ = p.String()
		case 2:
			p.AsDec()
		}
		return
	case *metav1.Time:
		if r.IntN(4) == 0 {
			p.Time = p.Time.In(time.FixedZone("elsewhere", 3600))
		}
		return
	case *intstr.IntOrString:
		if r.IntN(4) == 0 && p.Type == intstr.Int {
			p.StrVal = "old"
		}
		return
	case *metav1.ObjectMeta:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			reform(v.Elem(), r)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				omits := strings.Contains(v.Type().Field(i).Tag.Get("json"), "omitempty")
				if k := f.Kind(); omits && (k == reflect.Slice || k == reflect.Map) && f.Len() == 0 && r.IntN(12) == 0 {
					empty(f)
					continue
				}
				reform(f, r)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			reform(v.Index(i), r)
		}
	case reflect.Map:
		if q, ok := v.Interface().(corev1.ResourceList); ok {
			for _, name := range slices.Sorted(func(yield func(corev1.ResourceName) bool) {
				for name := range q {
					if !yield(name) {
						return
					}
				}
			}) {
				amount := q[name]
				reform(reflect.ValueOf(&amount).Elem(), r)
				q[name] = amount
			}
		}
	}
}

// empty swaps nil and empty.
func empty(f reflect.Value) {
	switch {
	case !f.IsNil():
		f.SetZero()
	case f.Kind() == reflect.Map:
		f.Set(reflect.MakeMap(f.Type()))
	default:
		f.Set(reflect.MakeSlice(f.Type(), 0, 0))
	}
}

func filler(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.6).NumElements(0, 2).MaxDepth(11).Funcs(
		func(s *string, c randfill.Continue) { *s = []string{"a", "b", "c", "d", ""}[c.Intn(5)] },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse([]string{"0", "1", "1500m", "1Gi"}[c.Intn(4)])
		},
		func(t *metav1.Time, c randfill.Continue) { *t = metav1.Unix(int64(c.Intn(3)*1000), 0) },
		func(t *metav1.MicroTime, c randfill.Continue) {
			*t = metav1.NewMicroTime(time.Unix(int64(c.Intn(1000)), 5000))
		},
		func(s *intstr.IntOrString, c randfill.Continue) {
			*s = []intstr.IntOrString{intstr.FromInt32(80), intstr.FromString("a")}[c.Intn(2)]
		},
		func(m *map[string][]byte, c randfill.Continue) {
			*m = map[string][]byte{}
			for _, name := range []string{"a", "b", "c"}[c.Intn(3):] {
				(*m)[name] = slices.Concat(make([]byte, []int{0, 1, 200, 2000}[c.Intn(4)]), []byte{byte(c.Intn(2))})
			}
		},
		func(f *metav1.FieldsV1, c randfill.Continue) { f.Raw = []byte("{}") },
		func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = []byte(`{"a":1}`) },
	)
}
