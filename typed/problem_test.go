// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/typed"
)

const problemSchema = `types:
- name: app
  map:
    fields:
    - {name: image, type: {scalar: string}}
    - {name: replicas, type: {scalar: numeric}}
    - {name: paused, type: {scalar: boolean}}
    - {name: size, type: {scalar: untyped}}
    - {name: tags, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
    - {name: env, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: env}}}}
    - {name: ports, type: {list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: port}}}}
    - {name: ref, type: {map: {fields: [{name: path, type: {scalar: string}}]}}}
- name: env
  map: {fields: [{name: name, type: {scalar: string}}, {name: value, type: {scalar: string}}]}
- name: port
  map: {fields: [{name: port, type: {scalar: numeric}}, {name: protocol, type: {scalar: string}}, {name: host, type: {scalar: string}}]}
`

// TestProblems checks the Problem of a value that breaks a rule, as data and as text. It
// also checks that the text of the error has not changed.
func TestProblems(t *testing.T) {
	p, err := typed.NewParser(problemSchema)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, yaml, text string
		want             typed.Problem
	}{
		{"boolean for a string", `{image: y}`,
			`.image: want a string, got the boolean true; y, yes and on without quotes are booleans in YAML 1.1, which Kubernetes reads; write the word in quotes`,
			typed.Problem{Path: ".image", Rule: typed.WrongType, Found: true, Expected: "string",
				Hints: []typed.Hint{{Code: typed.YAMLBoolean}, {Code: typed.AddQuotes, Text: `"true"`}}}},
		{"string for a number", `{replicas: "3"}`,
			`.replicas: want a number, got the string "3"; did you mean 3?`,
			typed.Problem{Path: ".replicas", Rule: typed.WrongType, Found: "3", Expected: "number",
				Hints: []typed.Hint{{Code: typed.DropQuotes, Text: "3"}}}},
		{"string for a boolean", `{paused: "no"}`,
			`.paused: want a boolean, got the string "no"; did you mean false?`,
			typed.Problem{Path: ".paused", Rule: typed.WrongType, Found: "no", Expected: "boolean",
				Hints: []typed.Hint{{Code: typed.DropQuotes, Text: "false"}}}},
		{"mapping for a scalar", `{size: {a: b}}`,
			`.size: want a scalar, got the mapping {a: b}`,
			typed.Problem{Path: ".size", Rule: typed.WrongType, Found: map[string]any{"a": "b"}, Expected: "scalar"}},
		{"mapping for a list", `{env: {name: A}}`,
			`.env: want a list, got the mapping {name: A}; did you mean [{name: A}]?`,
			typed.Problem{Path: ".env", Rule: typed.WrongType, Found: map[string]any{"name": "A"}, Expected: "list",
				Hints: []typed.Hint{{Code: typed.MakeList, Text: "[{name: A}]"}}}},
		{"list for a mapping", `{ref: [{path: a}]}`,
			`.ref: want a mapping, got the list [{path: a}]; did you mean {path: a}?`,
			typed.Problem{Path: ".ref", Rule: typed.WrongType, Found: []any{map[string]any{"path": "a"}}, Expected: "map",
				Hints: []typed.Hint{{Code: typed.DropList, Text: "{path: a}"}}}},
		{"spelling", `{env: [{name: A, valeu: b}]}`,
			`.env[name="A"].valeu: field not declared in schema; did you mean value?`,
			typed.Problem{Path: `.env[name="A"].valeu`, Rule: typed.UndeclaredField, Found: "b",
				Hints: []typed.Hint{{Code: typed.DidYouMean, Text: "value"}}}},
		{"another level", `{path: x}`,
			`.path: field not declared in schema; did you mean .ref.path?`,
			typed.Problem{Path: ".path", Rule: typed.UndeclaredField, Found: "x",
				Hints: []typed.Hint{{Code: typed.DidYouMean, Text: ".ref.path"}}}},
		{"the path of another field", `{"ref.path": x}`,
			`.ref.path: field not declared in schema`,
			typed.Problem{Path: ".ref.path", Rule: typed.UndeclaredField, Found: "x"}},
		{"a field that is a boolean", `{"true": x}`,
			`.true: field not declared in schema; y, yes and on without quotes are booleans in YAML 1.1, which Kubernetes reads`,
			typed.Problem{Path: ".true", Rule: typed.UndeclaredField, Found: "x", Hints: []typed.Hint{{Code: typed.YAMLBoolean}}}},
		{"twice", `{tags: [a, b, a]}`,
			`.tags: duplicate entries for key [="a"]`,
			typed.Problem{Path: ".tags", Rule: typed.DuplicateItem, Found: "a", Items: []int{0, 2}}},
		{"no identity", `{env: [{name: A}, 3]}`,
			`.env: item 1: want a mapping with the key name, got the number 3`,
			typed.Problem{Path: ".env", Rule: typed.NoIdentity, Found: int64(3), Items: []int{1}}},
		{"null in a list with keys", `{ports: [null]}`,
			`.ports: item 0: want a mapping with the keys port and protocol, got null`,
			typed.Problem{Path: ".ports", Rule: typed.NoIdentity, Items: []int{0}}},
		{"no key", `{env: [{name: A}, {value: b}]}`,
			`.env: item 1 {value: b} cannot be identified in its list, because it lacks the key name`,
			typed.Problem{Path: ".env", Rule: typed.NoIdentity, Found: map[string]any{"value": "b"}, Items: []int{1}}},
		{"none of two keys", `{ports: [{host: a}]}`,
			`.ports: item 0 {host: a} cannot be identified in its list, because it lacks the keys port and protocol`,
			typed.Problem{Path: ".ports", Rule: typed.NoIdentity, Found: map[string]any{"host": "a"}, Items: []int{0}}},
		{"mapping in a set", `{tags: [a, {b: c}]}`,
			`.tags: item 1: want a string, number or boolean as an item of a set, got the mapping {b: c}`,
			typed.Problem{Path: ".tags", Rule: typed.NoIdentity, Found: map[string]any{"b": "c"}, Items: []int{1}}},
		{"null in a set", `{tags: [null]}`,
			`.tags: item 0: want a string, number or boolean as an item of a set, got null`,
			typed.Problem{Path: ".tags", Rule: typed.NoIdentity, Items: []int{0}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.Type("app").FromYAML(typed.YAMLObject(tt.yaml))
			var got *typed.Problem
			if !errors.As(fmt.Errorf("reading: %w", err), &got) {
				t.Fatalf("no problem in %v", err)
			}
			if got.Error() != tt.text {
				t.Errorf("got  %v\nwant %s", got, tt.text)
			}
			if got.Path != tt.want.Path || got.Rule != tt.want.Rule || got.Expected != tt.want.Expected ||
				!reflect.DeepEqual(got.Found, tt.want.Found) || !reflect.DeepEqual(got.Items, tt.want.Items) || !reflect.DeepEqual(got.Hints, tt.want.Hints) {
				t.Errorf("got  %+v\nwant %+v", *got, tt.want)
			}
			// Both texts must start with the same path.
			if !strings.HasPrefix(err.Error(), got.Path) {
				t.Errorf("%v and %v", err, got)
			}
		})
	}
}

// TestItemPath checks the path of the invalid item, for problems with and without items.
// The message about a Go value that is not plain data names its Go type. The YAML encoder panics for some
// of these types.
func TestProblemsOfGoValues(t *testing.T) {
	p, err := typed.NewParser(problemSchema)
	if err != nil {
		t.Fatal(err)
	}
	app := p.Type("app")
	for _, v := range []any{make(chan int), func() {}, uint64(3), []string{"a"}, map[string]string{"a": "b"}, struct{ A int }{1}} {
		_, err := app.FromUnstructured(map[string]any{"replicas": v})
		problems := typed.Problems(err)
		if want := fmt.Sprintf(".replicas: want a number, got a Go value of type %T", v); len(problems) != 1 || problems[0].Error() != want {
			t.Errorf("got %v, want %s", problems, want)
		}
	}
}

func TestItemPath(t *testing.T) {
	p, err := typed.NewParser(problemSchema)
	if err != nil {
		t.Fatal(err)
	}
	for yaml, want := range map[typed.YAMLObject]string{
		`{env: [{name: A}, {value: b}]}`: ".env[1]",
		`{tags: [a, b, a]}`:              ".tags[2]",
		`{replicas: many}`:               ".replicas",
	} {
		_, err := p.Type("app").FromYAML(yaml)
		if all := typed.Problems(err); len(all) != 1 || all[0].ItemPath() != want {
			t.Errorf("%s: got %v, want the path %s", yaml, all, want)
		}
	}
}

func TestProblemsOfOtherErrors(t *testing.T) {
	if got := typed.Problems(nil); got != nil {
		t.Errorf("%v", got)
	}
	if got := typed.Problems(errors.New("x")); got != nil {
		t.Errorf("%v", got)
	}
	byHand := typed.ValidationErrors{{Path: ".a", ErrorMessage: "b"}}
	if got := typed.Problems(byHand); got != nil || errors.As(byHand, new(*typed.Problem)) {
		t.Errorf("%v", got)
	}
	// Now check an error list with several errors and with prefixes.
	p, _ := typed.NewParser(problemSchema)
	_, err := p.Type("app").FromYAML(`{path: x, replicas: many}`)
	var errs typed.ValidationErrors
	if !errors.As(err, &errs) {
		t.Fatal(err)
	}
	got := typed.Problems(errors.Join(errors.New("x"), errs.WithPrefix(".items[0]")))
	if len(got) != 2 || got[0].Path != ".items[0].path" || got[0].Hints[0].Text != ".items[0].ref.path" || got[1].Path != ".items[0].replicas" {
		t.Errorf("%v", got)
	}
}

// TestWithLazyPrefix checks that the prefix is computed only if there are errors.
func TestWithLazyPrefix(t *testing.T) {
	made := 0
	prefix := func() string { made++; return ".x" }
	if got := (typed.ValidationErrors{}).WithLazyPrefix(prefix); len(got) != 0 || made != 0 {
		t.Errorf("no errors: got %v, made %d", got, made)
	}
	if got := (typed.ValidationErrors{{Path: ".a"}}).WithLazyPrefix(nil); len(got) != 1 || got[0].Path != ".a" {
		t.Errorf("no prefix: got %v", got)
	}
	got := typed.ValidationErrors{{Path: ".a"}, {Path: ".b"}}.WithLazyPrefix(prefix)
	if len(got) != 2 || got[0].Path != ".x.a" || got[1].Path != ".x.b" || made != 1 {
		t.Errorf("got %v, made %d", got, made)
	}
}

// A program can print the problems of an invalid value with its own texts.
func ExampleProblem() {
	_, err := parser.Type("service").FromYAML(`{ports: [{port: "80", nmae: web}], protocol: UDP}`)
	for _, p := range typed.Problems(err) {
		fmt.Println(p.Path, p.Rule, p.Hints)
	}
	var first *typed.Problem
	if errors.As(err, &first) {
		fmt.Println(first)
	}
	// Output:
	// .ports[port="80",protocol="TCP"].nmae undeclared [{did-you-mean name}]
	// .ports[port="80",protocol="TCP"].port wrong-type [{drop-quotes 80}]
	// .protocol undeclared [{did-you-mean .ports[].protocol}]
	// .ports[port="80",protocol="TCP"].nmae: field not declared in schema; did you mean name?
}

// TestProblemsOfSchema checks the corrections for mistakes in a schema document. A field that is
// missing one level deeper is nearer than a field of the same name three levels above.
func TestProblemsOfSchema(t *testing.T) {
	for text, want := range map[string]string{
		"types:\n- name: T\n  map: {fields: [{name: a, type: {scalar: string}, transition: setOnce}]}": `.types[name="T"].map.fields[name="a"].transition: field not declared in schema; did you mean .types[].map.fields[].type.transition?`,
		"types:\n- name: T\n  map: {fields: [{name: a, type: {scalar: string, default: x}}]}":          `.types[name="T"].map.fields[name="a"].type.default: field not declared in schema; did you mean .types[].map.fields[].default?`,
	} {
		_, err := typed.NewParser(typed.YAMLObject(text))
		problems := typed.Problems(err)
		if len(problems) != 1 || problems[0].Error() != want {
			t.Errorf("%s: got %v, want %s", text, problems, want)
		}
	}
}
