package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
)

// The generator makes of the documents what is committed. Bytes are not
// compared, since compression may differ from one release of Go to the next.
func TestGenerate(t *testing.T) {
	docs := must(documents(release))(t)
	got := must(generate(release, docs))(t)
	file := filepath.Join(t.TempDir(), "builtin.types")
	if err := run(file, release); err != nil {
		t.Fatal(err)
	}
	if again := must(os.ReadFile(file))(t); string(again) != string(got) {
		t.Error("two runs differ")
	}
	if openapi.Release() != release {
		t.Errorf("the embedded types are of %s, want %s", openapi.Release(), release)
	}
	if len(got) > 300_000 {
		t.Errorf("got %d bytes", len(got))
	}
	t.Logf("%d documents, %d bytes", len(docs), len(got))
}

// What is embedded equals what the documents give, type by type and kind by
// kind. If it does not, run go generate in package openapi.
func TestEmbedded(t *testing.T) {
	fromDocs := openapi.New()
	if err := fromDocs.AddOpenAPIs(must(documents(release))(t)...); err != nil {
		t.Fatal(err)
	}
	builtin := openapi.Builtin()
	want := fromDocs.Types()
	if got := builtin.Types(); !slices.Equal(got, want) {
		t.Errorf("got %d types, want %d", len(got), len(want))
	}
	for _, name := range want {
		if g, w := schemaText(t, builtin, name), schemaText(t, fromDocs, name); g != w {
			t.Errorf("%s: got\n%s\nwant\n%s", name, g, w)
		}
	}
	got, all := builtin.Kinds(), fromDocs.Kinds()
	for i := range all {
		all[i].Source = ""
	}
	if g, w := text(t, got), text(t, all); g != w {
		t.Errorf("got kinds\n%s\nwant\n%s", g, w)
	}
	t.Logf("%d types, %d kinds", len(want), len(all))
}

// swagger returns the OpenAPI v2 document of the release, which carries no
// defaults.
func swagger(t *testing.T) *openapi.Catalog {
	t.Helper()
	file := filepath.Join(must(moduleDir(release))(t), "api/openapi-spec/swagger.json")
	c := openapi.New()
	if err := c.AddOpenAPI("swagger.json", must(os.ReadFile(file))(t)); err != nil {
		t.Fatal(err)
	}
	return c
}

// OpenAPI v2 with the defaults of v3 is v3.
func TestDefaultsMakeV3(t *testing.T) {
	c := swagger(t)
	v3 := openapi.Builtin()
	differ := 0
	for _, name := range c.Types() {
		if schemaText(t, c, name) != schemaText(t, v3, name) {
			differ++
		}
	}
	if differ < 400 {
		t.Errorf("without the defaults %d types differ, want most", differ)
	}
	for _, d := range must(documents(release))(t) {
		if err := c.AddDefaults(d.Name, d.Data); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := len(c.Types()), len(v3.Types()); got != want {
		t.Errorf("got %d types, want %d", got, want)
	}
	for _, name := range c.Types() {
		if g, w := schemaText(t, c, name), schemaText(t, v3, name); g != w {
			t.Errorf("%s: got\n%s\nwant\n%s", name, g, w)
		}
	}
}

// Type, scope and subresources of kinds are the same in both documents. The v2
// document has DeleteOptions and WatchEvent for a few versions more.
func TestKindsOfV2(t *testing.T) {
	v2, v3 := swagger(t), openapi.Builtin()
	if len(v2.Kinds()) < len(v3.Kinds()) {
		t.Errorf("got %d kinds, want at least %d", len(v2.Kinds()), len(v3.Kinds()))
	}
	for _, k := range v2.Kinds() {
		w, ok := v3.Kind(k.APIVersion, k.Kind)
		if !ok && (k.Kind == "DeleteOptions" || k.Kind == "WatchEvent") {
			continue
		}
		k.Source = ""
		if g, w := text(t, k), text(t, w); !ok || g != w {
			t.Errorf("got\n%s\nwant\n%s", g, w)
		}
	}
}

func TestUnsatisfiedKeys(t *testing.T) {
	inBoth := []string{
		"api.core.v1.ServiceAccount.secrets name",
		"api.flowcontrol.v1.FlowSchemaStatus.conditions type",
		"api.flowcontrol.v1.PriorityLevelConfigurationStatus.conditions type",
		"api.resource.v1.ResourceClaimStatus.devices shareID",
		"api.resource.v1beta1.ResourceClaimStatus.devices shareID",
		"api.resource.v1beta2.ResourceClaimStatus.devices shareID",
	}
	inV2 := append([]string{
		"api.core.v1.Container.ports protocol",
		"api.core.v1.EphemeralContainer.ports protocol",
		"api.core.v1.PodSpec.imagePullSecrets name",
		"api.core.v1.ServiceSpec.ports protocol",
	}, inBoth...)
	slices.Sort(inV2)
	for _, test := range []struct {
		name    string
		catalog *openapi.Catalog
		want    []string
		zero    int
	}{
		{"v2", swagger(t), inV2, 0},
		{"v3", openapi.Builtin(), inBoth, 82},
	} {
		report := test.catalog.UnsatisfiedKeys()
		var got []string
		for _, k := range report.Undefaulted {
			got = append(got, strings.TrimPrefix(k.Type, "io.k8s.")+k.Path+" "+k.Key)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
		if got := len(report.ZeroDefaults); got != test.zero {
			t.Errorf("%s: got %d required keys with a zero default, want %d", test.name, got, test.zero)
		}
	}
}

// No built-in type breaks the rules for keys.
func TestNoWarnings(t *testing.T) {
	for _, w := range swagger(t).Warnings() {
		t.Error(w)
	}
}

func schemaText(t *testing.T, c *openapi.Catalog, name string) string {
	t.Helper()
	s, _, ok := c.LookupType(name)
	if !ok {
		t.Fatalf("no type %s", name)
	}
	// The types below are compared under their own names.
	td, _ := s.FindNamedType(name)
	return text(t, []schema.TypeDef{td})
}

func text(t *testing.T, v any) string {
	t.Helper()
	return string(must(yaml.Marshal(v))(t))
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
