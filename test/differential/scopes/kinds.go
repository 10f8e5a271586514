// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package scopes runs all short histories of small objects. A history is a series of a few
// requests by a few managers. The package compares the reference model in spec/model with
// Dovetail and structured-merge-diff. Experience shows that small objects are enough to find
// most defects.
package scopes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
)

// Kind is a schema, together with the objects that the requests of a test can send.
type Kind struct {
	Name    string
	Type    *model.Type
	Objects []string
}

var (
	text    = &model.Type{Kind: model.Scalar}
	number  = &model.Type{Kind: model.Scalar} // a separate type, because schemas distinguish numbers from strings
	struct3 = func(t *model.Type) map[string]*model.Type {
		return map[string]*model.Type{"x": t, "y": t, "z": t}
	}
)

func object(name string, t *model.Type) *model.Type {
	return &model.Type{Kind: model.Map, Fields: map[string]*model.Type{name: t}}
}

// Kinds has one kind for each type of field, and some kinds with two types of fields. As in
// Kubernetes, every object has the field "kind", so no object is ever empty.
var Kinds = withKind([]Kind{
	{"scalars", &model.Type{Kind: model.Map, Fields: struct3(text)}, []string{
		`{}`, `{"x":"1"}`, `{"x":"2"}`, `{"x":"1","y":"1"}`, `{"y":"2","z":"1"}`, `{"x":"2","y":"2","z":"2"}`}},
	{"nulls", &model.Type{Kind: model.Map, Fields: struct3(text)}, []string{
		`{}`, `{"x":null}`, `{"x":"1","y":null}`, `{"x":"1"}`, `{"x":null,"y":null,"z":"1"}`}},
	{"fields", object("s", &model.Type{Kind: model.Map, Fields: struct3(text)}), []string{
		`{}`, `{"s":{}}`, `{"s":null}`, `{"s":{"x":"1"}}`, `{"s":{"x":"2","y":"1"}}`, `{"s":{"y":"1","z":"1"}}`}},
	{"entries", object("m", &model.Type{Kind: model.Map, Others: text}), []string{
		`{}`, `{"m":{}}`, `{"m":null}`, `{"m":{"x":"1"}}`, `{"m":{"x":"2","y":"1"}}`, `{"m":{"y":"1","z":"1"}}`}},
	{"structs in entries", object("m", &model.Type{Kind: model.Map, Others: &model.Type{Kind: model.Map, Fields: struct3(text)}}), []string{
		`{}`, `{"m":{"a":{"x":"1"}}}`, `{"m":{"a":{"x":"2","y":"1"}}}`, `{"m":{"a":{},"b":{"x":"1"}}}`, `{"m":{"a":{"y":"1"},"b":null}}`}},
	{"atomic map", object("m", &model.Type{Kind: model.Map, Atomic: true, Others: text}), []string{
		`{}`, `{"m":{}}`, `{"m":null}`, `{"m":{"x":"1"}}`, `{"m":{"x":"1","y":"1"}}`, `{"m":{"y":"1"}}`}},
	{"atomic list", object("l", &model.Type{Kind: model.List, Atomic: true, Items: text}), []string{
		`{}`, `{"l":[]}`, `{"l":null}`, `{"l":["x"]}`, `{"l":["x","y"]}`, `{"l":["y","x"]}`}},
	{"set", object("l", &model.Type{Kind: model.List, Items: text}), []string{
		`{}`, `{"l":[]}`, `{"l":null}`, `{"l":["x"]}`, `{"l":["x","y"]}`, `{"l":["z","x"]}`, `{"l":["y","z","x"]}`}},
	{"order", object("l", &model.Type{Kind: model.List, Items: text}), []string{
		`{"l":["a","b","c","d"]}`, `{"l":["d","c","b","a"]}`, `{"l":["c","x","a"]}`, `{"l":["b","x","d","y"]}`, `{"l":["y","a"]}`}},
	{"items", object("l", &model.Type{Kind: model.List, Keys: []string{"k"}, Items: &model.Type{Kind: model.Map, Fields: map[string]*model.Type{"k": text, "v": text}}}), []string{
		`{}`, `{"l":[]}`, `{"l":[{"k":"a"}]}`, `{"l":[{"k":"a","v":"1"}]}`, `{"l":[{"k":"b","v":"1"},{"k":"a","v":"2"}]}`, `{"l":[{"k":"c"},{"k":"b","v":"2"}]}`}},
	{"default keys", object("l", &model.Type{Kind: model.List, Keys: []string{"k", "p"}, Defaults: map[string]any{"p": "T"}, Items: &model.Type{Kind: model.Map, Fields: map[string]*model.Type{"k": text, "p": text, "v": text}}}), []string{
		`{}`, `{"l":[{"k":"a"}]}`, `{"l":[{"k":"a","p":"T","v":"1"}]}`, `{"l":[{"k":"a","p":"U","v":"1"},{"k":"a","v":"2"}]}`, `{"l":[{"p":"T"},{"k":"a","p":"U"}]}`}},
	{"lists in items", object("l", &model.Type{Kind: model.List, Keys: []string{"k"}, Items: &model.Type{Kind: model.Map, Fields: map[string]*model.Type{"k": text, "s": {Kind: model.List, Items: text}, "m": {Kind: model.Map, Others: text}}}}), []string{
		`{}`, `{"l":[{"k":"a","s":["x"]}]}`, `{"l":[{"k":"a","s":["y","x"],"m":{"p":"1"}}]}`, `{"l":[{"k":"a","m":{"q":"1"}},{"k":"b","s":[]}]}`, `{"l":[{"k":"b","s":["x"]},{"k":"a","m":{"q":"2"}}]}`}},
	{"deduced", object("u", &model.Type{Kind: model.Deduced}), []string{
		`{}`, `{"u":null}`, `{"u":"x"}`, `{"u":["x"]}`, `{"u":{}}`, `{"u":{"x":"1"}}`, `{"u":{"x":{"y":"1"},"z":[]}}`}},
	{"duplicates", object("l", &model.Type{Kind: model.List, Items: text}), []string{
		`{}`, `{"l":["x"]}`, `{"l":["x","x"]}`, `{"l":["y","x","y"]}`, `{"l":["y","z"]}`}},
})

func withKind(kinds []Kind) []Kind {
	for _, k := range kinds {
		k.Type.Fields["kind"] = text
	}
	return kinds
}

// start is the state before the first request.
var start = State{map[string]any{"kind": "K"}, model.Managers{}}

// schema returns a type as YAML text for structured-merge-diff.
func schema(t *model.Type) string {
	s := "types:\n- name: object\n  " + inline(t) + "\n"
	if strings.Contains(s, deduced) {
		s += "- name: " + deduced + "\n  scalar: untyped\n  list: {elementType: {namedType: " + below + "}, elementRelationship: atomic}\n" +
			"  map: {elementType: {namedType: " + deduced + "}, elementRelationship: separable}\n" +
			"- name: " + below + "\n  scalar: untyped\n  list: {elementType: {namedType: " + below + "}, elementRelationship: atomic}\n" +
			"  map: {elementType: {namedType: " + below + "}, elementRelationship: atomic}\n"
	}
	return s
}

// These are the names that API servers use for two types: deduced is the type of values
// without a schema, and below is the type of the list items in such values.
const (
	deduced = "__untyped_deduced_"
	below   = "__untyped_atomic_"
)

func inline(t *model.Type) string {
	rel := ""
	switch {
	case t == number:
		return "scalar: numeric"
	case t.Kind == model.Deduced:
		return "namedType: " + deduced
	case t.Kind == model.Scalar:
		return "scalar: string"
	case t.Atomic:
		rel = ", elementRelationship: atomic"
	case t.Kind == model.List:
		rel = ", elementRelationship: associative"
	}
	if t.Kind == model.List {
		if len(t.Keys) > 0 {
			rel += ", keys: [" + strings.Join(t.Keys, ", ") + "]"
		}
		return fmt.Sprintf("list: {elementType: {%s}%s}", inlineItems(t), rel)
	}
	others := ""
	if t.Others != nil {
		others = fmt.Sprintf(", elementType: {%s}", inline(t.Others))
	}
	return fmt.Sprintf("map: {fields: [%s]%s%s}", declared(t, nil), others, rel)
}

// inlineItems returns the type of the items of a list. If the list's keys have defaults, they
// are part of this type, because structured-merge-diff expects them there.
func inlineItems(t *model.Type) string {
	if t.Items.Kind != model.Map {
		return inline(t.Items)
	}
	return fmt.Sprintf("map: {fields: [%s]}", declared(t.Items, t.Defaults))
}

func declared(t *model.Type, defaults map[string]any) string {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(t.Fields)) {
		f, def := t.Fields[name], ""
		if d, ok := defaults[name]; ok {
			def = fmt.Sprintf(", default: %q", d)
		}
		fields = append(fields, fmt.Sprintf("{name: %q, type: {%s}%s}", name, inline(f), def))
	}
	return strings.Join(fields, ", ")
}

// value decodes an object.
func value(object string) any {
	v := decoded(object).(map[string]any)
	v["kind"] = "K"
	return v
}

func decoded(text string) any {
	var v any
	if err := cases.Read([]byte(text), &v); err != nil {
		panic(err)
	}
	return cases.Whole(v)
}
