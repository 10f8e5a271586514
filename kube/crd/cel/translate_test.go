// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dovetail-ssa/dovetail/internal/flow"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// ruleCases is the file with the immutability test cases. The header of the file describes
// their format.
const ruleCases = "../../../spec/testdata/immutability.yaml"

// translated returns the CRD in doc with rules added for its markers.
func translated(t *testing.T, doc string, o cel.Options) (string, *cel.Translation) {
	t.Helper()
	var all *cel.Translation
	out, err := manifest.Edit("crd.yaml", []byte(doc), func(object *manifest.Object) ([]manifest.Change, error) {
		found, err := cel.Translate(crd.New(object), o)
		if err != nil {
			return nil, err
		}
		all = found
		return found.Changes(), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(out), all
}

// schemaHead is the common beginning of all schema paths.
const schemaHead = ".spec.versions[0].schema.openAPIV3Schema"

// Each case has a schema and the expected result of translating its markers: the rules
// with their places, the doubts and the missing bounds. A case named "newest" or "any
// order" sets the option of that name.
func TestTransitions(t *testing.T) {
	crdtest.CheckBlocks(t, "testdata/transitions.txt", func(t *testing.T, in string) string {
		o := cel.Options{IgnoreItemOrder: strings.HasSuffix(t.Name(), "/any_order")}
		if strings.HasSuffix(t.Name(), "/newest") {
			o.Dialect = cel.Newest
		}
		out, translation := translated(t, crdtest.Document(in), o)
		if found := crdtest.Read(t, out).Validate(); len(found) > 0 {
			t.Errorf("the result is invalid: %v", found)
		}
		if again, _ := translated(t, out, o); again != out {
			t.Errorf("the second translation is\n%s\nafter\n%s", again, out)
		}
		var lines []string
		for _, r := range translation.Rules {
			where := "…" + strings.TrimPrefix(r.Path, schemaHead)
			if r.FieldPath != "" {
				where += " " + r.FieldPath
			}
			lines = append(lines, fmt.Sprintf("%s: %s\n  %s", where, r.Message, r.Rule))
		}
		for _, d := range translation.Doubts {
			lines = append(lines, fmt.Sprintf("inexact: %d: %s: %s", d.Line, d.Field, d.Reason))
		}
		for _, m := range translation.Missing {
			lines = append(lines, fmt.Sprintf("missing: %d: %s", m.Line, strings.ReplaceAll(m.Message, schemaHead, "…")))
		}
		return strings.Join(lines, "\n")
	})
}

// side returns the object of a case with the given name: the old or the new
// object.
func side(t *testing.T, c map[string]any, name string) map[string]any {
	t.Helper()
	object, _ := c[name].(map[string]any)
	if text, ok := c[name+"JSON"].(string); ok {
		if err := utiljson.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
	}
	rootPair := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "x", "namespace": "y"}}
	for k, v := range object {
		if m, ok := v.(map[string]any); ok && k == "metadata" {
			v = map[string]any{"name": "x", "namespace": "y", "labels": m["labels"]}
		}
		rootPair[k] = v
	}
	return rootPair
}

// For each update in the specification's cases, the rules must give the expected result,
// or a Doubt must announce the difference. test/cel runs the same cases with the API
// server's code.
func TestTransitionCases(t *testing.T) {
	schemas, _ := crdtest.CaseDocument(t, ruleCases)["schemas"].(map[string]any)
	for _, dialect := range []cel.Dialect{cel.Portable, cel.Newest} {
		exact, all := 0, 0
		for _, c := range crdtest.Cases(t, ruleCases, "cases") {
			doc, translation := translated(t, crdtest.Head+"        "+flow.Of(schemas[c["schema"].(string)], 1<<20)+"\n", cel.Options{Dialect: dialect})
			d := crdtest.Read(t, doc)
			if found := d.Validate(); len(found) > 0 || len(translation.Missing) > 0 {
				t.Errorf("%v: invalid: %v %v", c["id"], found, translation.Missing)
				continue
			}
			v, _ := d.Version("v1")
			found, err := v.Validate(side(t, c, "new"), side(t, c, "old"))
			if err != nil {
				t.Fatal(err)
			}
			allowed := true
			for _, f := range found {
				allowed = allowed && f.Rule != crd.ObjectRule
			}
			all++
			expect := c["expect"].(map[string]any)
			if expect["allowed"] == allowed {
				exact++
			} else if !announced(translation.Doubts, expect) {
				t.Errorf("%v: allowed: %v, and no doubt mentions it: %v", c["id"], allowed, translation.Doubts)
			}
		}
		t.Logf("dialect %q: %d of %d updates are judged exactly", dialect, exact, all)
		if exact*100 < all*93 {
			t.Errorf("dialect %q: %d of %d are too few", dialect, exact, all)
		}
	}
}

var Elements = regexp.MustCompile(`\[[^\]]*\]`)

// announced reports whether a doubt explains why the rules give a wrong result. The
// wrong result is an update that is accepted although the case expects an error, or
// rejected although the case expects none.
func announced(doubts []cel.Doubt, expect map[string]any) bool {
	errs, _ := expect["errors"].([]any)
	for _, d := range doubts {
		if len(errs) == 0 && d.Refuses {
			return true
		}
		for _, e := range errs {
			path := "." + Elements.ReplaceAllString(e.(map[string]any)["path"].(string), "[*]")
			if !d.Refuses && (strings.HasPrefix(d.Field, path) || strings.HasPrefix(path, d.Field)) {
				return true
			}
		}
	}
	return false
}

// Generated rules of an earlier run must not affect a translation, even if their fields no
// longer exist. Handwritten rules must still have an effect.
func TestTransitionsAgain(t *testing.T) {
	out, _ := translated(t, crdtest.Document("{type: object, properties: {a: {type: string, x-kubernetes-immutable: true}, b: {type: string, x-kubernetes-validations: [{rule: self != ''}]}}}"), cel.Options{})
	renamed := strings.Replace(out, "{a: {type", "{c: {type", 1)
	if found := crdtest.Read(t, renamed).Validate(); len(found) == 0 {
		t.Fatal("the CRD with the outdated rule is valid")
	}
	again, translation := translated(t, renamed, cel.Options{})
	if len(translation.Rules) != 1 || strings.Count(again, "rule:") != 2 || !strings.Contains(again, "has(self.c)") || strings.Contains(again, "self.a") {
		t.Errorf("got %v\n%s", translation.Rules, again)
	}
}

// If the markers of some generated rules are gone, the translation lists these rules. It does not list
// a rule if another marker replaces it, if its field no longer exists, or if the CRD has no markers.
func TestRemovedRules(t *testing.T) {
	const schema = `type: object
properties:
  spec:
    type: object
    properties:
      a: {type: string, x-kubernetes-immutable: true}
      a-b: {type: string, x-kubernetes-immutable: true}
      1st: {type: string, x-kubernetes-immutable: true}
      gone: {type: string, x-kubernetes-immutable: true}
      once: {type: string, x-kubernetes-immutable: true}
      list: {type: array, maxItems: 3, items: {type: object, properties: {b: {type: boolean, x-kubernetes-immutable: true}}}}
      values: {type: object, maxProperties: 3, additionalProperties: {type: string, nullable: true, maxLength: 3, x-kubernetes-immutable: true}}
      keyed:
        type: array
        maxItems: 3
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [k]
        items: {type: object, required: [k], properties: {k: {type: string, maxLength: 3}}, x-kubernetes-set-once: true}
      inner: {type: object, properties: {c: {type: string, x-kubernetes-immutable: true}}}`
	first, translation := translated(t, crdtest.Document(schema), cel.Options{})
	if len(translation.Removed) > 0 || len(translation.Rules) != 9 {
		t.Fatalf("%d rules, removed %v", len(translation.Rules), translation.Removed)
	}
	stripped := regexp.MustCompile(`, x-kubernetes-[a-z-]+: true`).ReplaceAllString(first, "")
	if out, translation := translated(t, stripped, cel.Options{}); out != stripped || len(translation.Removed) > 0 {
		t.Errorf("a CRD without markers: removed %v\n%s", translation.Removed, out)
	}
	edited := strings.NewReplacer(
		"gone: {type", "renamed: {type",
		"once: {type: string", "once: {type: string, x-kubernetes-set-once: true",
		"inner: {type: object", "inner: {x-kubernetes-immutable: true, type: object",
	).Replace(stripped)
	_, translation = translated(t, edited, cel.Options{})
	var got []string
	for _, r := range translation.Removed {
		got = append(got, fmt.Sprintf("%s %s %s", r.Field, r.Marker, strings.TrimPrefix(r.Path, schemaHead)))
		if line := strings.Split(edited, "\n")[r.Line-1]; !strings.Contains(line, "rule: ") && !strings.Contains(line, "- fieldPath: ") && !strings.Contains(line, "- message: ") {
			t.Errorf("line %d is %q", r.Line, line)
		}
	}
	want := []string{
		".spec.a x-kubernetes-immutable .properties.spec.properties.a",
		".spec.a-b x-kubernetes-immutable .properties.spec.properties.a-b",
		".spec.1st x-kubernetes-immutable .properties.spec.properties.1st",
		".spec.keyed[*] x-kubernetes-set-once .properties.spec.properties.keyed.items",
		".spec.list x-kubernetes-immutable .properties.spec.properties.list",
		".spec.values x-kubernetes-immutable .properties.spec.properties.values",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Translating ends within a reasonable time, however large the CRD is.
func TestTransitionsOfHostileCRDs(t *testing.T) {
	if testing.Short() {
		t.Skip("large CRDs")
	}
	const list = "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}"
	wide := func(n int, value string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d: %s, ", i, value)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, schema       string
		rules, notEnforced int
	}{
		{"deep", "{type: object, x-kubernetes-immutable: true, properties: {" + strings.Repeat("a: {type: object, properties: {b: "+list+", ", 200) + "}}" + strings.Repeat("}}", 199) + "}}", 0, 1},
		{"wide", "{type: object, x-kubernetes-immutable: true, properties: {" + wide(5000, list) + "}}", 0, 1},
		{"a list with two markers", "{type: array, items: {type: object, properties: {small: {type: boolean, x-kubernetes-immutable: true}, wide: {type: object, x-kubernetes-immutable: true, properties: {" + wide(5000, list) + "}}}}}", 0, 2},
		{"many markers", "{type: object, properties: {" + wide(2000, "{type: boolean, x-kubernetes-immutable: true}") + "}}", 2000, 0},
		{"many without bounds", "{type: object, properties: {" + wide(120, "{type: array, items: {type: boolean, x-kubernetes-immutable: true}}") + "}}", 0, 120},
	} {
		t.Run(c.name, func(t *testing.T) {
			translation, err := cel.Translate(crdtest.Read(t, crdtest.Document("{type: object, properties: {spec: "+c.schema+"}}")), cel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			notEnforced := len(translation.Missing)
			for _, d := range translation.Doubts {
				if d.Reason == cel.NoRule {
					notEnforced++
				}
			}
			if len(translation.Rules) != c.rules || notEnforced != c.notEnforced {
				t.Errorf("got %d rules and %d left out, want %d and %d: %.500v", len(translation.Rules), notEnforced, c.rules, c.notEnforced, translation.Doubts)
			}
		})
	}
}

func TestTransitionsOfABadCRD(t *testing.T) {
	_, err := cel.Translate(crdtest.Read(t, crdtest.Document("{type: object, x-kubernetes-immutable: true, properties: {a: {type: string}}}")), cel.Options{})
	if err == nil || !strings.Contains(err.Error(), "x-kubernetes-immutable is not allowed at the root") {
		t.Errorf("got %v", err)
	}
}
