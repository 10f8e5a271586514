// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// lines formats findings, one per line: line number, path below the schema, rule, message.
func lines(fs crd.Findings) string {
	var lines []string
	for _, f := range fs {
		path := strings.Replace(f.Path, ".spec.versions[0].schema.openAPIV3Schema", "…", 1)
		lines = append(lines, fmt.Sprintf("%d: %s: %s: %s", f.Line, path, f.Rule, f.Message))
	}
	return strings.Join(lines, "\n")
}

func TestFindings(t *testing.T) {
	provoked := map[crd.Rule]bool{}
	for _, file := range []string{"structural", "markers", "envelope", "defaults", "rules"} {
		t.Run(file, func(t *testing.T) {
			crdtest.CheckBlocks(t, "testdata/"+file+".txt", func(t *testing.T, in string) string {
				found := crdtest.Read(t, crdtest.Document(in)).Validate()
				for _, f := range found {
					provoked[f.Rule] = true
				}
				return lines(found)
			})
		})
	}
	for _, r := range crd.DocumentRules {
		if !provoked[r] && r != crd.TooDeep && r != crd.TooLarge {
			t.Errorf("no case breaks the rule %s", r)
		}
	}
}

// Package internal/rules must list every rule of this package with a severity. It must not
// list a rule that is never reported.
func TestRulesAreListed(t *testing.T) {
	ours := append(slices.Clone(crd.DocumentRules), append(slices.Clone(crd.LintRules), crd.Changed, crd.StoredVersionGone)...)
	for _, r := range ours {
		if _, ok := rules.Lookup(string(r)); !ok {
			t.Errorf("internal/rules lacks %s", r)
		}
	}
	for _, r := range rules.Lint() {
		if !slices.Contains(ours, crd.Rule(r.ID)) {
			t.Errorf("internal/rules has %s, which is never reported", r.ID)
		}
	}
}

// Hints beyond the limit must not displace errors. The final finding with the number of
// omitted hints is itself a hint.
func TestManyHints(t *testing.T) {
	var fields strings.Builder
	for i := range 600 {
		fmt.Fprintf(&fields, "  a%d: {type: array, items: {type: string}}\n", i)
	}
	doc := crdtest.Document("type: object\nproperties:\n" + fields.String() + "  z: {type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic, properties: {x: {type: string}}}}")
	found := crdtest.Read(t, doc).Lint()
	count := map[crd.Rule]int{}
	for _, f := range found {
		count[f.Rule]++
	}
	if count[openapi.NoListType] != 401 || count[openapi.SetOfObjects] != 1 || len(found) != 402 {
		t.Errorf("got %v", count)
	}
	if last := found[len(found)-1]; last.Message != "and 200 more findings" {
		t.Errorf("got %v", last)
	}
}

// Findings have the same order in every run.
func TestOrder(t *testing.T) {
	doc := crdtest.Document(`type: object
properties:
  a: {}
  b: {type: array}
  c: {type: string, default: 5}
  d: {type: object, properties: {x: {}, y: {}, z: {}}, anyOf: [{type: string}, {nullable: true}]}`)
	first := lines(crdtest.Read(t, doc).Validate())
	if strings.Count(first, "\n") < 5 {
		t.Fatalf("got %s", first)
	}
	for range 20 {
		if got := lines(crdtest.Read(t, doc).Validate()); got != first {
			t.Fatalf("got\n%s\nthen\n%s", first, got)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", "f.yaml: want a CustomResourceDefinition, found nothing"},
		{"another kind", "apiVersion: v1\nkind: Service", "f.yaml: want a CustomResourceDefinition, found Service"},
		{"no YAML", "a: [", "f.yaml:1: not YAML: did not find expected node content"},
		{"v2", "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v2",
			"f.yaml:2:1: .apiVersion: want apiextensions.k8s.io/v1, found apiextensions.k8s.io/v2"},
		{"a cycle of anchors", "&a [*a]", "f.yaml:1: not YAML: anchor 'a' value contains itself"},
	} {
		_, err := crd.Read("f.yaml", []byte(c.in))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	defs, err := crd.Read("f.yaml", []byte(crdtest.Document("{type: object}")+"---\napiVersion: v1\nkind: Namespace\n---\n"+crdtest.Document("{type: object}")))
	if err != nil || len(defs) != 2 {
		t.Fatalf("got %v, %v", defs, err)
	}
	if d := defs[1]; d.Group != "example.com" || d.Kind != "Thing" || d.Plural != "things" || !d.Namespaced {
		t.Errorf("got %+v", d)
	}
	if v, ok := defs[1].Version("v1"); !ok || !v.Served || !v.Storage {
		t.Errorf("got %+v, %t", v, ok)
	}
	if _, ok := defs[1].Version("v2"); ok {
		t.Error("found a version that is not there")
	}
}

// Validating a hostile CRD ends within a reasonable time and does not panic.
func TestHostile(t *testing.T) {
	deep := func(levels int, open, inner, end string) string {
		return strings.Repeat(open, levels) + inner + strings.Repeat(end, levels)
	}
	wide := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	for _, c := range []struct {
		name, schema string
		want         []crd.Rule
	}{
		{"deep properties", `{"type": "object", "properties": {"a": ` + deep(2000, `{"type": "object", "properties": {"a": `, `{"type": "string"}`, "}}") + "}}", []crd.Rule{crd.TooDeep}},
		{"deep value validation", `{"type": "object", "not": ` + deep(2000, `{"not": `, "{}", "}") + "}", []crd.Rule{crd.TooDeep}},
		{"within the bound", `{"type": "object", "properties": {"a": ` + deep(450, `{"type": "array", "items": `, `{"type": "string", "default": "x"}`, "}") + "}}", nil},
		{"a deep default", `{"type": "object", "properties": {"a": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "default": ` + deep(4000, `{"a": `, "1", "}") + "}}}", nil},
		{"many schemas", `{"type": "object", "properties": {` + wide(110_000, func(i int) string { return fmt.Sprintf(`"a%d": {"type": "string"},`, i) }) + `"z": {"type": "string"}}}`, []crd.Rule{crd.TooLarge}},
		{"many errors", `{"type": "object", "properties": {` + wide(5000, func(i int) string { return fmt.Sprintf(`"a%d": {},`, i) }) + `"z": {}}}`, []crd.Rule{crd.TypeRule, crd.TooLarge}},
		{"references to itself", `{"type": "object", "definitions": {"a": {"$ref": "#/definitions/a"}}, "properties": {"a": {"$ref": "#/definitions/a"}}}`, []crd.Rule{crd.Unsupported}},
		{"a long name", `{"type": "object", "properties": {"` + strings.Repeat("x", 1000) + `": {}}}`, []crd.Rule{crd.TypeRule}},
		{"a long rule", `{"type": "object", "x-kubernetes-validations": [{"rule": "` + deep(20_000, "(", "true", ")") + `"}]}`, []crd.Rule{crd.Validations}},
		{"contradictions", `{"type": "object", "properties": {"a": {"type": "array", "properties": {"b": {}}, "x-kubernetes-int-or-string": true, "x-kubernetes-embedded-resource": true, "minLength": 5, "maxLength": 1, "default": null}}}`,
			[]crd.Rule{crd.Items, crd.Embedded, crd.IntOrString, crd.TypeRule}},
		{"wrong types", `{"type": ["object"], "properties": [1], "items": "x", "required": {"a": 1}, "enum": "x", "allOf": {}, "not": 5, "x-kubernetes-validations": [5, {"rule": 7}], "nullable": "no"}`, []crd.Rule{crd.Malformed}},
		{"no schema at all", `[]`, []crd.Rule{crd.Malformed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := crdtest.Read(t, crdtest.Head+"        "+c.schema).Validate()
			var got []crd.Rule
			for _, f := range found {
				if len(f.Message) > 3000 || len(f.Path) > 3000 {
					t.Errorf("a finding of %d bytes", len(f.Error()))
				}
				if !slices.Contains(got, f.Rule) {
					got = append(got, f.Rule)
				}
			}
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("got the rules %v, want %s too", got, want)
				}
			}
			if c.want == nil && len(found) > 0 {
				t.Errorf("got %.3000v", found)
			}
			if len(found) > 501 {
				t.Errorf("got %d findings", len(found))
			}
		})
	}
}

// A default of the wrong type is repaired if its text is a valid default.
func TestRetypedDefaults(t *testing.T) {
	for in, want := range map[string]string{
		`type: integer, default: "1"`:                    `type: integer, default: 1`,
		`type: integer, default: "-20"`:                  `type: integer, default: -20`,
		`type: number, default: "3"`:                     `type: number, default: 3`,
		`type: boolean, default: "true"`:                 `type: boolean, default: true`,
		`type: string, default: 1.10`:                    `type: string, default: "1.10"`,
		`type: string, default: on`:                      `type: string, default: "on"`,
		`type: string, default: 0x1F`:                    `type: string, default: "0x1F"`,
		`type: string, enum: ["1"], default: 1`:          `type: string, enum: ["1"], default: "1"`,
		`type: string, enum: ["2"], default: 1`:          "",
		`type: integer, maximum: 1, default: "2"`:        "",
		`type: integer, default: "01"`:                   "",
		`type: integer, default: "1.5"`:                  "",
		`type: integer, default: "x"`:                    "",
		`type: boolean, default: "yes"`:                  "",
		`type: string, default: [x]`:                     "",
		`type: array, items: {type: string}, default: x`: "",
	} {
		text := crdtest.Document("{type: object, properties: {a: {" + in + "}}}")
		found := crdtest.Read(t, text).Validate()
		if len(found) == 0 {
			t.Errorf("%s: no finding", in)
			continue
		}
		if found[0].Fix == nil {
			if want != "" {
				t.Errorf("%s: no fix", in)
			}
			continue
		}
		got, err := manifest.Edit("crd.yaml", []byte(text), func(*manifest.Object) ([]manifest.Change, error) {
			return []manifest.Change{found[0].Fix.Change}, nil
		})
		if err != nil || want == "" || !strings.Contains(string(got), "{"+want+"}") {
			t.Errorf("%s: %v, got %s", in, err, got)
		} else if left := crdtest.Read(t, string(got)).Validate(); len(left) > 0 {
			t.Errorf("%s: after the fix, got %v", in, left)
		}
	}
}
