// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	v1 "github.com/dovetail-ssa/dovetail/examples/proxy/api/v1"
)

// internalProxy is the internal type of a proxy: the server converts objects to it before it
// processes them.
type internalProxy struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec v1.ProxySpec
}

func (p *internalProxy) DeepCopyObject() runtime.Object {
	out := *p
	return &out
}

// newCodecs returns a scheme with the types, their defaults and their conversions, and a
// decoder for this scheme, as in an API server.
func newCodecs(t *testing.T) (*runtime.Scheme, serializer.CodecFactory) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: v1.GroupVersion.Group, Version: runtime.APIVersionInternal, Kind: "Proxy"}, &internalProxy{})
	err := scheme.AddConversionFunc((*v1.Proxy)(nil), (*internalProxy)(nil), func(from, to any, _ conversion.Scope) error {
		in, out := from.(*v1.Proxy), to.(*internalProxy)
		out.ObjectMeta, out.Spec = in.ObjectMeta, in.Spec
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return scheme, serializer.NewCodecFactory(scheme)
}

const head = `{"apiVersion":"net.example.com/v1","kind":"Proxy","metadata":{"name":"`

// TestDecode processes objects as an API server processes a request: it decodes an object, sets
// defaults, and converts the object to the internal type.
func TestDecode(t *testing.T) {
	_, codecs := newCodecs(t)
	for _, test := range []struct{ name, spec, want string }{
		{"web", `{}`, `{"class":"shared","host":"web","replicas":1,"logging":{"level":"info","format":"json","hidden":["authorization","cookie"]},
			"timeout":"30s","memory":"64Mi","tries":0}`},
		// Hand-written functions set their defaults before declared defaults are filled in.
		{"internal-web", `{"logging":{},"timeout":null}`, `{"class":"internal","host":"internal-web","replicas":1,
			"logging":{"level":"warning","format":"json","hidden":["authorization","cookie"]},"timeout":"30s","memory":"64Mi","tries":0}`},
		{"web", `{"class":"own","host":"h","replicas":0,"logging":{"level":"debug","format":"text","hidden":[]},"timeout":"1s","memory":"1Gi","tries":3,
			"ports":[{"port":80},{"port":53,"protocol":"UDP"},{"port":443,"targetPort":"https","name":"tls"}],
			"backends":{"a":{"url":"http://a"},"b":{"url":"http://b","weight":5}}}`,
			`{"class":"own","host":"h","replicas":0,"logging":{"level":"debug","format":"text","hidden":[]},"timeout":"1s","memory":"1Gi","tries":3,
			"ports":[{"port":80,"protocol":"TCP","name":"port-80","targetPort":80},{"port":53,"protocol":"UDP","targetPort":53},{"port":443,"protocol":"TCP","targetPort":"https","name":"tls"}],
			"backends":{"a":{"url":"http://a","weight":1},"b":{"url":"http://b","weight":5}}}`},
	} {
		decoded, err := runtime.Decode(codecs.UniversalDecoder(v1.GroupVersion), []byte(head+test.name+`"},"spec":`+test.spec+`}`))
		if err != nil {
			t.Fatal(err)
		}
		checkSpec(t, "the versioned object for "+test.spec, decoded.(*v1.Proxy).Spec, test.want)
		decoded, err = runtime.Decode(codecs.UniversalDecoder(), []byte(head+test.name+`"},"spec":`+test.spec+`}`))
		if err != nil {
			t.Fatal(err)
		}
		checkSpec(t, "the internal object for "+test.spec, decoded.(*internalProxy).Spec, test.want)
	}
}

func TestDefaultsOfLists(t *testing.T) {
	scheme, _ := newCodecs(t)
	l := &v1.ProxyList{Items: make([]v1.Proxy, 2)}
	l.Items[1].Spec.Class = "own"
	scheme.Default(l)
	if l.Items[0].Spec.Class != v1.DefaultClass || l.Items[1].Spec.Class != "own" {
		t.Errorf("the classes are %q and %q, want the default only in the second object", l.Items[0].Spec.Class, l.Items[1].Spec.Class)
	}
}

// TestDefaultsAreCopied checks that each object has its own copy of the defaults: if a program
// changes the defaults in one object, the next object still gets the original defaults.
func TestDefaultsAreCopied(t *testing.T) {
	var first, second v1.Proxy
	v1.SetObjectDefaults_Proxy(&first)
	first.Spec.Logging.Hidden[0] = "mine"
	first.Spec.Logging.Level = "mine"
	*first.Spec.Replicas = 7
	first.Spec.Memory.Add(*first.Spec.Memory)
	first.Spec.Timeout.Duration = 1
	v1.SetObjectDefaults_Proxy(&second)
	checkSpec(t, "the second", second.Spec, `{"class":"shared","replicas":1,"logging":{"level":"info","format":"json","hidden":["authorization","cookie"]},
		"timeout":"30s","memory":"64Mi","tries":0}`)
}

func TestDefaultsTwice(t *testing.T) {
	object := &v1.Proxy{}
	object.Spec.Ports = []v1.Port{{Port: 1}}
	v1.SetObjectDefaults_Proxy(object)
	again := object.DeepCopyObject().(*v1.Proxy)
	n := testing.AllocsPerRun(100, func() { v1.SetObjectDefaults_Proxy(again) })
	if text(t, object) != text(t, again) {
		t.Errorf("defaulting a second time changes the object: first %s, then %s", text(t, object), text(t, again))
	}
	if n != 0 {
		t.Errorf("defaulting allocates %v times although it changes nothing", n)
	}
}

func checkSpec(t *testing.T, what string, got v1.ProxySpec, want string) {
	t.Helper()
	var spec v1.ProxySpec
	if err := json.Unmarshal([]byte(want), &spec); err != nil {
		t.Fatal(err)
	}
	if text(t, got) != text(t, spec) {
		t.Errorf("%s: got %s, want %s", what, text(t, got), text(t, spec))
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
