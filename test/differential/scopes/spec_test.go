// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream"
)

// specified is the type of the objects in the examples of spec/README.md.
var specified = Kind{Type: &model.Type{Kind: model.Map, Fields: map[string]*model.Type{
	"kind": text, "replicas": number, "image": text,
	"labels":     {Kind: model.Map, Others: text},
	"selector":   {Kind: model.Map, Others: text, Atomic: true},
	"args":       {Kind: model.List, Items: text, Atomic: true},
	"finalizers": {Kind: model.List, Items: text},
	"ports": {Kind: model.List, Keys: []string{"port", "protocol"}, Defaults: map[string]any{"protocol": "TCP"},
		Items: &model.Type{Kind: model.Map, Fields: map[string]*model.Type{"port": number, "protocol": text, "name": text}}},
	"strategy": {Kind: model.Map, Fields: map[string]*model.Type{"type": text, "surge": number}},
}}}

// example is one example in spec/README.md.
type example struct {
	Live  map[string]any
	Steps []struct {
		Apply, Update map[string]any
		By            string
		Force         bool
		Conflicts     []string
	}
	Object map[string]any
	Owners map[string][]string

	Extracted map[string]any // the extracted fields of each manager
}

// TestSpec runs the examples of spec/README.md with the model and with both engines.
func TestSpec(t *testing.T) {
	blocks, err := Blocks("../../../spec/README.md", "VTIFCMROGNX")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if slices.Contains(codecRules, b.Rule) {
			continue
		}
		var e example
		if err := b.Read(&e); err != nil {
			t.Fatal(err)
		}
		for engineName, d := range specified.doers(t) {
			t.Run(b.Rule+"/"+engineName, func(t *testing.T) { specified.play(t, e, d) })
		}
	}
}

// codecRules are the rules whose examples are documents of FieldsV1.
var codecRules = []string{"F6", "F7", "F8", "F9"}

// TestSpecFieldsV1 runs the examples of codecRules with the model and with both
// engines.
func TestSpecFieldsV1(t *testing.T) {
	blocks, err := Blocks("../../../spec/README.md", "F")
	if err != nil {
		t.Fatal(err)
	}
	doers := map[string]Answerer{"upstream": By(upstream.New()), "ours": By(ours.New()), "model": func(c Request) (cases.Want, error) {
		return new(cases.Answerer).Answer(c.Case), nil
	}}
	ran := 0
	for _, b := range blocks {
		if !slices.Contains(codecRules, b.Rule) {
			continue
		}
		var documents []struct {
			Read, Write string
			Refused     bool
		}
		if err := b.Read(&documents); err != nil {
			t.Fatal(err)
		}
		for _, d := range documents {
			ran++
			for name, by := range doers {
				document := cases.Document(d.Read)
				got, err := by(Request{Case: cases.Case{Level: 1, Op: "codec", Document: &document}})
				if refused := err != nil || got.Error != ""; refused != d.Refused {
					t.Errorf("%s: %s: %s: rejected: %v", b.Rule, name, d.Read, refused)
				} else if !refused && string(*got.Document) != d.Write {
					t.Errorf("%s: %s: %s got %s, want %s", b.Rule, name, d.Read, *got.Document, d.Write)
				}
			}
		}
	}
	if ran == 0 {
		t.Error("spec/README.md has no examples of FieldsV1")
	}
}

// TestSpecSchema compares the schema in spec/README.md with the type that the tests use.
func TestSpecSchema(t *testing.T) {
	blocks, err := Blocks("../../../spec/README.md", "s")
	if err != nil {
		t.Fatal(err)
	}
	if theirs, want := read(t, blocks[0].Text), read(t, schema(specified.Type)); !reflect.DeepEqual(byName(theirs), byName(want)) {
		t.Errorf("the schema in the README is\n%v, and in the test\n%v", theirs, want)
	}
}

// doer runs steps with the model or with an engine.
type doer struct {
	do      func(State, Step) (Outcome, error)
	extract func(State, string) (any, error)
}

// doers returns a doer for the model and for each engine, by name.
func (k Kind) doers(t *testing.T) map[string]doer {
	all := map[string]doer{
		"model": {
			func(s State, step Step) (Outcome, error) { return k.Model(s, step), nil },
			func(s State, manager string) (any, error) {
				return model.Extract(s.Object, s.Owners[manager].Set.Leaves(), k.Type), nil
			},
		},
	}
	for name, e := range map[string]engine.Engine{"upstream": upstream.New(), "ours": ours.New()} {
		r, err := k.Runner(e)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = doer{r.Do, r.Extract}
	}
	return all
}

func (k Kind) play(t *testing.T, e example, d doer) {
	do := d.do
	s := State{value(compact(orEmpty(e.Live))), model.Managers{}}
	for _, st := range e.Steps {
		step := Step{"apply", st.By, compact(orEmpty(st.Apply))}
		if st.Update != nil {
			step.Op, step.Object = "update", compact(st.Update)
		}
		tried, err := do(s, step)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(tried.Conflicts, st.Conflicts) {
			t.Fatalf("%s: conflicts %q, want %q", step, tried.Conflicts, st.Conflicts)
		}
		if st.Force {
			step.Op = "force"
			if tried, err = do(s, step); err != nil {
				t.Fatal(err)
			}
		}
		if tried.Conflicts == nil {
			s = tried.State
		}
	}
	for manager, want := range e.Extracted {
		if got, err := d.extract(s, manager); err != nil || compact(withoutKind(got)) != compact(want) {
			t.Errorf("extracted for %s: %s (%v), want %s", manager, compact(got), err, compact(want))
		}
	}
	if e.Extracted != nil {
		return
	}
	if want := compact(value(compact(orEmpty(e.Object)))); compact(s.Object) != want {
		t.Errorf("object %s, want %s", compact(s.Object), want)
	}
	for name, want := range e.Owners {
		var got []string
		for p := range s.Owners[name].Set {
			if Printed(p) != ".kind" {
				got = append(got, Printed(p))
			}
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s owns %q, want %q", name, got, want)
		}
	}
}

// withoutKind removes the field kind. The examples omit it, and steps set it.
func withoutKind(object any) any {
	if m, ok := object.(map[string]any); ok {
		m = maps.Clone(m)
		delete(m, "kind")
		return m
	}
	return object
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func read(t *testing.T, text string) any {
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// byName converts the lists of fields in a schema to maps, because the order of fields does not
// matter.
func byName(v any) any {
	switch v := v.(type) {
	case []any:
		out := map[string]any{}
		for _, item := range v {
			f, ok := item.(map[string]any)
			if !ok || f["name"] == nil {
				return v
			}
			out[f["name"].(string)] = byName(f)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, f := range v {
			if list, ok := f.([]any); !ok || len(list) > 0 { // an empty list of fields and no list are the same
				out[name] = byName(f)
			}
		}
		return out
	}
	return v
}
