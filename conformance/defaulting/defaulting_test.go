package defaulting

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
)

var (
	pairs = flag.Uint64("pairs", 3000, "pairs of a schema and an object")
	first = flag.Uint64("seed", 1, "seed of the first pair")
)

// perSchema is how many objects each schema is tried with: schemas take longer
// to read than objects.
const perSchema = 10

func TestDefaulting(t *testing.T) {
	changed := 0
	for seed := *first; seed < *first+*pairs/perSchema; seed++ {
		g := generator{rand.New(rand.NewPCG(seed, 0))}
		spec := g.schema(4)
		theirs, ours := structural(t, spec), parseable(t, spec)
		for range perSchema {
			object := map[string]any{
				"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "x"},
				"spec": g.value(spec, true),
			}
			if g.chance(6) {
				delete(object, "spec")
			}
			want := runtime.DeepCopyJSON(object)
			defaulting.PruneNonNullableNullsWithoutDefaults(want, theirs)
			defaulting.Default(want, theirs)
			got, err := ours.Default(runtime.DeepCopyJSON(object))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d: of %s with schema %s (-apiextensions +ours):\n%s", seed, text(object), text(spec), diff)
			}
			if !cmp.Equal(want, object) {
				changed++
			}
			before := runtime.DeepCopyJSON(object)
			value, err := ours.FromUnstructured(object)
			if err != nil {
				continue // not of the schema, but for what defaulting mends
			}
			defaulted, err := value.Default()
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if diff := cmp.Diff(want, defaulted.AsValue().Unstructured()); diff != "" {
				t.Fatalf("seed %d: as a new value (-apiextensions +ours):\n%s", seed, diff)
			}
			if diff := cmp.Diff(before, object); diff != "" {
				t.Fatalf("seed %d: the object was written to:\n%s", seed, diff)
			}
		}
	}
	if changed < int(*pairs)/10 {
		t.Errorf("%d of %d objects changed; that is no test", changed, *pairs)
	}
}

// crd returns the root schema of a custom resource with that spec.
func crd(spec map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{"spec": spec}}
}

func structural(t *testing.T, spec map[string]any) *structuralschema.Structural {
	t.Helper()
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(text(crd(spec))), &v1); err != nil {
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
	c := openapi.New()
	if err := c.AddCRD("crd", []byte(text(doc))); err != nil {
		t.Fatalf("%v in %s", err, text(spec))
	}
	found, ok := c.Type("example.com/v1", "Thing")
	if !ok {
		t.Fatal("the type is not there")
	}
	return found
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
