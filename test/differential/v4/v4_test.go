// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package v4 compares compat/v4 with structured-merge-diff v4.7.0. It is a separate package
// because compat/v4 sets policies for the whole process.
package v4

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream4"
	"github.com/dovetail-ssa/dovetail/test/differential/fieldsv1"
	"github.com/dovetail-ssa/dovetail/test/differential/gen"
	"github.com/dovetail-ssa/dovetail/test/differential/run"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
	upath "sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	utyped "sigs.k8s.io/structured-merge-diff/v4/typed"
	uvalue "sigs.k8s.io/structured-merge-diff/v4/value"
)

func init() { schema.SetProcessPolicies(run.Version4) }

// TestRandomCases runs some of the random cases of cmd/ssadiff -engine v4.
func TestRandomCases(t *testing.T) {
	maker := gen.Maker{Version4: true}
	r := run.New(upstream4.New(), ours.New())
	for seed := range uint64(1500) {
		if d := r.Check(maker.Case(seed)); d != nil {
			t.Errorf("seed %d: %v", seed, d)
		}
	}
}

// TestFieldsV1 runs some of the documents of cmd/fieldsv1 -v4.
func TestFieldsV1(t *testing.T) {
	for n := range uint64(10000) {
		if _, difference := fieldsv1.Difference(upstream4.FieldsV1(), ours.FieldsV1(), 1, n); difference != "" {
			t.Errorf("document %d: %s", n, difference)
		}
	}
}

// TestTrailingData tests data after a document, which v4 ignores.
func TestTrailingData(t *testing.T) {
	for _, text := range []string{`v:1 2`, `k:{"a":1}x`, `v:"a"]`, `v:{} {}`} {
		theirs, wrong := upath.DeserializePathElement(text)
		ours, err := fieldpath.DeserializePathElement(text)
		if wrong != nil || err != nil || theirs.String() != ours.String() {
			t.Errorf("%s: Dovetail returns %v, %v, structured-merge-diff %v, %v", text, ours, err, theirs, wrong)
		}
	}
	for _, text := range []string{`1 2`, `{"a":1}x`, `[] `, `"a",`} {
		theirs, wrong := uvalue.FromJSON([]byte(text))
		ours, err := value.FromJSON([]byte(text))
		if wrong != nil || err != nil || uvalue.ToString(theirs) != value.ToString(ours) {
			t.Errorf("%s: Dovetail returns %v, %v, structured-merge-diff %v, %v", text, ours, err, theirs, wrong)
		}
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(stringKeys(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// stringKeys converts the keys of all maps to strings.
func stringKeys(v any) any {
	switch x := v.(type) {
	case map[any]any:
		out := map[string]any{}
		for k, c := range x {
			out[fmt.Sprint(k)] = stringKeys(c)
		}
		return out
	case map[string]any:
		for k, c := range x {
			x[k] = stringKeys(c)
		}
	case []any:
		for i, c := range x {
			x[i] = stringKeys(c)
		}
	}
	return v
}

type embedded struct {
	A string `json:"a"`
}

type bothMethods struct{}

func (bothMethods) MarshalJSON() ([]byte, error)          { return []byte(`"marshalled"`), nil }
func (bothMethods) ToUnstructuredWithError() (any, error) { return "asked", nil }

// TestStructs tests Go structs that structured-merge-diff v4 reads in another way than v6:
// v4-inline, v4-nil-embedded, v4-unexported and v4-converter in DIFFERENCES.md.
func TestStructs(t *testing.T) {
	for _, tc := range []struct {
		object       any
		theirs, ours string
	}{
		{&struct{ embedded }{embedded{"x"}}, `{"embedded":{"a":"x"}}`, `{"a":"x"}`},
		{&struct {
			F embedded `json:",inline"`
		}{embedded{"x"}}, `{"a":"x"}`, `{"F":{"a":"x"}}`},
		{&struct {
			*Embedded `json:",inline"`
		}{}, "panics", `{"a":""}`},
		{&struct{ x string }{"y"}, `{"x":"y"}`, `{}`},
		{&struct {
			F bothMethods `json:"f"`
		}{}, `{"f":"marshalled"}`, `{"f":"asked"}`},
	} {
		theirs := func() (text string) {
			defer func() {
				if recover() != nil {
					text = "panics"
				}
			}()
			v, err := uvalue.NewValueReflect(tc.object)
			if err != nil {
				t.Fatal(err)
			}
			return jsonOf(t, v.Unstructured())
		}()
		v, err := value.NewValueReflect(tc.object)
		if err != nil {
			t.Fatal(err)
		}
		if ours := jsonOf(t, v.Unstructured()); theirs != tc.theirs || ours != tc.ours {
			t.Errorf("%T: Dovetail %s, structured-merge-diff %s; want %s and %s", tc.object, ours, theirs, tc.ours, tc.theirs)
		}
	}
}

// Embedded is a struct that is embedded by pointer.
type Embedded struct {
	A string `json:"a"`
}

// TestNullable tests a schema with nullable, which structured-merge-diff v4 rejects (v4-nullable
// in DIFFERENCES.md).
func TestNullable(t *testing.T) {
	const text = `types: [{name: a, map: {fields: [{name: f, type: {scalar: string, nullable: true}}]}}]`
	if _, err := utyped.NewParser(text); err == nil {
		t.Error("structured-merge-diff has changed: it supports nullable")
	}
	if _, err := typed.NewParser(text); err != nil {
		t.Error(err)
	}
}
