// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// immutabilityCases contains the test cases of the KEP "Immutable fields". The header of
// the file describes their format.
type immutabilityCases struct {
	Format    int             `json:"format"`
	Schemas   map[string]any  `json:"schemas"`
	Cases     []updateCase    `json:"cases"`
	Apply     []applyCase     `json:"applyCases"`
	Lifecycle []lifecycleCase `json:"lifecycleCases"`
}

type updateCase struct {
	ID, Schema       string
	Req              []string
	Basis, Note      string
	Old, New         any
	OldJSON, NewJSON string
	Expect           struct {
		Allowed *bool
		Errors  []wantedError
	}
}

type wantedError struct{ Path, SMDPath, Type, Message string }

func (e wantedError) String() string {
	return fmt.Sprintf("%s %s %s: %s", e.Type, e.Path, e.SMDPath, e.Message)
}

func loadImmutabilityCases(t testing.TB) (all []immutabilityCases) {
	t.Helper()
	const pattern = "../../spec/testdata/immutability*.yaml"
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases of immutability: %s (%v)", pattern, err)
	}
	for _, file := range files {
		docs, err := parse(file, readFile(t, file))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(docs[0])
		if err != nil {
			t.Fatal(err)
		}
		var raw map[string]json.RawMessage
		if err := json.Unmarshal(text, &raw); err != nil {
			t.Fatal(err)
		}
		var c immutabilityCases
		for name, to := range map[string]any{"format": &c.Format, "schemas": &c.Schemas, "cases": &c.Cases, "applyCases": &c.Apply, "lifecycleCases": &c.Lifecycle} {
			d := json.NewDecoder(bytes.NewReader(raw[name]))
			d.DisallowUnknownFields()
			if err := d.Decode(to); err != nil {
				t.Fatalf("%s: %s: %v", file, name, err)
			}
		}
		if c.Format != 1 {
			t.Fatalf("%s: format %d", file, c.Format)
		}
		all = append(all, c)
	}
	return all
}

// typeOf returns the type of a CRD with this openAPIV3Schema.
func typeOf(t *testing.T, schema any) typed.ParseableType {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{})
	if err := c.AddCRD("crd.yaml", crd(string(text))); err != nil {
		t.Fatal(err)
	}
	pt, ok := c.Type("example.com/v1", "Widget")
	if !ok {
		t.Fatal("no Widget")
	}
	return pt
}

// object returns v as a server stores it: pruned, with defaults, and without nulls in
// fields that are not nullable. If the spelling of numbers matters, the parameter text is
// v as JSON.
func object(t *testing.T, pt typed.ParseableType, v any, text string) *typed.TypedValue {
	t.Helper()
	if text == "" {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	read, err := parseJSON([]byte(text)) // parse the text, so that integers stay integers as on an API server
	if err != nil || read == nil {
		t.Fatalf("no object: %q: %v", text, err)
	}
	tv, err := typed.AsTypedUnvalidated(value.NewValueInterface(read), pt.Schema, pt.TypeRef).Prune()
	if err == nil {
		tv, err = tv.Default()
	}
	if err != nil {
		t.Fatal(err)
	}
	return tv
}

// violations returns the errors of CheckTransition in the form that the cases use.
func violations(t *testing.T, err error) []wantedError {
	t.Helper()
	var all typed.TransitionErrors
	if err != nil && !errors.As(err, &all) {
		t.Fatal(err)
	}
	var got []wantedError
	for _, e := range all {
		got = append(got, wantedError{e.Field, e.Path.String(), string(e.Type), e.Message})
	}
	return got
}

func TestImmutabilityUpdates(t *testing.T) {
	count := 0
	for _, all := range loadImmutabilityCases(t) {
		for _, c := range all.Cases {
			count++
			t.Run(c.ID, func(t *testing.T) {
				schema, ok := all.Schemas[c.Schema]
				if !ok || c.Expect.Allowed == nil || *c.Expect.Allowed != (len(c.Expect.Errors) == 0) {
					t.Fatalf("not a case: %+v", c)
				}
				pt := typeOf(t, schema)
				got := violations(t, object(t, pt, c.Old, c.OldJSON).CheckTransition(object(t, pt, c.New, c.NewJSON), typed.TransitionOptions{}))
				byPath := func(a, b wantedError) int {
					return strings.Compare(a.SMDPath+a.Path+a.Message, b.SMDPath+b.Path+b.Message)
				}
				slices.SortFunc(got, byPath)
				slices.SortFunc(c.Expect.Errors, byPath)
				if !slices.Equal(got, c.Expect.Errors) {
					t.Errorf("%s %s\ngot  %v\nwant %v", c.Req, c.Note, got, c.Expect.Errors)
				}
			})
		}
	}
	if count < 100 {
		t.Errorf("%d cases", count)
	}
}

// Each transition rule must have cases that it rejects and cases that it allows.
func TestImmutabilityCasesKnowEveryRule(t *testing.T) {
	for _, rule := range schema.Transitions() {
		refused, allowed := 0, 0
		for _, all := range loadImmutabilityCases(t) {
			for _, c := range all.Cases {
				text, err := json.Marshal(all.Schemas[c.Schema])
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case !bytes.Contains(text, []byte(strconv.Quote(rule.Extension()))):
				case *c.Expect.Allowed:
					allowed++
				default:
					refused++
				}
			}
		}
		if refused < 2 || allowed < 1 {
			t.Errorf("%s: %d cases that it rejects, %d that it allows", rule, refused, allowed)
		}
	}
}

type lifecycleCase struct {
	ID          string
	Req         []string
	Basis, Note string
	Steps       []lifecycleStep
}

// lifecycleStep is one change of an object or of its schema. Exactly one of create,
// update, mergePatch, jsonPatch and schemaChange is set.
type lifecycleStep struct {
	Schema                    string
	Create, Update, MutatedTo any
	MergePatch                any
	JSONPatch                 []jsonPatch
	SchemaChange              *schemaChange
	Allowed                   *bool
}

type jsonPatch struct {
	Op, Path string
	Value    any
}

type schemaChange struct {
	Path, Add, Remove string
	Default           any
}

func TestImmutabilityLifecycle(t *testing.T) {
	for _, all := range loadImmutabilityCases(t) {
		for _, c := range all.Lifecycle {
			t.Run(c.ID, func(t *testing.T) {
				l := lifecycle{t: t}
				for i, step := range c.Steps {
					if step.Schema != "" && l.schema == nil {
						l.schema = plainCopy(t, all.Schemas[step.Schema])
					}
					l.step(i, step)
				}
			})
		}
	}
}

// lifecycle is the state of a simulated server: a schema and the stored object.
type lifecycle struct {
	t      *testing.T
	schema any
	stored any
}

func (l *lifecycle) step(i int, step lifecycleStep) {
	next := step.Update
	switch {
	case step.Create != nil:
		l.stored = step.Create
		return
	case step.SchemaChange != nil:
		step.SchemaChange.apply(l.t, l.schema)
		return
	case step.MergePatch != nil:
		next = mergePatched(plainCopy(l.t, l.stored), step.MergePatch)
	case step.JSONPatch != nil:
		next = plainCopy(l.t, l.stored)
		for _, p := range step.JSONPatch {
			p.apply(l.t, next)
		}
	}
	if step.MutatedTo != nil {
		next = step.MutatedTo
	}
	if step.Allowed == nil || next == nil {
		l.t.Fatalf("step %d: not a step: %+v", i, step)
	}
	pt := typeOf(l.t, l.schema)
	err := object(l.t, pt, l.stored, "").CheckTransition(object(l.t, pt, next, ""), typed.TransitionOptions{})
	if found := violations(l.t, err); (len(found) == 0) != *step.Allowed {
		l.t.Fatalf("step %d: got %v, want allowed: %v", i, found, *step.Allowed)
	}
	if err == nil {
		l.stored = object(l.t, pt, next, "").AsValue().Unstructured()
	}
}

func (c *schemaChange) apply(t *testing.T, schema any) {
	at, _ := schema.(map[string]any)
	for _, name := range strings.Split(c.Path, ".") {
		properties, _ := at["properties"].(map[string]any)
		if at, _ = properties[name].(map[string]any); at == nil {
			t.Fatalf("no property %s of %s", name, c.Path)
		}
	}
	switch {
	case c.Add != "":
		at[c.Add] = true
	case c.Remove != "":
		delete(at, c.Remove)
	case c.Default != nil:
		at["default"] = c.Default
	default:
		t.Fatalf("not a change: %+v", c)
	}
}

func mergePatched(v, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	m, ok := v.(map[string]any)
	if !ok {
		m = map[string]any{}
	}
	for name, c := range p {
		if c == nil {
			delete(m, name)
		} else {
			m[name] = mergePatched(m[name], c)
		}
	}
	return m
}

// apply applies the patch. It supports only changes of map fields, because the cases
// contain no other changes.
func (p jsonPatch) apply(t *testing.T, v any) {
	steps := strings.Split(strings.TrimPrefix(p.Path, "/"), "/")
	last := steps[len(steps)-1]
	at, ok := v.(map[string]any)
	for _, name := range steps[:len(steps)-1] {
		at, ok = at[name].(map[string]any)
	}
	_, has := at[last]
	switch {
	case ok && p.Op == "replace" && has, ok && p.Op == "add":
		at[last] = p.Value
	case ok && p.Op == "remove" && has:
		delete(at, last)
	default:
		t.Fatalf("cannot %s %s", p.Op, p.Path)
	}
}

func plainCopy(t testing.TB, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
