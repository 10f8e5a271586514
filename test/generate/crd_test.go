// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/test/generate/internal/tools"
)

// TestCRDs generates the CRDs of the example and of gateway-api. It validates them with package
// kube/crd, and with the validation code of the API server.
func TestCRDs(t *testing.T) {
	dir := t.TempDir()
	tools.Tool(t, ".", "dovetail-gen", "-q", "--defaults=false", "--openapi=false", "--openapi-json=", "--crds="+dir, tools.ProxyPackage, "sigs.k8s.io/gateway-api/apis/v1")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		defs, err := crd.Read(e.Name(), data)
		if err != nil || len(defs) != 1 {
			t.Fatalf("%s: %d definitions, %v", e.Name(), len(defs), err)
		}
		for _, f := range defs[0].Validate() {
			// Groups of Kubernetes itself require an annotation for their approval.
			if f.Path != ".metadata.annotations" {
				t.Errorf("kube/crd: %v", f)
			}
		}
		_, errs := accepted(t, data)
		for _, err := range errs {
			t.Errorf("apiextensions: %s: %v", e.Name(), err)
		}
	}
	if len(entries) < 6 {
		t.Errorf("%d definitions; too little was tested", len(entries))
	}
}

// accepted decodes a CRD with the code of the API server. It returns the CRD and the errors of
// validation.
func accepted(t *testing.T, data []byte) (*apiextensions.CustomResourceDefinition, field.ErrorList) {
	t.Helper()
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(data, &v1); err != nil {
		t.Fatal(err)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&v1)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&v1.Spec)
	v1.Status.StoredVersions = []string{v1.Spec.Versions[0].Name}
	if v1.Spec.Group == "gateway.networking.k8s.io" {
		v1.Annotations = map[string]string{"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/3328"}
	}
	var internal apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&v1, &internal, nil); err != nil {
		t.Fatal(err)
	}
	return &internal, validation.ValidateCustomResourceDefinition(context.Background(), &internal)
}

// TestCustomResource sets defaults in an object of the example and validates it as a custom
// resource.
func TestCustomResource(t *testing.T) {
	data, err := os.ReadFile("../../examples/proxy/config/net.example.com_proxies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defs, err := crd.Read("proxies", data)
	if err != nil {
		t.Fatal(err)
	}
	v, ok := defs[0].Version("v1")
	if !ok {
		t.Fatal("no version v1")
	}
	object := parseJSON(t, `{"apiVersion":"net.example.com/v1","kind":"Proxy","metadata":{"name":"web"},"spec":{"ports":[{"port":80}],"backends":{"a":{"url":"http://a"}}}}`).(map[string]any)
	object, err = v.Default(object)
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "the object", object["spec"], parseJSON(t, `{"class":"shared","replicas":1,"ports":[{"port":80,"protocol":"TCP"}],"backends":{"a":{"url":"http://a","weight":1}},
		"logging":{"level":"info","format":"json","hidden":["authorization","cookie"]},"timeout":"30s","memory":"64Mi","tries":0}`))
	findings, err := v.Validate(object, nil)
	if err != nil || len(findings) > 0 {
		t.Errorf("got %v, %v", findings, err)
	}
	empty, err := v.Default(parseJSON(t, `{"apiVersion":"net.example.com/v1","kind":"Proxy","metadata":{"name":"web"}}`).(map[string]any))
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "the object without a spec", empty["spec"], parseJSON(t, `{"class":"shared","replicas":1,
		"logging":{"level":"info","format":"json","hidden":["authorization","cookie"]},"timeout":"30s","memory":"64Mi","tries":0}`))
}

// customResource has the schema of a custom resource twice: for kube/crd, and for the code of
// the API server.
type customResource struct {
	ours   *crd.Version
	theirs *structuralschema.Structural
}

func newResource(t *testing.T, file string) customResource {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defs, err := crd.Read(file, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range defs[0].Validate() {
		t.Error(f)
	}
	v, ok := defs[0].Version("v1")
	if !ok {
		t.Fatal("no version v1")
	}
	internal, errs := accepted(t, data)
	for _, err := range errs {
		t.Error(err)
	}
	theirs, err := structuralschema.NewStructural(internal.Spec.Validation.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	return customResource{v, theirs}
}

// defaulted sets the defaults of a custom resource with one field. It returns the value of this
// field after defaulting, by kube/crd and by the code of the API server.
func (r customResource) defaulted(t *testing.T, field string, value any) map[string]any {
	t.Helper()
	object := func() map[string]any {
		return map[string]any{"apiVersion": "kep.example.com/v1", "kind": "Example", "metadata": map[string]any{"name": "x"}, field: jsonOf(t, value)}
	}
	ours, err := r.ours.Default(object())
	if err != nil {
		t.Fatal(err)
	}
	theirs := object()
	defaulting.PruneNonNullableNullsWithoutDefaults(theirs, r.theirs)
	defaulting.Default(theirs, r.theirs)
	return map[string]any{"the custom resource": ours[field], "the custom resource, by the API server": theirs[field]}
}
