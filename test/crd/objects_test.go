// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// strategy has the methods of the API server's code for storing custom resources.
type strategy interface {
	Validate(ctx context.Context, obj runtime.Object) field.ErrorList
	ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList
}

// server serves one version of a CRD with the code of the API server.
type server struct {
	schema *structuralschema.Structural
	strategy
	// embedded is true if the schema has embedded resources. The server rewrites their metadata
	// without empty fields. This has nothing to do with defaults.
	embedded bool
}

// serve returns a server for one version of a CRD.
func serve(t *testing.T, def *apiextensions.CustomResourceDefinition, version string) server {
	t.Helper()
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(def, v1, nil); err != nil {
		t.Fatal(err)
	}
	found, err := apiextensions.GetSchemaForVersion(def, version)
	if err != nil {
		t.Fatal(err)
	}
	s, err := structuralschema.NewStructural(found.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	s = s.DeepCopy()
	if err := defaulting.PruneDefaults(s); err != nil {
		t.Fatal(err)
	}
	values, _, err := validation.NewSchemaValidator(found.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	gvk := schema.GroupVersionKind{Group: def.Spec.Group, Version: version, Kind: def.Spec.Names.Kind}
	strategy := customresource.NewStrategy(nil, def.Spec.Scope == apiextensions.NamespaceScoped, gvk, values, nil, s, nil, nil, nil)
	return server{s, strategy, strings.Contains(plain.Text(found.OpenAPIV3Schema), `"XEmbeddedResource":true`)}
}

// admit returns the object as the server stores it, or the errors for which it rejects the object.
func (s server) admit(object, old map[string]any) (map[string]any, field.ErrorList) {
	object = runtime.DeepCopyJSON(object)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.schema)
	defaulting.Default(object, s.schema)
	pruning.Prune(object, s.schema, true)
	if err := objectmeta.Coerce(nil, object, s.schema, false, false); err != nil {
		return nil, field.ErrorList{err}
	}
	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(object)}
	var errs field.ErrorList
	if old == nil {
		errs = s.Validate(context.Background(), u)
	} else {
		errs = s.ValidateUpdate(context.Background(), u, &unstructured.Unstructured{Object: runtime.DeepCopyJSON(old)})
	}
	return object, errs
}

// tally counts objects by the result of a comparison.
type tally struct{ valid, invalid, changed, typed, updates, ordered, unchecked int }

// compare compares one version with the API server, for random objects. It compares defaults,
// validation, and an update to another object. The schema of the version must be valid. meta
// has the fields that every object has.
func compare(t *testing.T, where string, g *generator, v *crd.Version, s server, root, meta map[string]any, objects int, sum *tally) {
	t.Helper()
	var before map[string]any
	for range objects {
		object := g.sample(root)
		maps.Copy(object, meta)
		want, why := s.admit(object, nil)
		found, err := v.Validate(object, nil)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		if want != nil {
			got, err := v.Default(object)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: defaults of %s (-apiextensions +kube/crd):\n%s", where, plain.Text(object), diff)
			}
			if !cmp.Equal(object, want) {
				sum.changed++
			}
			if !strings.Contains(plain.Text(object), "null") && !s.embedded {
				byType(t, where, v, s, object, want)
				sum.typed++
			}
		}
		if agree(t, where, object, found, why) {
			sum.valid++
			if before != nil {
				_, why := s.admit(object, before)
				found, err := v.Validate(object, before)
				if err != nil {
					t.Fatalf("%s: %v", where, err)
				}
				agree(t, where+" (update)", object, found, why)
				sameErrors(t, where+" (update)", v, object, before, found, why, sum)
				sum.updates++
			}
			before = want
		} else {
			sum.invalid++
			if want != nil {
				sameErrors(t, where, v, object, nil, found, why, sum)
			}
		}
	}
}

// byType sets the defaults of an object with the merge type only, without the schema. It fails
// if the result differs from want.
func byType(t *testing.T, where string, v *crd.Version, s server, object, want map[string]any) {
	t.Helper()
	typ, err := v.Type()
	if err != nil {
		t.Fatal(err)
	}
	object = runtime.DeepCopyJSON(object)
	pruning.Prune(object, s.schema, true)
	got, err := typ.Default(object)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Fatalf("%s: defaults of %s with the merge type only (-apiextensions +kube/crd):\n%s", where, plain.Text(object), diff)
	}
}

// agree checks that both sides accept the object or both reject it. It returns true if they
// accept it.
func agree(t *testing.T, where string, object map[string]any, found crd.Findings, why field.ErrorList) bool {
	t.Helper()
	ours := true
	for _, f := range found {
		ours = ours && f.Rule == crd.ObjectUnknown
	}
	if theirs := len(why) == 0; theirs != ours {
		t.Fatalf("%s: object %s\napiextensions: %v\nkube/crd: %v", where, plain.Text(object), why, found)
	}
	return ours
}

// groups numbers the groups of errors in the order in which a server checks them.
var groups = map[crd.Rule]int{
	crd.ObjectType: 1, crd.ObjectRequired: 1, crd.ObjectValue: 1, crd.ObjectMeta: 2, crd.ObjectDuplicate: 3, crd.ObjectRule: 4, crd.ObjectUnchecked: 4,
}

// sameErrors checks that both sides have the same errors, and that both have them in the order of
// the groups. The argument want has the errors of the API server. Within a group, the API server's
// order is random.
func sameErrors(t *testing.T, where string, v *crd.Version, object, old map[string]any, found crd.Findings, want field.ErrorList, sum *tally) {
	t.Helper()
	got, err := v.ServerErrors(object, old)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	sorted := func(errs field.ErrorList) (all []string) {
		for _, e := range errs {
			all = append(all, e.Error())
		}
		slices.Sort(all)
		return all
	}
	if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
		t.Fatalf("%s: errors of %s (-apiextensions +kube/crd):\n%s", where, plain.Text(object), diff)
	}
	group := map[string]int{} // by the text of an error; 0 if the error is in several groups
	for _, f := range found {
		if f.Served == nil {
			continue
		}
		text, n := f.Served.Error(), groups[f.Rule]
		if g, ok := group[text]; ok && g != n {
			n = 0
		}
		group[text] = n
	}
	for _, errs := range []field.ErrorList{want, got} {
		last := 0
		for _, e := range errs {
			g := group[e.Error()]
			if g != 0 && g < last {
				t.Fatalf("%s: object %s\napiextensions: %v\nkube/crd: %v", where, plain.Text(object), want, got)
			}
			if last != 0 && g > last {
				sum.ordered++
			}
			last = max(last, g)
		}
	}
	if len(want) > 0 && want[len(want)-1].Field == "<nil>" {
		sum.unchecked++
	}
}

// sample returns a random object that fits a schema in most cases.
func (g *generator) sample(root map[string]any) map[string]any {
	var object map[string]any
	// Convert numbers to the types that the server's decoder uses.
	if err := utiljson.Unmarshal([]byte(plain.Text(g.part(root, 0))), &object); err != nil || object == nil {
		object = map[string]any{}
	}
	return object
}

// maxSample limits the depth of a sample, because some schemas contain themselves.
const maxSample = 12

func (g *generator) part(s map[string]any, depth int) any {
	if g.oops(40) {
		return nil
	}
	if enum, ok := s["enum"].([]any); ok && len(enum) > 0 && !g.oops(20) {
		return pick(g, enum...)
	}
	switch s["type"] {
	case "array":
		items := []any{}
		item, _ := s["items"].(map[string]any)
		for range min(g.IntN(3), maxSample-depth) {
			items = append(items, g.part(item, depth+1))
		}
		return items
	case "object":
		object := map[string]any{}
		if values, ok := s["additionalProperties"].(map[string]any); ok {
			for i := range g.IntN(3) {
				object[fmt.Sprint("k", i)] = g.part(values, depth+1)
			}
			return object
		}
		props, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for _, name := range sortedKeys(props) {
			if depth < maxSample && (contains(required, name) && !g.oops(15) || g.chance(3)) {
				object[name] = g.part(props[name].(map[string]any), depth+1)
			}
		}
		if s["x-kubernetes-embedded-resource"] == true && !g.oops(4) {
			object["apiVersion"], object["kind"] = "v1", "Pod"
		}
		if g.oops(20) {
			object["unknown"] = pick[any](g, int64(1), nil, map[string]any{"a": int64(1)})
		}
		return object
	}
	if g.oops(30) {
		return pick[any](g, "wrong", int64(7), true, map[string]any{}, []any{})
	}
	switch s["type"] {
	case "integer":
		return int64(g.IntN(4))
	case "number":
		return pick[any](g, 0.5, int64(2))
	case "boolean":
		return g.chance(2)
	case "string":
		return pick(g, "x", "y", "bad", "", "10.0.0.1", "2026-01-01T00:00:00Z", "abc-def")
	}
	return pick[any](g, int64(1), "x", map[string]any{"any": "thing"})
}

// TestObjects compares objects of random CRDs.
func TestObjects(t *testing.T) {
	var sum tally
	for seed := *first; seed < *first+*crds/4; seed++ {
		g := &generator{rand.New(rand.NewPCG(seed, 8)), 10}
		doc := g.crd()
		if errs, err := upstream(t, doc); len(errs) > 0 || err != nil {
			continue
		}
		defs, err := crd.Read("crd", []byte(plain.Text(doc)))
		if err != nil {
			t.Fatal(err)
		}
		if len(defs[0].Validate()) > 0 {
			continue // a difference that DIFFERENCES.md lists
		}
		each(t, fmt.Sprint("seed ", seed), g, doc, defs[0], 20, &sum)
	}
	t.Logf("%d valid and %d invalid objects, %d changed by defaults and pruning, %d defaulted by type alone, %d updates, %d changes of the group of errors, %d objects whose rules were not checked", sum.valid, sum.invalid, sum.changed, sum.typed, sum.updates, sum.ordered, sum.unchecked)
	if sum.valid < sum.invalid/10 || sum.invalid < sum.valid/10 || sum.changed == 0 || sum.updates == 0 || sum.ordered == 0 || sum.unchecked == 0 {
		t.Error("too little was tested")
	}
}

// each calls compare for all versions of a CRD.
func each(t *testing.T, where string, g *generator, doc map[string]any, d *crd.Definition, objects int, sum *tally) {
	t.Helper()
	def, err := internal(t, doc)
	if err != nil {
		t.Fatal(err)
	}
	versions := doc["spec"].(map[string]any)["versions"].([]any)
	for i, v := range d.Versions {
		raw := versions[i].(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
		object := map[string]any{"apiVersion": d.Group + "/" + v.Name, "kind": d.Kind}
		meta := map[string]any{"name": "x", "resourceVersion": "1"}
		if d.Namespaced {
			meta["namespace"] = "y"
		}
		object["metadata"] = meta
		compare(t, where+" "+v.Name, g, v, serve(t, def, v.Name), raw, object, objects, sum)
	}
}
