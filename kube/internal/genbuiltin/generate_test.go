// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
)

// The generator must return the same bytes in every run. The test does not compare
// these bytes with the committed file, because compression can differ between Go
// releases.
func TestGenerate(t *testing.T) {
	for _, release := range openapi.Releases() {
		docs := must(documents(release))(t)
		got := must(generate(release, docs))(t)
		file := filepath.Join(t.TempDir(), "builtin.types")
		if err := run(file, release); err != nil {
			t.Fatal(err)
		}
		if again := must(os.ReadFile(file))(t); string(again) != string(got) {
			t.Errorf("%s: two runs differ", release)
		}
		if len(got) > 30_000 {
			t.Errorf("%s: got %d bytes", release, len(got))
		}
		t.Logf("%s: %d documents, %d bytes", release, len(docs), len(got))
	}
}

// The embedded types and kinds must equal those in the OpenAPI documents. If this test
// fails, run make.sh of package releases.
func TestEmbedded(t *testing.T) {
	for _, release := range openapi.Releases() {
		t.Run(release, func(t *testing.T) { testEmbedded(t, release) })
	}
}

func testEmbedded(t *testing.T, release string) {
	fromDocs := openapi.New(openapi.Options{})
	if err := fromDocs.AddOpenAPIs(must(documents(release))(t)...); err != nil {
		t.Fatal(err)
	}
	builtin := must(openapi.BuiltinRelease(release, openapi.Options{}))(t)
	want := fromDocs.Types()
	if got := builtin.Types(); !slices.Equal(got, want) {
		t.Errorf("got %d types, want %d", len(got), len(want))
	}
	for _, name := range want {
		if g, w := schemaText(t, builtin, name), schemaText(t, fromDocs, name); g != w {
			t.Errorf("%s: got\n%s\nwant\n%s", name, g, w)
		}
	}
	got, all := builtin.Kinds(), must(served(release, fromDocs))(t)
	for i := range all {
		all[i].Source = ""
	}
	if g, w := text(t, got), text(t, all); g != w {
		t.Errorf("got kinds\n%s\nwant\n%s", g, w)
	}
	t.Logf("%d types, %d kinds", len(want), len(all))
}

// The documents of a prerelease list kinds that the final release will not serve.
// Kubernetes' Go code marks these kinds as removed.
func TestServed(t *testing.T) {
	const alpha = "v1.38.0-alpha.0"
	fromDocs := openapi.New(openapi.Options{})
	if err := fromDocs.AddOpenAPIs(must(documents(alpha))(t)...); err != nil {
		t.Fatal(err)
	}
	before := fromDocs.Kinds()
	var gone []string
	left := must(served(alpha, fromDocs))(t)
	for _, k := range before {
		if k.Resource != "" && !slices.ContainsFunc(left, func(l openapi.Kind) bool { return l.APIVersion == k.APIVersion && l.Kind == k.Kind }) {
			gone = append(gone, k.APIVersion+" "+k.Kind)
		}
	}
	want := []string{
		"admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy", "admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicyBinding",
		"coordination.k8s.io/v1alpha2 LeaseCandidate",
		"resource.k8s.io/v1beta1 DeviceClass", "resource.k8s.io/v1beta1 ResourceClaim", "resource.k8s.io/v1beta1 ResourceClaimTemplate", "resource.k8s.io/v1beta1 ResourceSlice",
	}
	if !slices.Equal(gone, want) {
		t.Errorf("got %q, want %q", gone, want)
	}
}

func schemaText(t *testing.T, c *openapi.Catalog, name string) string {
	t.Helper()
	s, _, ok := c.LookupType(name)
	if !ok {
		t.Fatalf("no type %s", name)
	}
	// Return only the named type, because the caller compares the types inside it separately.
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
