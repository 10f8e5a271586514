// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/gen/internal/emit"
	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

// TestDeclarativeValidation checks that a tag of declarative validation (KEP-5073)
// produces the same schema as the older marker with the same meaning.
func TestDeclarativeValidation(t *testing.T) {
	const head = "// +groupName=example.com\n// +k8s:openapi-gen=true\npackage cases\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n" +
		"type Subject struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n"
	const rest = "}\n\n// +k8s:enum\ntype Colour string\n\nconst (\n\tRed Colour = \"red\"\n\tBlue Colour = \"blue\"\n\t// +k8s:enumExclude\n\tGrey Colour = \"grey\"\n)\n\n// +enum\n// +k8s:enum\ntype Size string\n\nconst Large Size = \"large\"\n\ntype Item struct {\n\tName string `json:\"name\"`\n}\n" +
		"\n// +type:immutable\ntype Frozen string\n\n// +type:immutable=setOnce\ntype Once struct {\n\tName string `json:\"name\"`\n}\n\n// +type:immutable=additionOnly\ntype Labels map[string]string\n"
	dir := module(t)
	cases := []struct {
		name, field string
		openAPI     string
		crd         string
	}{
		{"lists", "// +k8s:listType=map\n// +k8s:listMapKey=name\n// +k8s:minItems=1\n// +k8s:maxItems=3 # few\nCase []Item `json:\"case\"`",
			`{"items":{"$ref":"Item"},"type":"array","x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map"}`,
			`{"items":{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"},"maxItems":3,"minItems":1,"type":"array","x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map"}`},
		{"texts", "// +k8s:minLength=1\n// +k8s:maxLength=63\n// +k8s:optional\nCase string `json:\"case\"`",
			`{"default":"","type":"string"}`,
			`{"maxLength":63,"minLength":1,"type":"string"}`},
		{"numbers", "// +k8s:minimum=-1\n// +k8s:maximum=0x10\nCase *int32 `json:\"case\"`",
			`{"format":"int32","type":"integer"}`,
			`{"format":"int32","maximum":16,"minimum":-1,"type":"integer"}`},
		{"maps", "// +k8s:minProperties=1\n// +k8s:maxProperties=2\n// +k8s:eachVal=+k8s:maxLength=5\n// +k8s:eachVal=+k8s:immutable\nCase map[string]string `json:\"case\"`",
			`{"additionalProperties":{"type":"string","x-kubernetes-immutable":true},"type":"object"}`,
			`{"additionalProperties":{"maxLength":5,"type":"string","x-kubernetes-immutable":true},"maxProperties":2,"minProperties":1,"type":"object"}`},
		{"items", "// +k8s:eachVal=+k8s:maximum=5\nCase []int64 `json:\"case\"`",
			`{"items":{"format":"int64","type":"integer"},"type":"array"}`,
			`{"items":{"format":"int64","maximum":5,"type":"integer"},"type":"array"}`},
		{"keyed items", "// +listType=map\n// +listMapKey=name\n// +items:immutable\nCase []Item `json:\"case\"`",
			`{"items":{"$ref":"Item","x-kubernetes-immutable":true},"type":"array","x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map"}`,
			`{"items":{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object","x-kubernetes-immutable":true},"type":"array","x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map"}`},
		{"enum", "Case Colour `json:\"case,omitempty\"`",
			`{"description":"Possible enum values:\n - ` + "`" + `\"blue\"` + "`" + `\n - ` + "`" + `\"red\"` + "`" + `","enum":["blue","red"],"type":"string"}`,
			`{"enum":["blue","red"],"type":"string"}`},
		{"both spellings", "// +immutable\n// +k8s:immutable\n// +kubebuilder:validation:MaxLength=3\n// +k8s:maxLength=3\nCase string `json:\"case,omitempty\"`",
			`{"type":"string","x-kubernetes-immutable":true}`,
			`{"maxLength":3,"type":"string","x-kubernetes-immutable":true}`},
		{"a link", "// +kubebuilder:externalDocs:url=\"https://example.com/a,b\",description=how\nCase string `json:\"case,omitempty\"`",
			`{"type":"string"}`,
			`{"externalDocs":{"description":"how","url":"https://example.com/a,b"},"type":"string"}`},
		{"a link by itself", "// +kubebuilder:externalDocs:url=https://example.com/a\nCase string `json:\"case,omitempty\"`",
			`{"type":"string"}`,
			`{"externalDocs":{"url":"https://example.com/a"},"type":"string"}`},
		{"required", "// +k8s:required\nCase string `json:\"case\"`",
			`{"default":"","type":"string"}`,
			`{"minLength":1,"type":"string"}`},
		{"a required list", "// +k8s:required\nCase []string `json:\"case,omitempty\"`",
			`{"items":{"type":"string"},"type":"array"}`,
			`{"items":{"type":"string"},"minItems":1,"type":"array"}`},
		{"a required map", "// +k8s:required\n// +k8s:minProperties=2\nCase map[string]string `json:\"case,omitempty\"`",
			`{"additionalProperties":{"type":"string"},"type":"object"}`,
			`{"additionalProperties":{"type":"string"},"minProperties":2,"type":"object"}`},
		{"a required pointer", "// +k8s:required\nCase *string `json:\"case,omitempty\"`",
			`{"type":"string"}`,
			`{"type":"string"}`},
		{"required, and empty all the same", "// +k8s:required\n// +k8s:minLength=0\nCase string `json:\"case\"`",
			`{"default":"","type":"string"}`,
			`{"minLength":0,"type":"string"}`},
		{"both enums", "Case Size `json:\"case,omitempty\"`",
			`{"description":"Possible enum values:\n - ` + "`" + `\"large\"` + "`" + `","enum":["large"],"type":"string"}`,
			`{"enum":["large"],"type":"string"}`},
		{"keys of what is unique", "// +listType=atomic\n// +k8s:unique=map\n// +k8s:listMapKey=name\nCase []Item `json:\"case\"`",
			`{"items":{"$ref":"Item"},"type":"array","x-kubernetes-list-type":"atomic"}`,
			`{"items":{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"},"type":"array","x-kubernetes-list-type":"atomic"}`},
		{"a type that is immutable", "Case Frozen `json:\"case,omitempty\"`",
			`{"type":"string","x-kubernetes-immutable":true}`,
			`{"type":"string","x-kubernetes-immutable":true}`},
		{"a pointer to it that says otherwise", "// +immutable=setOnce\nCase *Frozen `json:\"case,omitempty\"`",
			`{"type":"string","x-kubernetes-set-once":true}`,
			`{"type":"string","x-kubernetes-set-once":true}`},
		{"a map of it", "Case map[string]Frozen `json:\"case,omitempty\"`",
			`{"additionalProperties":{"type":"string","x-kubernetes-immutable":true},"type":"object"}`,
			`{"additionalProperties":{"type":"string","x-kubernetes-immutable":true},"type":"object"}`},
		{"a list of it", "// +listType=map\n// +listMapKey=name\nCase []Once `json:\"case\"`",
			`{"items":{"$ref":"Once","x-kubernetes-set-once":true},"type":"array","x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map"}`,
			`{"items":{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object","x-kubernetes-set-once":true},"type":"array","x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map"}`},
		{"a list that is immutable itself", "// +immutable\nCase []Once `json:\"case\"`",
			`{"items":{"$ref":"Once"},"type":"array","x-kubernetes-immutable":true}`,
			`{"items":{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"},"type":"array","x-kubernetes-immutable":true}`},
		{"a type whose keys may come", "Case Labels `json:\"case,omitempty\"`",
			`{"additionalProperties":{"type":"string"},"type":"object","x-kubernetes-addition-only":true}`,
			`{"additionalProperties":{"type":"string"},"type":"object","x-kubernetes-addition-only":true}`},
		{"deletion", "// +k8s:update=NoAddItem\nCase map[string]string `json:\"case,omitempty\"`",
			`{"additionalProperties":{"type":"string"},"type":"object","x-kubernetes-deletion-only":true}`,
			`{"additionalProperties":{"type":"string"},"type":"object","x-kubernetes-deletion-only":true}`},
	}
	for i, c := range cases {
		write(t, filepath.Join(dir, caseDir(i), "types.go"), head+c.field+"\n"+rest)
	}
	src, err := markers.Load(markers.Config{Dir: dir}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range markers.Errors(src.Check(), false) {
		t.Errorf("%s", f)
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, _ := src.Package("example.com/cases/" + caseDir(i))
			packages := []*markers.Package{p}
			var openAPI map[string]any
			for _, d := range emit.NewDefinitions(src, packages, emit.DefinitionOptions{Implied: true}).Sorted() {
				if s := d.Schema.Properties["case"]; s != nil {
					openAPI = s.Plain(filepath.Ext)
				}
			}
			if items, ok := openAPI["items"].(map[string]any); ok {
				if ref, ok := items["$ref"].(string); ok {
					items["$ref"] = strings.TrimPrefix(ref, ".")
				}
			}
			if got := markers.JSON(openAPI); got != c.openAPI {
				t.Errorf("OpenAPI:\n got %s\nwant %s", got, c.openAPI)
			}
			crds, err := emit.CRDs(src, packages, emit.CRDOptions{MaxDescription: -1})
			if err != nil || len(crds) != 1 {
				t.Fatalf("%d CRDs: %v", len(crds), err)
			}
			version := crds[0].Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
			root := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
			if got := markers.JSON(propertyIn(root, "case")); got != c.crd {
				t.Errorf("CRD:\n got %s\nwant %s", got, c.crd)
			}
		})
	}
}

// TestPinnedKeysOfRecursiveType makes the keys of a recursive list immutable: its items
// contain the same list. The generated schema must be finite.
func TestPinnedKeysOfRecursiveType(t *testing.T) {
	dir := module(t)
	write(t, filepath.Join(dir, "api/types.go"), "// +k8s:openapi-gen=true\npackage api\n\ntype Group struct {\n\tName string `json:\"name\"`\n"+
		"\t// +listType=map\n\t// +listMapKey=name\n\t// +k8s:update=NoAddItem\n\t// +k8s:update=NoRemoveItem\n\tGroups []Group `json:\"groups,omitempty\"`\n}\n")
	src, err := markers.Load(markers.Config{Dir: dir}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := src.Package("example.com/cases/api")
	all := emit.NewDefinitions(src, []*markers.Package{p}, emit.DefinitionOptions{Implied: true}).Sorted()
	if len(all) != 1 {
		t.Fatalf("%d definitions", len(all))
	}
	items := all[0].Schema.Properties["groups"].Items
	if items.Properties["name"].X["x-kubernetes-immutable"] != true || items.Properties["groups"].Items.Ref == "" {
		t.Errorf("got %s", markers.JSON(items.Plain(func(ref string) string { return ref })))
	}
}

// TestTaggedUnions checks the x-kubernetes-unions extension for unions that are declared
// by +k8s:unionMember. Only marked fields are members, and a struct may have several
// unions.
func TestTaggedUnions(t *testing.T) {
	dir := module(t)
	write(t, filepath.Join(dir, "api/types.go"), "// +k8s:openapi-gen=true\npackage api\n\ntype Choice struct {\n\t// +k8s:unionDiscriminator\n\tKind string `json:\"kind\"`\n"+
		"\t// +k8s:unionMember\n\tA *string `json:\"a,omitempty\"`\n\t// +k8s:unionMember(memberName: \"Bee\")\n\tB *string `json:\"b,omitempty\"`\n"+
		"\t// +k8s:unionMember(union: \"other\")\n\tC *string `json:\"c,omitempty\"`\n\tNone string `json:\"none\"`\n}\n")
	src, err := markers.Load(markers.Config{Dir: dir}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := src.Package("example.com/cases/api")
	all := emit.NewDefinitions(src, []*markers.Package{p}, emit.DefinitionOptions{Implied: true}).Sorted()
	if len(all) != 1 {
		t.Fatalf("%d definitions", len(all))
	}
	const want = `[{"discriminator":"kind","fields-to-discriminateBy":{"a":"A","b":"Bee"}},{"fields-to-discriminateBy":{"c":"C"}}]`
	if got := markers.JSON(all[0].Schema.X["x-kubernetes-unions"]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCRDsAreNotOpenAPI checks how CRDs differ from OpenAPI documents. In a CRD, the map
// type of an embedded struct also applies to the outer struct, as in controller-gen. Patch
// strategies appear only in OpenAPI documents.
func TestCRDsAreNotOpenAPI(t *testing.T) {
	dir := module(t)
	write(t, filepath.Join(dir, "api/types.go"), "// +groupName=example.com\n// +k8s:openapi-gen=true\npackage api\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"+
		"type Thing struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tCase Outer `json:\"case\"`\n}\n\n"+
		"type Outer struct {\n\tInner `json:\",inline\"`\n\t// +patchStrategy=merge\n\t// +patchMergeKey=name\n\t// +listType=map\n\t// +listMapKey=name\n\tList []Item `json:\"list\"`\n}\n\n"+
		"// +structType=atomic\ntype Inner struct {\n\tName string `json:\"name\"`\n}\n\ntype Item struct {\n\tName string `json:\"name\"`\n}\n")
	src, err := markers.Load(markers.Config{Dir: dir}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := src.Package("example.com/cases/api")
	crds, err := emit.CRDs(src, []*markers.Package{p}, emit.CRDOptions{MaxDescription: -1})
	if err != nil || len(crds) != 1 {
		t.Fatalf("%d CRDs: %v", len(crds), err)
	}
	version := crds[0].Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	root := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	const want = `{"properties":{"list":{"items":{"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"},"type":"array","x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map"},"name":{"type":"string"}},` +
		`"required":["list","name"],"type":"object","x-kubernetes-map-type":"atomic"}`
	if got := markers.JSON(propertyIn(root, "case")); got != want {
		t.Errorf("CRD:\n got %s\nwant %s", got, want)
	}
	for _, d := range emit.NewDefinitions(src, []*markers.Package{p}, emit.DefinitionOptions{Implied: true}).Sorted() {
		if list := d.Schema.Properties["list"]; list != nil && (d.Schema.X["x-kubernetes-map-type"] != nil || list.X["x-kubernetes-patch-strategy"] != "merge" || list.X["x-kubernetes-patch-merge-key"] != "name") {
			t.Errorf("OpenAPI: got %s", markers.JSON(d.Schema.Plain(func(ref string) string { return ref })))
		}
	}
}
