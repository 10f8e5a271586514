// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	smdfieldpath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	dovetail "github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// applied is the CRD of TestAppliesLikeServer.
const applied = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              a: {type: string}
              "n": {type: string, nullable: true}
              d: {type: string, default: x}
              e: {type: string, default: ""}
              m: {type: object, additionalProperties: {type: string}}
              l: {type: array, items: {type: object, properties: {a: {type: string}}}}
              any: {type: object, x-kubernetes-preserve-unknown-fields: true}
              plain: {type: object, properties: {metadata: {type: object}}}
              embedded: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties:
              s: {type: string}
              d: {type: string, default: x}
              cfg: {type: object}`

// endpoints are the parts of an API server that handle applies of one custom resource. All applies
// are forced, and in the storage version.
type endpoints struct {
	gvk      schema.GroupVersionKind
	schema   *structuralschema.Structural
	managers map[string]*managedfields.FieldManager // by subresource
	strategy map[string]rest.RESTUpdateStrategy     // by subresource
}

func newEndpoints(t *testing.T, doc map[string]any) *endpoints {
	t.Helper()
	def, err := internal(t, doc)
	if err != nil {
		t.Fatal(err)
	}
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(def, v1, nil); err != nil {
		t.Fatal(err)
	}
	version := v1.Spec.Versions[0].Name
	found, err := apiextensions.GetSchemaForVersion(def, version)
	if err != nil {
		t.Fatal(err)
	}
	s := &endpoints{gvk: schema.GroupVersionKind{Group: def.Spec.Group, Version: version, Kind: def.Spec.Names.Kind}}
	if s.schema, err = structuralschema.NewStructural(found.OpenAPIV3Schema); err != nil {
		t.Fatal(err)
	}
	validators := map[string]validation.SchemaValidator{}
	for name, props := range map[string]*apiextensions.JSONSchemaProps{"": found.OpenAPIV3Schema, "status": ptr(found.OpenAPIV3Schema.Properties["status"])} {
		if validators[name], _, err = validation.NewSchemaValidator(props); err != nil {
			t.Fatal(err)
		}
	}
	main := customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), true, s.gvk, validators[""], validators["status"], s.schema, &apiextensions.CustomResourceSubresourceStatus{}, nil, nil)
	status := customresource.NewStatusStrategy(main)
	s.strategy = map[string]rest.RESTUpdateStrategy{"": main, "status": status}
	published, err := builder.BuildOpenAPIV3(v1, version, builder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	types, err := managedfields.NewTypeConverter(published.Components.Schemas, false)
	if err != nil {
		t.Fatal(err)
	}
	s.managers = map[string]*managedfields.FieldManager{}
	for name, reset := range map[string]map[smdfieldpath.APIVersion]*smdfieldpath.Set{"": main.GetResetFields(), "status": status.GetResetFields()} {
		if s.managers[name], err = managedfields.NewDefaultCRDFieldManager(types, s, s, s, s.gvk, s.gvk.GroupVersion(), name, smdfieldpath.NewExcludeFilterSetMap(reset)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func ptr[T any](v T) *T { return &v }

// ConvertToVersion, Convert and ConvertFieldLabel implement runtime.ObjectConvertor for a single
// version. New and Default are the server's creater and defaulter.
func (s *endpoints) ConvertToVersion(o runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return o.DeepCopyObject(), nil
}
func (s *endpoints) Convert(in, out, context any) error { return fmt.Errorf("no conversion") }
func (s *endpoints) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
func (s *endpoints) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u, nil
}
func (s *endpoints) Default(o runtime.Object) {
	defaulting.Default(o.(*unstructured.Unstructured).Object, s.schema)
}

// read returns a stored object as the server reads it.
func (s *endpoints) read(t *testing.T, stored []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := utiljson.Unmarshal(stored, &object); err != nil {
		t.Fatal(err)
	}
	meta, _, err := objectmeta.GetObjectMeta(object, false)
	if err != nil {
		t.Fatal(err)
	}
	pruning.Prune(object, s.schema, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.schema)
	if err := objectmeta.Coerce(nil, object, s.schema, false, false); err != nil {
		t.Fatal(err)
	}
	if err := objectmeta.SetObjectMeta(object, meta); err != nil {
		t.Fatal(err)
	}
	defaulting.Default(object, s.schema)
	return object
}

// apply returns the bytes that the server stores after an apply.
func (s *endpoints) apply(live, config map[string]any, subresource string) ([]byte, error) {
	ctx := request.WithNamespace(context.Background(), "shop")
	existing := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(live)}
	object, err := s.managers[subresource].Apply(existing.DeepCopy(), &unstructured.Unstructured{Object: runtime.DeepCopyJSON(config)}, "m", true)
	if err != nil {
		return nil, err
	}
	if err := rest.BeforeUpdate(s.strategy[subresource], ctx, object, existing); err != nil {
		return nil, err
	}
	if object, err = fieldmanager.IgnoreManagedFieldsTimestampsTransformer(ctx, object, existing); err != nil {
		return nil, err
	}
	return json.Marshal(object.(*unstructured.Unstructured).Object)
}

// TestAppliesLikeServer applies configs with nulls, empty maps and undeclared fields to a custom
// resource, three times each. Then it applies twice a config without these fields. kube/predict must predict the generation, whether the server writes
// the object, and whether the applier gets a new time.
func TestAppliesLikeServer(t *testing.T) {
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(applied), &doc); err != nil {
		t.Fatal(err)
	}
	server := newEndpoints(t, doc)
	defs, err := crd.Read("crd.yaml", []byte(applied))
	if err != nil {
		t.Fatal(err)
	}
	catalog := openapi.New(openapi.Options{})
	if err := catalog.AddCRD("crd.yaml", []byte(applied)); err != nil {
		t.Fatal(err)
	}
	predictor := &predict.Server{
		FieldManager: dovetail.Options{Types: dovetail.NewTypeSource(catalog.Type)},
		Kind:         catalog.Kind,
		Custom:       func(string, string) (predict.Definition, bool) { return defs[0].Versions[0], true },
	}
	bodies := map[string][]string{
		"": {
			`a: "1"`, `"n": null`, `d: null`, `e: null`, `m: {}`, `m: {k: v}`, `undeclared: 1`, `undeclared: null`, `undeclared: {}`, `l: [{}]`, `l: [{a: "1", b: null}]`,
			`any: {x: null, y: {}}`, `plain: {metadata: {creationTimestamp: null}}`, `plain: {metadata: {labels: {a: b}}}`, `plain: {metadata: {}}`,
			`embedded: {apiVersion: v1, kind: Pod, metadata: {name: p, creationTimestamp: null}}`, `embedded: {apiVersion: v1, kind: Pod, metadata: {name: p, labels: null}}`,
			`embedded: {apiVersion: v1, kind: Pod, metadata: {name: p, labels: {}}}`, `embedded: {apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: b}}}`,
			`embedded: {apiVersion: v1, kind: Pod, metadata: {name: p, other: 1}}`, `embedded: {apiVersion: v1, kind: Pod, metadata: {name: p, labels: {x: null}}}`,
		},
		"status": {`s: x`, `cfg: {}`, `cfg: {k: "1"}`, `cfg: {k: null}`, `undeclared: 1`, `undeclared: null`, `d: null`},
	}
	metadata := []string{
		``, `labels: null`, `labels: {}`, `labels: {a: b}`, `annotations: null`, `annotations: {}`, `annotations: {a: b}`, `finalizers: null`, `finalizers: []`, `finalizers: [example.com/x]`,
		`ownerReferences: null`, `ownerReferences: []`, `ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: null}]`,
		`ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}]`,
		`generateName: null`, `creationTimestamp: null`, `creationTimestamp: "2020-01-01T00:00:00Z"`, `generation: 7`, `generation: null`,
		`deletionTimestamp: null`, `deletionGracePeriodSeconds: null`, `selfLink: /x`, `selfLink: ""`, `selfLink: null`, `managedFields: null`,
		`generateName: ""`, `generateName: x-`, `namespace: null`, `namespace: ""`, `uid: null`, `uid: ""`, `labels: {a: null}`, `annotations: {a: null}`,
		`deletionTimestamp: "2020-01-01T00:00:00Z"`, `deletionGracePeriodSeconds: 30`,
	}
	// In the second start, a manager owns the labels, so the apply of another value removes them later.
	starts := []string{
		`{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, namespace: shop, uid: u, resourceVersion: "5", generation: 3, creationTimestamp: "2026-01-01T00:00:00Z"},
			spec: {d: x, e: ""}, status: {s: "y", d: x}}`,
		`{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, namespace: shop, uid: u, resourceVersion: "5", generation: 3, creationTimestamp: "2026-01-01T00:00:00Z",
			labels: {a: c}, annotations: {a: c}, finalizers: [example.com/x]}, spec: {d: x, e: "", a: "0", m: {k: w}, plain: {}}, status: {s: "y", d: x, cfg: {}}}`,
	}
	const before = "2026-01-01T00:00:00Z"
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	compared, written := 0, 0
	for subresource, bodies := range bodies {
		for b, body := range bodies {
			for n := range 2 * len(metadata) {
				if b > 0 && n > 1 && (b+n)%4 > 0 {
					continue // combine only some fields with some metadata
				}
				meta, start := metadata[n/2], starts[n%2]
				field := "spec"
				if subresource != "" {
					field = subresource
				}
				text := fmt.Sprintf("{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, namespace: shop, %s}, %s: {%s}}", meta, field, body)
				whole, base := decoded(t, text), decoded(t, fmt.Sprintf("{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, namespace: shop}, %s: {}}", field))
				stored := []byte(plain.Text(decoded(t, start)))
				for i, config := range []map[string]any{whole, whole, whole, base, base} {
					live := server.read(t, stored)
					entries, _ := live["metadata"].(map[string]any)["managedFields"].([]any)
					for _, e := range entries {
						e.(map[string]any)["time"] = before
					}
					unchanged := plain.Text(live)
					after, err := server.apply(live, config, subresource)
					p, refused := predictor.Predict(&predict.Request{Verb: predict.ApplyForce, Subresource: subresource, Manager: "m", Time: now, Object: config, Live: live})
					if (err != nil) != (refused != nil) {
						t.Errorf("%s, apply %d: the server %v, predicted %v", text, i, err, refused)
					}
					if err != nil || refused != nil {
						break
					}
					stored = after
					want := server.read(t, stored)
					writes := plain.Text(json.RawMessage(stored)) != unchanged
					if compared++; writes {
						written++
					}
					if p.Changed != writes {
						t.Errorf("%s, apply %d: predicted changed %t, the server writes: %t\nread before %s\nstored      %s", text, i, p.Changed, writes, unchanged, stored)
					}
					if got, want := summary(p.Object, before), summary(want, before); !reflect.DeepEqual(got, want) {
						t.Errorf("%s, apply %d: predicted %v, the server has %v", text, i, got, want)
					}
				}
			}
		}
	}
	t.Logf("%d applies, %d of them written", compared, written)
	if written < compared/5 || compared-written < compared/5 {
		t.Error("too little was tested")
	}
}

// decoded returns an object in YAML as the server decodes it.
func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	data, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = utiljson.Unmarshal(data, &object)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return object
}

// summary returns the generation, and the managers whose time differs from before.
func summary(object map[string]any, before string) map[string]any {
	metadata := object["metadata"].(map[string]any)
	all := map[string]any{"generation": metadata["generation"]}
	entries, _ := metadata["managedFields"].([]any)
	for _, e := range entries {
		e := e.(map[string]any)
		all[plain.Text([]any{e["manager"], e["operation"], e["subresource"]})] = e["time"] != before
	}
	return all
}
