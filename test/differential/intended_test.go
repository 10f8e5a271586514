// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	upstreamengine "github.com/dovetail-ssa/dovetail/test/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/test/differential/run"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
	"sigs.k8s.io/randfill"
	upstreamfieldpath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	umerge "sigs.k8s.io/structured-merge-diff/v6/merge"
	upstreamschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	upstreamtyped "sigs.k8s.io/structured-merge-diff/v6/typed"
	upstream "sigs.k8s.io/structured-merge-diff/v6/value"
)

// Each of the following tests is for one difference of DIFFERENCES.md, which it names by its
// id. The test covers situations that do not occur in random cases.

// TestProbes runs many variants of every probe. Both engines must differ in at least one
// variant, as DIFFERENCES.md describes. They must not differ in another way.
func TestProbes(t *testing.T) {
	for _, id := range run.Probes() {
		c := &scenario.Case{Schemas: []scenario.Schema{{}}, Versions: []scenario.Version{{Name: "v1", Type: "__untyped_deduced_"}}}
		for n := range 40 {
			c.Steps = append(c.Steps, scenario.Step{Op: "probe", Manager: id, Schema: n})
		}
		r := run.New(upstreamengine.New(), ours.New())
		if d := r.Check(c); d != nil {
			t.Errorf("%s: %v", id, d)
		}
		if r.Stats.Exempted[id] == 0 {
			t.Errorf("%s: both engines give the same results: the difference is gone", id)
		}
	}
}

// TestOddKeys tests maps with keys that are not strings (odd-keys in DIFFERENCES.md). Its cases
// do not occur in random tests.
func TestOddKeys(t *testing.T) {
	data := func() any { return map[any]any{"a": map[any]any{1: "x"}, "b": map[any]any{1: "x", "c": "y"}} }
	their, err := upstreamtyped.DeducedParseableType.FromUnstructured(data())
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := their.Merge(their)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(theirs.AsValue().Unstructured()); got != "map[b:map[c:y]]" {
		t.Errorf("structured-merge-diff has changed: it merges to %s", got)
	}
	if got := applyOddKeys(t); got != "a panic" {
		t.Errorf("structured-merge-diff has changed: an apply of odd keys returns %s", got)
	}
	if m := upstream.NewValueInterface(map[any]any{1: "x"}).AsMap(); m.Length() != 1 || m.Empty() {
		t.Error("structured-merge-diff has changed: it ignores keys that are not strings")
	}
	own, err := typed.DeducedParseableType.FromUnstructured(data())
	if err != nil {
		t.Fatal(err)
	}
	ours, err := own.Merge(own)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(ours.AsValue().Unstructured()); got != "map[a:map[] b:map[c:y]]" {
		t.Errorf("the result of the merge is %s", got)
	}
	if m := value.NewValueInterface(map[any]any{1: "x"}).AsMap(); m.Length() != 0 || !m.Empty() {
		t.Error("keys that are not strings are not ignored")
	}
}

// applyOddKeys applies an object that has only keys that are not strings with structured-merge-diff.
// It returns the result as a text.
func applyOddKeys(t *testing.T) (result string) {
	config, err := upstreamtyped.DeducedParseableType.FromUnstructured(map[any]any{1: "x"})
	if err != nil {
		t.Fatal(err)
	}
	live, err := upstreamtyped.DeducedParseableType.FromUnstructured(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() != nil {
			result = "a panic"
		}
	}()
	object, managers, err := (&umerge.Updater{}).Apply(live, config, "v1", upstreamfieldpath.ManagedFields{}, "m", false)
	return fmt.Sprint(object, managers, err)
}

// TestMergeListErrors applies a list to a list with structured-merge-diff. The merge drops all
// items, because the schema has an unknown scalar type (merge-list-errors in DIFFERENCES.md).
func TestMergeListErrors(t *testing.T) {
	parser, err := upstreamtyped.NewParser(`types: [{name: root, list: {elementType: {scalar: colour}, elementRelationship: associative}}]`)
	if err != nil {
		t.Fatal(err)
	}
	list := upstreamtyped.AsTypedUnvalidated(upstream.NewValueInterface([]any{"x"}), &parser.Schema, parser.Type("root").TypeRef)
	defer func() {
		if recover() == nil {
			t.Error("structured-merge-diff has changed: the apply does not panic")
		}
	}()
	(&umerge.Updater{}).Apply(list, list, "v1", upstreamfieldpath.ManagedFields{}, "m", false)
}

// TestMergeUndeclaredInItem merges an item with an undeclared field. structured-merge-diff drops
// only the field, and Dovetail returns an error (merge-list-errors in DIFFERENCES.md).
func TestMergeUndeclaredInItem(t *testing.T) {
	const types = `types: [{name: root, list: {elementRelationship: associative, keys: [k], elementType: {map: {fields: [{name: k, type: {scalar: string}}]}}}}]`
	data := []any{map[string]any{"k": "a", "x": "1"}}
	theirs, err := upstreamtyped.NewParser(types)
	if err != nil {
		t.Fatal(err)
	}
	list := upstreamtyped.AsTypedUnvalidated(upstream.NewValueInterface(data), &theirs.Schema, theirs.Type("root").TypeRef)
	empty := upstreamtyped.AsTypedUnvalidated(upstream.NewValueInterface([]any{}), &theirs.Schema, theirs.Type("root").TypeRef)
	merged, err := empty.Merge(list)
	if err != nil {
		t.Fatalf("structured-merge-diff has changed: %v", err)
	}
	if got := upstream.ToString(merged.AsValue()); got != `[k="a"]` {
		t.Errorf("structured-merge-diff has changed: the result is %s", got)
	}
	ours, err := typed.NewParser(types)
	if err != nil {
		t.Fatal(err)
	}
	parseable := ours.Type("root")
	ourList := typed.AsTypedUnvalidated(value.NewValueInterface(data), parseable.Schema, parseable.TypeRef)
	ourEmpty := typed.AsTypedUnvalidated(value.NewValueInterface([]any{}), parseable.Schema, parseable.TypeRef)
	if _, err := ourEmpty.Merge(ourList); err == nil {
		t.Error("Merge returns no error for an undeclared field in an item")
	}
}

// TestSchemaFill fills the Go types of a schema with random data (schema-fill in
// DIFFERENCES.md).
func TestSchemaFill(t *testing.T) {
	fills := func(fill func(any), v any) (ok bool) {
		defer func() { ok = recover() == nil }()
		fill(v)
		return true
	}
	// With fields of maps, the schema would be too deep.
	as := func(v any) { randfill.NewWithSeed(1).NilChance(0).NumElements(1, 1).MaxDepth(3).Fill(v) }
	withAny := func(v any) {
		randfill.NewWithSeed(1).NilChance(0).NumElements(1, 1).MaxDepth(3).Funcs(func(v *any, c randfill.Continue) { *v = c.String(3) }).Fill(v)
	}
	for _, tc := range []struct{ theirs, ours any }{
		{&upstreamschema.TypeDef{}, &schema.TypeDef{}},
		{&upstreamschema.List{}, &schema.List{}},
	} {
		if !fills(as, tc.theirs) {
			t.Errorf("structured-merge-diff has changed: %T cannot be filled", tc.theirs)
		}
		if fills(as, tc.ours) {
			t.Errorf("%T can be filled: the difference is gone", tc.ours)
		}
		if !fills(withAny, tc.ours) {
			t.Errorf("%T cannot be filled", tc.ours)
		}
	}
}

// TestSchemaKeywords parses schemas with the fields that only Dovetail's schemas have (schema-keywords in
// DIFFERENCES.md).
func TestSchemaKeywords(t *testing.T) {
	for keyword, text := range map[string]string{
		"declarativeDefaults": "declarativeDefaults: true\ntypes: []",
		"missingKeys":         "missingKeys: strict\ntypes: []",
		"zeroKeysUnset":       "zeroKeysUnset: true\ntypes: []",
		"elementDefault":      "types: [{name: a, map: {elementType: {scalar: string}, elementDefault: x}}]",
		"transition":          "types: [{name: a, scalar: string, transition: immutable}]",
		"required":            "types: [{name: a, map: {fields: [{name: f, type: {scalar: string}}], required: [f]}}]",
		"unknownFields":       "types: [{name: a, map: {fields: [{name: f, type: {scalar: string}}], unknownFields: preserve}}]",
		"default":             "types: [{name: a, scalar: string, default: x}]",
	} {
		if _, err := upstreamtyped.NewParser(upstreamtyped.YAMLObject(text)); err == nil {
			t.Errorf("structured-merge-diff has changed: it accepts %s", keyword)
		}
		if _, err := typed.NewParser(typed.YAMLObject(text)); err != nil {
			t.Errorf("%s: %v", keyword, err)
		}
	}
}

// TestChangedData changes the data of a typed value after its validation (changed-data in
// DIFFERENCES.md).
func TestChangedData(t *testing.T) {
	const text = `types:
- name: a
  map:
    fields:
    - {name: set, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: items, type: {list: {elementType: {namedType: item}, keys: [k], elementRelationship: associative}}}
    - {name: size, type: {scalar: numeric}}
- name: item
  map: {fields: [{name: k, type: {scalar: string}}]}
`
	their, err := upstreamtyped.NewParser(text)
	if err != nil {
		t.Fatal(err)
	}
	own, err := typed.NewParser(text)
	if err != nil {
		t.Fatal(err)
	}
	// errors lists the operations that fail: a merge that applies the changed value, a merge of
	// another value into it, a comparison, and a field set.
	errors := func(errs ...error) string {
		out := ""
		for i, err := range errs {
			if err != nil {
				out += []string{"applied ", "live ", "compared ", "set "}[i]
			}
		}
		return out
	}
	for _, tc := range []struct {
		name         string
		change       func(o, item map[string]any, set []any)
		theirs, ours string // the operations that fail, in structured-merge-diff and in Dovetail
		merged       string // the result of the merge in Dovetail
	}{
		{"valid", func(o, _ map[string]any, set []any) { set[1], o["size"] = "c", 2 }, "", "", "map[items:[map[k:a]] set:[r p c] size:2]"},
		{"wrong type", func(o, _ map[string]any, _ []any) { o["size"] = "x" }, "", "", "map[items:[map[k:a]] set:[r p q] size:x]"},
		{"duplicate", func(_, _ map[string]any, set []any) { set[1] = "p" }, "applied ", "", "map[items:[map[k:a]] set:[r p p]]"},
		{"no key", func(_, item map[string]any, _ []any) { delete(item, "k") }, "applied live compared ", "", "map[items:[map[]] set:[r p q]]"},
		{"undeclared", func(o, _ map[string]any, _ []any) { o["x"] = 1 }, "applied live compared set ", "compared set ", "map[items:[map[k:a]] set:[r p q] x:1]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			item, set := map[string]any{"k": "a"}, []any{"p", "q"}
			data, other := map[string]any{"set": set, "items": []any{item}}, map[string]any{"set": []any{"r"}}
			theirs, err := their.Type("a").FromUnstructured(data)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := own.Type("a").FromUnstructured(data)
			if err != nil {
				t.Fatal(err)
			}
			another, err := their.Type("a").FromUnstructured(other)
			if err != nil {
				t.Fatal(err)
			}
			ourOther, err := own.Type("a").FromUnstructured(other)
			if err != nil {
				t.Fatal(err)
			}
			tc.change(data, item, set)
			_, applied := another.Merge(theirs)
			_, live := theirs.Merge(another)
			_, compared := another.Compare(theirs)
			_, settled := theirs.ToFieldSet()
			if got := errors(applied, live, compared, settled); got != tc.theirs {
				t.Errorf("structured-merge-diff has changed: the operations %s fail, want %s", got, tc.theirs)
			}
			merged, applied := ourOther.Merge(ours)
			_, live = ours.Merge(ourOther)
			_, compared = ourOther.Compare(ours)
			_, settled = ours.ToFieldSet()
			if got := errors(applied, live, compared, settled); got != tc.ours {
				t.Errorf("the operations %s fail, want %s", got, tc.ours)
			}
			if got := fmt.Sprint(merged.AsValue().Unstructured()); got != tc.merged {
				t.Errorf("the result of the merge is %s, want %s", got, tc.merged)
			}
			wrong := tc.name != "valid"
			if err := ours.Validate(); (err != nil) != wrong {
				t.Errorf("Validate returns %v", err)
			}
			if _, err := own.Type("a").FromUnstructured(data); (err != nil) != wrong {
				t.Errorf("a new value with the changed data: %v", err)
			}
		})
	}
	type object struct {
		Set []string `json:"set,omitempty"`
	}
	o := &object{Set: []string{"p", "q"}}
	theirs, err := their.Type("a").FromStructured(o)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := own.Type("a").FromStructured(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ theirs, ours int }{{2, 2}, {3, 2}} {
		a, err := theirs.ToFieldSet()
		if err != nil || a.Size() != want.theirs {
			t.Errorf("structured-merge-diff has changed: the field set of the struct is %v, %v", a, err)
		}
		b, err := ours.ToFieldSet()
		if err != nil || b.Size() != want.ours {
			t.Errorf("the field set of the struct is %v, %v", b, err)
		}
		o.Set = append(o.Set, "r")
	}
}

// Selfish is a struct that embeds itself.
type Selfish struct {
	*Selfish `json:",inline"`
	Name     string `json:"name"`
}

// Cycle is a pointer type that points to itself.
type Cycle *Cycle

// TestOddStructs tests types that contain themselves (odd-structs in DIFFERENCES.md).
// structured-merge-diff never returns for these types, so only Dovetail runs.
func TestOddStructs(t *testing.T) {
	v, err := value.NewValueReflect(&Selfish{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if have := v.Unstructured(); !reflect.DeepEqual(have, map[string]any{"name": "a"}) {
		t.Errorf("for a struct that embeds itself, the result is %v", have)
	}
	if text := panicOf(func() {
		var c Cycle
		c = &c
		v, err := value.NewValueReflect(&struct {
			C Cycle `json:"c"`
		}{c})
		if err == nil {
			v.Unstructured()
		}
	}); text == "" {
		t.Error("a cyclic pointer is accepted")
	}
}

func panicOf(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = "panic"
			if err, ok := r.(error); ok {
				text = err.Error()
			}
		}
	}()
	f()
	return ""
}

// TestDepth tests very deep data (depth in DIFFERENCES.md). structured-merge-diff would overflow
// the stack and crash, so only Dovetail runs.
func TestDepth(t *testing.T) {
	var data any = "leaf"
	for i := 0; i < 200000; i++ {
		data = map[string]any{"a": data}
	}
	if _, err := typed.DeducedParseableType.FromUnstructured(data); err == nil {
		t.Error("200,000 levels of data are accepted")
	}
	text := strings.Repeat(`{"f:a":`, 200000) + "{}" + strings.Repeat("}", 200000)
	if err := new(fieldpath.Set).FromJSON(strings.NewReader(text)); err == nil {
		t.Error("200,000 levels of FieldsV1 are accepted")
	}
}
