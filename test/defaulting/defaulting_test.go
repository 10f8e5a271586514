// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaulting

import (
	"encoding/json"
	"flag"
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
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

var (
	pairs = flag.Uint64("pairs", 3000, "pairs of a schema and an object")
	first = flag.Uint64("seed", 1, "seed of the first pair")
)

// perSchema is the number of objects for each schema. There are several, because reading a
// schema takes longer than reading an object.
const perSchema = 10

// TestDefaulting compares the steps that a server runs on an object: defaulting, the removal of
// nulls, and pruning. It runs defaulting with nulls, and pruning alone. It also runs all steps
// in the order of decoding, and in the order before a conversion.
func TestDefaulting(t *testing.T) {
	c := counts{}
	for seed := *first; seed < *first+*pairs/perSchema; seed++ {
		g := generator{rand.New(rand.NewPCG(seed, 0))}
		spec := g.schema(4)
		p := pair{t, seed, spec, structural(t, spec), parseable(t, spec)}
		for range perSchema {
			object := map[string]any{
				"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "x"},
				"spec": g.value(spec, true),
			}
			if g.chance(6) {
				delete(object, "spec")
			}
			if g.chance(6) {
				object["unknown"] = g.anything(2)
			}
			p.steps(object, c)
		}
	}
	t.Logf("%d pairs; each step changed so many objects: %v", *pairs, c)
	for _, step := range []string{"default", "prune", "decode", "convert"} {
		if c[step] < int(*pairs)/10 {
			t.Errorf("%s: %d of %d objects changed; too little was tested", step, c[step], *pairs)
		}
	}
}

// counts has the number of objects that each step changed, by the name of the step.
type counts map[string]int

// pair is a schema, in one form for each implementation.
type pair struct {
	t      *testing.T
	seed   uint64
	spec   map[string]any
	theirs *structuralschema.Structural
	ours   typed.ParseableType
}

func (p pair) steps(object map[string]any, c counts) {
	nulls := func(x map[string]any) { defaulting.PruneNonNullableNullsWithoutDefaults(x, p.theirs) }
	defaults := func(x map[string]any) { defaulting.Default(x, p.theirs) }
	prune := func(x map[string]any) { pruning.Prune(x, p.theirs, true) }
	meta := func(x map[string]any) {
		if err := objectmeta.Coerce(nil, x, p.theirs, false, true); err != nil {
			p.t.Fatalf("seed %d: of %s with schema %s: %v", p.seed, plain.Text(x), plain.Text(p.spec), err)
		}
	}
	for _, s := range []struct {
		name   string
		theirs []func(map[string]any)
		ours   []step
	}{
		{"default", []func(map[string]any){nulls, defaults}, []step{defaultStep}},
		{"prune", []func(map[string]any){prune}, []step{pruneStep}},
		{"decode", []func(map[string]any){prune, nulls, meta, defaults}, []step{pruneStep, defaultStep}},
		{"convert", []func(map[string]any){defaults, prune, nulls, meta}, []step{defaultStep, pruneStep}},
	} {
		want := runtime.DeepCopyJSON(object)
		for _, f := range s.theirs {
			f(want)
		}
		if s.name == "default" || s.name == "prune" {
			// Ignore the metadata of embedded resources: apiextensions cleans it in a separate
			// step, and our code in the same step or not at all.
			dropMetadata(want)
		}
		if !cmp.Equal(want, object) {
			c[s.name]++
		}
		p.inPlace(s.name, s.ours, object, want)
		p.copied(s.name, s.ours, object, want)
	}
	p.compareUnknown(object)
}

// step is one of our operations. It either modifies the object or returns a new one.
type step struct {
	inPlace func(typed.ParseableType, any) (any, error)
	copied  func(*typed.TypedValue) (*typed.TypedValue, error)
}

var (
	defaultStep = step{typed.ParseableType.Default, (*typed.TypedValue).Default}
	pruneStep   = step{typed.ParseableType.Prune, (*typed.TypedValue).Prune}
)

func (p pair) inPlace(name string, steps []step, object, want map[string]any) {
	var got any = runtime.DeepCopyJSON(object)
	for _, s := range steps {
		var err error
		if got, err = s.inPlace(p.ours, got); err != nil {
			p.t.Fatalf("seed %d: %s: %v", p.seed, name, err)
		}
	}
	p.compare(name, object, want, got.(map[string]any))
}

func (p pair) copied(name string, steps []step, object, want map[string]any) {
	before := runtime.DeepCopyJSON(object)
	v := typed.AsTypedUnvalidated(value.NewValueInterface(object), p.ours.Schema, p.ours.TypeRef)
	for _, s := range steps {
		var err error
		if v, err = s.copied(v); err != nil {
			p.t.Fatalf("seed %d: %s: %v", p.seed, name, err)
		}
	}
	// The result may share memory with the object, so work on a copy.
	p.compare(name+" of a typed value", object, want, runtime.DeepCopyJSON(v.AsValue().Unstructured().(map[string]any)))
	if diff := cmp.Diff(before, object); diff != "" {
		p.t.Fatalf("seed %d: %s: the object was modified:\n%s", p.seed, name, diff)
	}
}

func (p pair) compare(name string, object, want, got map[string]any) {
	if strings.HasPrefix(name, "default") || strings.HasPrefix(name, "prune") {
		dropMetadata(got)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Fatalf("seed %d: %s of %s with schema %s (-apiextensions +Dovetail):\n%s", p.seed, name, plain.Text(object), plain.Text(p.spec), diff)
	}
}

// compareUnknown compares the paths of unknown fields that both implementations report. It ignores
// the metadata of embedded resources, which apiextensions reports in another step.
func (p pair) compareUnknown(object map[string]any) {
	want := pruning.PruneWithOptions(runtime.DeepCopyJSON(object), p.theirs, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	paths, err := p.ours.UnknownFields(object)
	if err != nil {
		p.t.Fatalf("seed %d: %v", p.seed, err)
	}
	var got []string
	for _, path := range paths {
		if text := strings.TrimPrefix(path.String(), "."); !strings.Contains(text, "metadata.") {
			got = append(got, text)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		p.t.Fatalf("seed %d: unknown fields of %s with schema %s: apiextensions %q, Dovetail %q", p.seed, plain.Text(object), plain.Text(p.spec), want, got)
	}
}

// dropMetadata removes metadata from all objects in v except the root.
func dropMetadata(v any) {
	var below func(v any)
	below = func(v any) {
		switch x := v.(type) {
		case map[string]any:
			delete(x, "metadata")
			for _, c := range x {
				below(c)
			}
		case []any:
			for _, c := range x {
				below(c)
			}
		}
	}
	for _, c := range v.(map[string]any) {
		below(c)
	}
}

// crd returns the schema of a custom resource with the given schema for spec.
func crd(spec map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{"spec": spec}}
}

func structural(t *testing.T, spec map[string]any) *structuralschema.Structural {
	t.Helper()
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(plain.Text(crd(spec))), &v1); err != nil {
		t.Fatal(err)
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil); err != nil {
		t.Fatal(err)
	}
	s, err := structuralschema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	if err := defaulting.PruneDefaults(s); err != nil { // a server also prunes the defaults in a schema before it uses them
		t.Fatal(err)
	}
	return s
}

func parseable(t *testing.T, spec map[string]any) typed.ParseableType {
	t.Helper()
	doc := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": "things.example.com"},
		"spec": map[string]any{
			"group": "example.com",
			"scope": "Namespaced",
			"names": map[string]any{"kind": "Thing", "plural": "things"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": crd(spec)},
			}},
		},
	}
	c := openapi.New(openapi.Options{})
	if err := c.AddCRD("crd", []byte(plain.Text(doc))); err != nil {
		t.Fatalf("%v in %s", err, plain.Text(spec))
	}
	found, ok := c.Type("example.com/v1", "Thing")
	if !ok {
		t.Fatal("the type does not exist")
	}
	return found
}
