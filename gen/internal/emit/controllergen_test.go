// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit_test

import (
	"path/filepath"
	"testing"

	"github.com/dovetail-ssa/dovetail/gen/internal/emit"
	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

// TestAsControllerGen compares a CRD with the output of controller-gen 0.23: the CEL rules
// and their order, the printer columns and the descriptions.
func TestAsControllerGen(t *testing.T) {
	dir := module(t)
	write(t, filepath.Join(dir, "apimachinery/pkg/apis/meta/v1/time.go"), "package v1\n\n// Time wraps a time of Go.\ntype Time struct{}\n\nfunc (*Time) MarshalJSON() ([]byte, error) { return nil, nil }\n")
	write(t, filepath.Join(dir, "api/types.go"), "// +groupName=example.com\npackage api\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"+
		"// +kubebuilder:printcolumn:name=\"Age\",type=date,JSONPath=`.a`,description=\"\",priority=0,format=\"\"\n"+
		"type Thing struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n"+
		"\t// +kubebuilder:validation:XValidation:rule=\"field\"\n\tCase Outer `json:\"case\"`\n}\n\n"+
		"// +kubebuilder:validation:XValidation:rule=\"own\"\n// +kubebuilder:validation:AtMostOneOf=a;b\n// +kubebuilder:validation:ExactlyOneOf=a;b\n// +kubebuilder:validation:AtLeastOneOf=a;b\n"+
		"type Outer struct {\n\tFirst `json:\",inline\"`\n\tLast `json:\",inline\"`\n\tA *metav1.Time `json:\"a,omitempty\"`\n\t// Times that it was.\n\tB []metav1.Time `json:\"b,omitempty\"`\n}\n\n"+
		"// +kubebuilder:validation:XValidation:rule=\"first\"\ntype First struct{}\n\n// +kubebuilder:validation:XValidation:rule=\"last\"\ntype Last struct{}\n")
	src, err := markers.Load(markers.Config{Dir: dir}, "./api")
	if err != nil {
		t.Fatal(err)
	}
	crds, err := emit.CRDs(src, src.Packages, emit.CRDOptions{MaxDescription: -1})
	if err != nil || len(crds) != 1 {
		t.Fatalf("%d CRDs: %v", len(crds), err)
	}
	version := crds[0].Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	root := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	const want = `{"properties":{"a":{"format":"date-time","type":"string"},"b":{"description":"Times that it was.","items":{"format":"date-time","type":"string"},"type":"array"}},"type":"object",` +
		`"x-kubernetes-validations":[{"rule":"own"},` +
		`{"message":"at most one of the fields in [a b] may be set","rule":"(has(self.a)?1:0)+(has(self.b)?1:0) <= 1"},` +
		`{"message":"exactly one of the fields in [a b] must be set","rule":"(has(self.a)?1:0)+(has(self.b)?1:0) == 1"},` +
		`{"message":"at least one of the fields in [a b] must be set","rule":"has(self.a)||has(self.b)"},` +
		`{"rule":"last"},{"rule":"first"},{"rule":"field"}]}`
	if got := markers.JSON(propertyIn(root, "case")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	const columns = `[{"jsonPath":".a","name":"Age","type":"date"}]`
	if got := markers.JSON(version["additionalPrinterColumns"]); got != columns {
		t.Errorf("got %s, want %s", got, columns)
	}
}

// TestRecursiveKeys generates a CRD for a list whose items contain the same list again.
// Even the innermost items must have their key fields, because the API server rejects the
// CRD otherwise. The test also checks that metadata is required with and without implied
// defaults, and that the object itself is not nullable.
func TestRecursiveKeys(t *testing.T) {
	dir := module(t)
	write(t, filepath.Join(dir, "api/types.go"), "// +groupName=example.com\npackage api\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"+
		"// +nullable\ntype Thing struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\n\t// +listType=map\n\t// +listMapKey=name\n\tCase []Group `json:\"case,omitempty\"`\n}\n\n"+
		"type Group struct {\n\tName string `json:\"name\"`\n\tSize int32 `json:\"size,omitempty\"`\n\n\t// +listType=map\n\t// +listMapKey=name\n\tGroups []Group `json:\"groups,omitempty\"`\n}\n")
	src, err := markers.Load(markers.Config{Dir: dir}, "./api")
	if err != nil {
		t.Fatal(err)
	}
	for _, implied := range []bool{true, false} {
		crds, err := emit.CRDs(src, src.Packages, emit.CRDOptions{Implied: implied, MaxDescription: -1})
		if err != nil || len(crds) != 1 {
			t.Fatalf("%d CRDs: %v", len(crds), err)
		}
		version := crds[0].Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
		root := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
		const want = `{"items":{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object","x-kubernetes-preserve-unknown-fields":true},"type":"array","x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map"}`
		if got := markers.JSON(propertyIn(propertyIn(root, "case")["items"].(map[string]any), "groups")); got != want {
			t.Errorf("implied %t:\n got %s\nwant %s", implied, got, want)
		}
		if got := markers.JSON(root["required"]); got != `["metadata"]` || root["nullable"] != nil {
			t.Errorf("implied %t: required: %s, nullable: %v", implied, got, root["nullable"])
		}
	}
}

// TestEmbeddedFields checks two rules of controller-gen 0.23: markers on an inlined field
// apply to the struct that embeds it, and only some markers have an effect on types.
func TestEmbeddedFields(t *testing.T) {
	dir := module(t)
	write(t, filepath.Join(dir, "api/types.go"), "// +groupName=example.com\npackage api\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"+`
type Thing struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata,omitzero\"`"+`
	Schemaless *Schemaless `+"`json:\"schemaless,omitempty\"`"+`
	Pointer    *Pointer    `+"`json:\"pointer,omitempty\"`"+`
	Named      *Named      `+"`json:\"named,omitempty\"`"+`
	Marked     *Marked     `+"`json:\"marked,omitempty\"`"+`
	OnType     []OnType    `+"`json:\"onType,omitempty\"`"+`
	Defaulted  *Defaulted  `+"`json:\"defaulted,omitempty\"`"+`
	Deep       []Deep      `+"`json:\"deep,omitempty\"`"+`
}

type Inner struct {
	X string `+"`json:\"x\"`"+`
}

type Schemaless struct {
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +nullable
	Inner `+"`json:\",inline\"`"+`
	Y     string `+"`json:\"y,omitempty\"`"+`
}

type Pointer struct {
	// +kubebuilder:validation:Schemaless
	*Inner `+"`json:\",inline\"`"+`
}

type Named struct {
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Inner `+"`json:\"inner,omitempty\"`"+`
}

type Marked struct {
	// +kubebuilder:title="T"
	// +kubebuilder:example={x: y}
	// +kubebuilder:externalDocs:url="https://example.com"
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:EmbeddedResource
	// +mapType=atomic
	Inner `+"`json:\",inline\"`"+`
}

type Defaulted struct {
	// +kubebuilder:default={x: a, z: b}
	Inner `+"`json:\",inline\"`"+`
	Z     string `+"`json:\"z,omitempty\"`"+`
}

type Deep struct {
	Defaulted `+"`json:\",inline\"`"+`
}

// +nullable
// +kubebuilder:example={x: y}
// +kubebuilder:validation:EmbeddedResource
// +kubebuilder:default={x: y}
// +kubebuilder:title="T"
type OnType struct {
	X string `+"`json:\"x\"`"+`
}
`)
	src, err := markers.Load(markers.Config{Dir: dir}, "./api")
	if err != nil {
		t.Fatal(err)
	}
	if errs := markers.Errors(src.Check(), false); len(errs) > 0 {
		t.Error(errs)
	}
	crds, err := emit.CRDs(src, src.Packages, emit.CRDOptions{MaxDescription: -1})
	if err != nil || len(crds) != 1 {
		t.Fatalf("%d CRDs: %v", len(crds), err)
	}
	version := crds[0].Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	root := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	for name, want := range map[string]string{
		"schemaless": `{"nullable":true,"properties":{"y":{"type":"string"}},"type":"object","x-kubernetes-preserve-unknown-fields":true}`,
		"pointer":    `{"type":"object"}`,
		"named":      `{"properties":{"inner":{"x-kubernetes-preserve-unknown-fields":true}},"type":"object"}`,
		"marked":     `{"minProperties":1,"properties":{"x":{"type":"string"}},"required":["x"],"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-map-type":"atomic"}`,
		"defaulted":  `{"default":{"x":"a","z":"b"},"properties":{"x":{"type":"string"},"z":{"type":"string"}},"required":["x"],"type":"object"}`,
		"deep":       `{"items":{"default":{"x":"a","z":"b"},"properties":{"x":{"type":"string"},"z":{"type":"string"}},"required":["x"],"type":"object"},"type":"array"}`,
		"onType":     `{"items":{"properties":{"x":{"type":"string"}},"required":["x"],"title":"T","type":"object"},"type":"array"}`,
	} {
		if got := markers.JSON(propertyIn(root, name)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

// TestCRDOptions checks MaxDescription and BareMetadata, which correspond to maxDescLen
// and generateEmbeddedObjectMeta of controller-gen.
func TestCRDOptions(t *testing.T) {
	dir := module(t)
	write(t, filepath.Join(dir, "api/types.go"), "// +groupName=example.com\npackage api\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"+
		"type Thing struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitzero\"`\n"+
		"\t// Größe is one. It has two sentences.\n\tCase Inner `json:\"case,omitzero\"`\n}\n\n"+
		"type Inner struct {\n\tMeta metav1.ObjectMeta `json:\"metadata,omitzero\"`\n}\n")
	src, err := markers.Load(markers.Config{Dir: dir}, "./api")
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int]string{
		-1: "Größe is one. It has two sentences.", 100: "Größe is one. It has two sentences.",
		34: "Größe is one.", 13: "Größe is one.", 12: "Größe is...", 5: "Größe...", 3: "Grö...", 0: "",
	} {
		crds, err := emit.CRDs(src, src.Packages, emit.CRDOptions{MaxDescription: most, BareMetadata: most == 0})
		if err != nil || len(crds) != 1 {
			t.Fatalf("%d CRDs: %v", len(crds), err)
		}
		version := crds[0].Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
		inner := propertyIn(version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any), "case")
		if got, _ := inner["description"].(string); got != want {
			t.Errorf("at most %d: got %q, want %q", most, got, want)
		}
		_, described := propertyIn(inner, "metadata")["properties"]
		if described != (most != 0) {
			t.Errorf("at most %d: the metadata has fields: %t", most, described)
		}
	}
}

// TestPackageOptional checks where +kubebuilder:validation:Optional applies to all fields
// of a package: in doc.go, it does outside of declarations and their doc comments, as
// with controller-gen 0.23.
func TestPackageOptional(t *testing.T) {
	const marker = "// +kubebuilder:validation:Optional\n"
	for _, c := range []struct {
		name, file, above, below, onType, onField, want string
	}{
		{"no marker", "doc.go", "", "", "", "", `["a","b"]`},
		{"above the package clause", "types.go", marker, "", "", "", `null`},
		{"above the package clause of doc.go", "doc.go", marker, "", "", "", `null`},
		{"below the package clause", "doc.go", "", marker, "", "", `null`},
		{"on a field", "types.go", "", "", "", marker, `["b"]`},
		{"on a field in doc.go", "doc.go", "", "", "", marker, `["b"]`},
		{"above a blank line in a struct in doc.go", "doc.go", "", "", "", marker + "\n", `["b"]`},
		{"on a type in doc.go", "doc.go", "", "", marker, "", `["a","b"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := module(t)
			write(t, filepath.Join(dir, "api", c.file), c.above+"// +groupName=example.com\npackage api\n\n"+c.below+"\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"+
				"type Thing struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitzero\"`\n\tCase Inner `json:\"case\"`\n}\n\n"+
				"// Inner has two fields.\n"+c.onType+"type Inner struct {\n"+c.onField+"\tA string `json:\"a\"`\n\tB string `json:\"b\"`\n}\n")
			src, err := markers.Load(markers.Config{Dir: dir}, "./api")
			if err != nil {
				t.Fatal(err)
			}
			crds, err := emit.CRDs(src, src.Packages, emit.CRDOptions{MaxDescription: -1})
			if err != nil || len(crds) != 1 {
				t.Fatalf("%d CRDs: %v", len(crds), err)
			}
			version := crds[0].Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
			inner := propertyIn(version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any), "case")
			if got := markers.JSON(inner["required"]); got != c.want {
				t.Errorf("required: got %s, want %s", got, c.want)
			}
		})
	}
}
