// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

// wireObjects returns objects with all values that have a special encoding: bytes, times,
// quantities, values that are a number or a text, and managed fields.
func wireObjects() []runtime.Object {
	at := metav1.NewTime(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC))
	meta := metav1.ObjectMeta{
		Name: "web", Namespace: "shop", CreationTimestamp: at, Generation: 3,
		Labels:      map[string]string{"app.kubernetes.io/name": "web", "y": "no", "1": "true"},
		Annotations: map[string]string{"note": "two\nlines, é\n", "empty": ""},
		ManagedFields: []metav1.ManagedFieldsEntry{{
			Manager: "web", Operation: "Apply", APIVersion: "v1", Time: &at, FieldsType: "FieldsV1",
			FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:metadata":{"f:labels":{"f:app.kubernetes.io/name":{},"f:y":{}}}}`)},
		}},
	}
	replicas := int32(2)
	container := corev1.Container{
		Name: "c", Image: "registry.example.com/web:1", Args: []string{"-x", "0x1f", "12:30"},
		Resources:      corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("1Gi")}},
		LivenessProbe:  &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromString("web")}}},
		ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(80)}}},
	}
	service := &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: meta,
		Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "web", Port: 80, Protocol: "TCP"}}, Selector: map[string]string{"app": "web"}},
	}
	return []runtime.Object{
		service,
		&corev1.ConfigMap{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: meta,
			Data:       map[string]string{"file": "  one\n\n\ttwo \n", "n": "1", "q": `"a" \ b`},
			BinaryData: map[string][]byte{"b": {0, 0xff, 0xfe}, "none": {}},
		},
		&corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: meta, Data: map[string][]byte{"k": []byte("v")}},
		&appsv1.Deployment{
			TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: meta,
			Spec: appsv1.DeploymentSpec{
				Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{container}}},
			},
		},
		&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"},
			"spec": map[string]any{"int": int64(1) << 60, "float": 1.25, "small": -1e-9, "null": nil, "list": []any{true, "", []any{}, map[string]any{}}},
		}},
		&corev1.ServiceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceList"}, Items: []corev1.Service{*service}},
	}
}

// TestCBORIsJSON reads CBOR that apimachinery has written. The objects must be the same as
// those read from JSON.
func TestCBORIsJSON(t *testing.T) {
	encoder := cbor.NewSerializer(nil, nil)
	same := func(o runtime.Object) {
		t.Helper()
		var text bytes.Buffer
		if err := encoder.Encode(o, &text); err != nil {
			t.Fatal(err)
		}
		got, err := manifest.Read("f", text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := manifest.Read("f", plain)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) || len(got) == 0 {
			t.Fatalf("got %d objects, want %d", len(got), len(want))
		}
		for i := range got {
			if !reflect.DeepEqual(got[i].Content, want[i].Content) {
				t.Errorf("got\n%v\nwant\n%v", got[i].Content, want[i].Content)
			}
			if got[i].Identity() != want[i].Identity() {
				t.Errorf("got %v, want %v", got[i].Identity(), want[i].Identity())
			}
		}
	}
	for _, o := range wireObjects() {
		same(o)
	}
	r := rand.New(rand.NewPCG(4, 2))
	for range 500 {
		same(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "spec": randomWire(r, 5)}})
	}
}

// TestCBORIsRejectedLikeUpstream checks that Dovetail rejects the same CBOR as apimachinery.
// The exception are strings that are not UTF-8: Dovetail rejects them, because JSON cannot
// represent them.
func TestCBORIsRejectedLikeUpstream(t *testing.T) {
	s := cbor.NewSerializer(nil, nil)
	r := rand.New(rand.NewPCG(6, 1))
	refused := 0
	for range 5000 {
		var text bytes.Buffer
		if err := s.Encode(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "A", "x": randomWire(r, 3)}}, &text); err != nil {
			t.Fatal(err)
		}
		data := text.Bytes()
		data[3+r.IntN(len(data)-3)] = byte(r.Uint32())
		var want unstructured.Unstructured
		_, _, theirs := s.Decode(data, nil, &want)
		got, ours := manifest.Read("f", data)
		switch {
		case theirs != nil:
			refused++
			if ours == nil && !strings.Contains(theirs.Error(), "is missing") { // the apiVersion is incomplete, such as v/
				t.Errorf("%x: apimachinery returns the error %v, but Dovetail reads %v", data, theirs, got[0].Content)
			}
		case ours != nil:
			if plain, err := json.Marshal(want.Object); err == nil && !bytes.Contains(plain, []byte("\\ufffd")) {
				t.Errorf("%x: Dovetail returns the error %v, but apimachinery reads %v", data, ours, want.Object)
			}
		case !reflect.DeepEqual(got[0].Content, want.Object):
			t.Errorf("%x: got %v, want %v", data, got[0].Content, want.Object)
		}
	}
	if refused < 500 {
		t.Errorf("only %d documents were rejected: too little was tested", refused)
	}
}

func randomWire(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case depth > 0 && n < 4:
		m := map[string]any{}
		for range r.IntN(5) {
			m[[]string{"a", "b-c", "y", "é", "", "1", "a.b/c"}[r.IntN(7)]] = randomWire(r, depth-1)
		}
		return m
	case depth > 0 && n < 6:
		l := []any{}
		for range r.IntN(5) {
			l = append(l, randomWire(r, depth-1))
		}
		return l
	case n == 6:
		return []any{nil, true, false, 0.5, -1.25e-7, 1e300}[r.IntN(6)]
	case n == 7:
		return r.Int64() >> r.IntN(64)
	}
	return []string{"", "a", "no", "12", "two\nlines\n", "  lead\n x", "é", "\ttab", "\"quoted\" \\", "0x1"}[r.IntN(10)]
}

// TestKYAMLIsThatOfKubectl checks that dovetail with -o kyaml prints the same bytes as kubectl.
func TestKYAMLIsThatOfKubectl(t *testing.T) {
	dir := t.TempDir()
	tool, err := gocmd.Dovetail(dir, "-tags", "slim")
	if err != nil {
		t.Fatal(err)
	}
	objects := wireObjects()
	r := rand.New(rand.NewPCG(8, 3))
	for range 50 {
		objects = append(objects, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"}, "spec": randomWire(r, 5)}})
	}
	var file, want bytes.Buffer
	var printer printers.KYAMLPrinter
	for _, o := range objects {
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		found, err := manifest.Read("f", text)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range found { // it is an item of a List
			file.Write(mustJSON(t, one.Content))
			if err := printer.PrintObj(&unstructured.Unstructured{Object: one.Content}, &want); err != nil {
				t.Fatal(err)
			}
		}
	}
	name := filepath.Join(dir, "objects.json")
	if err := os.WriteFile(name, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(tool, "doctor", "--fix", "--untyped", "-f", name, "-o", "kyaml", "--show-secrets")
	var out, messages bytes.Buffer
	run.Stdout, run.Stderr = &out, &messages
	if err := run.Run(); err != nil && run.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v\n%s", err, messages.String())
	}
	if out.String() != want.String() {
		t.Errorf("got\n%s\nwant\n%s\n%s", out.String(), want.String(), messages.String())
	}
}

func mustJSON(t *testing.T, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// TestKYAMLThatKubectlSpoils checks texts for which DIFFERENCES.md says that kubectl prints
// them wrongly. If dovetail prints such a text, reading the output must return the same text.
// With the output of kubectl, it returns another text.
func TestKYAMLThatKubectlSpoils(t *testing.T) {
	for _, text := range []string{"a\n\r\nb\n", "next\u0085line", "delete\u007f"} {
		object := map[string]any{"apiVersion": "v1", "kind": "A", "metadata": map[string]any{"name": "a"}, "x": text}
		var theirs bytes.Buffer
		if err := new(printers.KYAMLPrinter).PrintObj(&unstructured.Unstructured{Object: object}, &theirs); err != nil {
			continue // kubectl does not print this text
		}
		read, err := manifest.ReadValues("f", theirs.Bytes())
		if err == nil && reflect.DeepEqual(read[0], object) {
			t.Errorf("%q: kubectl prints it correctly, although DIFFERENCES.md lists it", text)
		}
	}
}
