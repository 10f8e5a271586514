// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"strings"
	"testing"
)

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [a, b]
        properties:
          a: {type: number, maximum: 1.0, default: 0}
          b: {type: array, items: {type: string, enum: [x, z]}}
          c: {type: object, additionalProperties: {type: integer}}
`

func project(ours, theirs string) *Output {
	return &Output{Project: &Project{Name: "p"}, Ours: definitions(ours), Implied: definitions(ours), Theirs: definitions(theirs)}
}

func definitions(text string) map[string][]byte {
	return map[string][]byte{"things.yaml": []byte(text)}
}

// TestCompare changes one thing in one of two equal CRDs. Compare must report the change.
func TestCompare(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"nothing", "", "", ""},
		{"the spelling of a number", "maximum: 1.0", "maximum: 1", ""},
		{"the order of required fields", "[a, b]", "[b, a]", ""},
		{"a required field", "[a, b]", "[b]", "p: things v1 .a: required (ours) ours true"},
		{"a bound", "maximum: 1.0", "maximum: 2", "p: things v1 .a: maximum (both) ours 1 theirs 2"},
		{"a keyword", ", enum: [x, z]", "", `p: things v1 .b[]: enum (ours) ours ["x","z"]`},
		{"the values of a map", "{type: integer}", "{type: string}", `p: things v1 .c{}: type (both) ours "integer" theirs "string"`},
		{"a map of anything", "{type: integer}", "true", `p: things v1 .c: additionalProperties (both) ours {"type":"integer"} theirs true`},
		{"a field", "          c:", "          d:", `p: things v1 .c: field (ours) ours {"additionalProperties":{"type":"integer"},"type":"object"}` + "\n" +
			`p: things v1 .d: field (theirs) theirs {"additionalProperties":{"type":"integer"},"type":"object"}`},
		{"the scope", "Namespaced", "Cluster", `p: things: spec.scope (both) ours "Namespaced" theirs "Cluster"`},
		{"what is served", "served: true", "served: false", "p: things v1: served (both) ours true theirs false"},
		{"a version", "name: v1", "name: v2", "p: things v1: version (ours) ours true\np: things v2: version (theirs) theirs true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Compare(project(definition, strings.Replace(definition, c.from, c.to, 1)))
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, d := range got.Differences {
				lines = append(lines, d.String())
			}
			if text := strings.Join(lines, "\n"); text != c.want {
				t.Errorf("got\n%s\nwant\n%s", text, c.want)
			}
			if c.name == "nothing" && (got.CRDs != 1 || got.Nodes != 6) {
				t.Errorf("%d CRDs and %d schema nodes were compared", got.CRDs, got.Nodes)
			}
		})
	}
}

// TestSummary checks that Wrong returns a difference without a rule, and a rule without a
// difference.
func TestSummary(t *testing.T) {
	const listed = `
- {reason: because, in: [p], keyword: maximum, at: '\.a', side: both, ours: "1", has: [default], hasNot: [nullable]}
- {reason: always, in: ["*"], keyword: title, side: theirs}
`
	rules, err := ReadRules([]byte(listed))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, from, to string
		complete       bool
		want           string
	}{
		{"listed", "maximum: 1.0", "maximum: 2", false, ""},
		{"listed, all projects", "maximum: 1.0", "maximum: 2", true, "entry 2 does not occur in *: always"},
		{"no longer occurs", "", "", false, "entry 1 does not occur in p: because"},
		{"unlisted", "maximum: 1.0, default: 0", "maximum: 2, default: 1", false, "not listed: p: things v1 .a: default (both) ours 0 theirs 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := project(definition, strings.Replace(definition, c.from, c.to, 1))
			o.Ran.Ours = &Ran{}
			s := NewSummary(rules, c.complete)
			if _, err := s.Add(o); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(s.Wrong(), "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	for _, bad := range []string{"- {reason: x, in: [p], keyword: a}", "- {reason: x, in: [p], keyword: '(', side: ours}", "- {reason: x, in: [p], keyword: a, side: ours, why: y}", "- {in: [p], keyword: a, side: ours}", "- {reason: x, in: ['['], keyword: a, side: ours}"} {
		if _, err := ReadRules([]byte(bad)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// TestAccept checks that Accept accepts the same CRDs as the API server.
func TestAccept(t *testing.T) {
	const good = "{type: string, enum: [x, z]}"
	for _, c := range []struct{ name, items, want string }{
		{"good", good, ""},
		{"immutable", "{type: string}, x-kubernetes-immutable: true", ""},
		{"an unknown keyword", "{type: string, x-kubernetes-patch-strategy: merge}", "strict decoding"},
		{"no type", "{enum: [x]}", "must not be empty for specified array items"},
		{"a rule that is not CEL", "{type: string, x-kubernetes-validations: [{rule: '('}]}", "compilation failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := project(strings.Replace(definition, good, c.items, 1), definition)
			a := Accept(o)
			got := ""
			for _, d := range a.Differences {
				got += d.Ours
			}
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if a.Accepted == 2 != (c.want == "") || a.Translated == 2 != (c.name == "immutable") {
				t.Errorf("got %+v", a)
			}
			// If the API server rejects both CRDs for the same reasons, the report lists them
			// separately.
			o.Theirs = o.Ours
			if a := Accept(o); len(a.Differences) > 0 || len(a.AsTheirs) == 2 != (c.want != "") {
				t.Errorf("compared with the same definitions: got %+v", a)
			}
		})
	}
}
