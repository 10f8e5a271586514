// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
	upath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	umerge "sigs.k8s.io/structured-merge-diff/v6/merge"
	utyped "sigs.k8s.io/structured-merge-diff/v6/typed"
)

// These tests are like those in intended_test.go. Programs do here what the libraries of
// Kubernetes do not do: they change the data of typed values, and write into results.

const memorySchema = `types:
- name: a
  map:
    fields:
    - {name: set, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: items, type: {list: {elementType: {namedType: item}, keys: [k], elementRelationship: associative}}}
    - {name: size, type: {scalar: numeric}}
    - {name: args, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}}}
- name: item
  map: {fields: [{name: k, type: {scalar: string}}, {name: v, type: {scalar: string}}]}
`

// memoryTypes returns the type a for both engines.
func memoryTypes(t *testing.T) (typed.ParseableType, utyped.ParseableType) {
	ours, err := typed.NewParser(memorySchema)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := utyped.NewParser(memorySchema)
	if err != nil {
		t.Fatal(err)
	}
	return ours.Type("a"), theirs.Type("a")
}

// TestChangedConfig changes a config after its validation and applies it (changed-data in
// DIFFERENCES.md).
func TestChangedConfig(t *testing.T) {
	ourType, theirType := memoryTypes(t)
	for _, tc := range []struct {
		name         string
		change       func(config map[string]any)
		theirs, ours string // the error, or the result
	}{
		{"item without keys", func(c map[string]any) { c["items"] = []any{map[string]any{"v": "x"}} },
			`failed to merge config: .items: element 0: associative list with keys has an element that omits all key fields ["k"] (and doesn't have default values for any key fields)`,
			"map[items:[map[v:x]] set:[p] size:1]"},
		{"duplicate", func(c map[string]any) { c["set"] = []any{"p", "p"} },
			`failed to merge config: .set: duplicate entries for key [="p"]`,
			"map[items:[map[k:a]] set:[p p] size:1]"},
		{"undeclared field", func(c map[string]any) { c["bogus"] = "x" },
			"failed to merge config: .bogus: schema error: invalid atom: inlined",
			"failed to get field set: schema error: invalid atom: inlined"},
		{"wrong type", func(c map[string]any) { c["size"] = "x" },
			"map[items:[map[k:a]] set:[p] size:x]",
			"map[items:[map[k:a]] set:[p] size:x]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			live := func() map[string]any { return map[string]any{"size": int64(1)} }
			config := func() map[string]any {
				return map[string]any{"items": []any{map[string]any{"k": "a"}}, "set": []any{"p"}}
			}
			data := config()
			theirs, err := theirType.FromUnstructured(data)
			if err != nil {
				t.Fatal(err)
			}
			tc.change(data)
			theirLive, err := theirType.FromUnstructured(live())
			if err != nil {
				t.Fatal(err)
			}
			u := (&umerge.UpdaterBuilder{Converter: theirConverter{&conversions{}}}).BuildUpdater()
			result, _, err := u.Apply(theirLive, theirs, "v1", nil, "web", false)
			got := fmt.Sprint(err)
			if err == nil {
				got = fmt.Sprint(result.AsValue().Unstructured())
			}
			if got != tc.theirs {
				t.Errorf("structured-merge-diff has changed: the result is %s, want %s", got, tc.theirs)
			}
			data = config()
			ours, err := ourType.FromUnstructured(data)
			if err != nil {
				t.Fatal(err)
			}
			tc.change(data)
			ourLive, err := ourType.FromUnstructured(live())
			if err != nil {
				t.Fatal(err)
			}
			own := (&merge.UpdaterBuilder{Converter: ourConverter{&conversions{}}}).BuildUpdater()
			ourResult, _, err := own.Apply(ourLive, ours, "v1", nil, "web", false)
			got = fmt.Sprint(err)
			if err == nil {
				got = fmt.Sprint(ourResult.AsValue().Unstructured())
			}
			if got != tc.ours {
				t.Errorf("the result is %s, want %s", got, tc.ours)
			}
		})
	}
}

// TestWriteIntoResult writes into an atomic list of the result of an apply (shared-leaves in
// DIFFERENCES.md).
func TestWriteIntoResult(t *testing.T) {
	ourType, theirType := memoryTypes(t)
	for _, tc := range []struct {
		name         string
		config       map[string]any
		theirs, ours bool // whether the write changes the live object
	}{
		{"list in the config", map[string]any{"args": []any{"p", "q"}, "size": int64(2)}, false, true},
		{"list not in the config", map[string]any{"size": int64(2)}, true, true},
		{"new list in the config", map[string]any{"args": []any{"p"}}, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			// written writes into the list of a result, and reports whether the live object changed.
			written := func(live map[string]any, result any) bool {
				result.(map[string]any)["args"].([]any)[0] = "written"
				return live["args"].([]any)[0] == "written"
			}
			data := map[string]any{"args": []any{"p", "q"}}
			theirLive, err := theirType.FromUnstructured(data)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := theirType.FromUnstructured(copyOfConfig(tc.config))
			if err != nil {
				t.Fatal(err)
			}
			u := (&umerge.UpdaterBuilder{Converter: theirConverter{&conversions{}}}).BuildUpdater()
			result, _, err := u.Apply(theirLive, theirs, "v1", nil, "web", true)
			if err != nil {
				t.Fatal(err)
			}
			if got := written(data, result.AsValue().Unstructured()); got != tc.theirs {
				t.Errorf("structured-merge-diff has changed: the write changes the live object: %v", got)
			}
			data = map[string]any{"args": []any{"p", "q"}}
			ourLive, err := ourType.FromUnstructured(data)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := ourType.FromUnstructured(copyOfConfig(tc.config))
			if err != nil {
				t.Fatal(err)
			}
			own := (&merge.UpdaterBuilder{Converter: ourConverter{&conversions{}}}).BuildUpdater()
			ourResult, _, err := own.Apply(ourLive, ours, "v1", nil, "web", true)
			if err != nil {
				t.Fatal(err)
			}
			if got := written(data, ourResult.AsValue().Unstructured()); got != tc.ours {
				t.Errorf("the write changes the live object: %v", got)
			}
		})
	}
}

// TestSharedAtomicLists checks which input shares an atomic list with the result if the list did not
// change (shared-leaves in DIFFERENCES.md). Only an apply of plain data differs from
// structured-merge-diff.
func TestSharedAtomicLists(t *testing.T) {
	const yaml, plain = "FromYAML", "FromUnstructured"
	ourType, theirType := memoryTypes(t)
	list := func(object any) []any {
		switch object := object.(type) {
		case map[string]any:
			list, _ := object["args"].([]any)
			return list
		case map[any]any:
			list, _ := object["args"].([]any)
			return list
		}
		return nil
	}
	// sharedWith returns the input whose list shares memory with the list of the result.
	sharedWith := func(live, config, result any) string {
		switch l := list(result); {
		case l == nil:
			return "no list"
		case list(live) != nil && &l[0] == &list(live)[0]:
			return "live"
		case list(config) != nil && &l[0] == &list(config)[0]:
			return "config"
		}
		return "none"
	}
	for _, tc := range []struct {
		operation, live, config string
		declared                bool // whether the config contains the list
		theirs, ours            string
	}{
		{"Apply", plain, plain, true, "config", "live"},
		{"Apply", plain, plain, false, "live", "live"},
		{"Apply", yaml, plain, true, "config", "config"},
		{"Apply", plain, yaml, true, "config", "config"},
		{"Apply", yaml, yaml, true, "config", "config"},
		{"Apply", yaml, yaml, false, "live", "live"},
		{"Merge", plain, plain, true, "config", "config"},
		{"Merge", plain, plain, false, "live", "live"},
		{"Merge", yaml, yaml, true, "config", "config"},
		{"Merge", yaml, yaml, false, "live", "live"},
	} {
		t.Run(fmt.Sprintf("%s, live %s, config %s, declared %v", tc.operation, tc.live, tc.config, tc.declared), func(t *testing.T) {
			liveText, configText := "{args: [p, q], size: 1}", "{size: 2}"
			if tc.declared {
				configText = "{args: [p, q], size: 2}"
			}
			object := func(size int, declared bool) map[string]any {
				out := map[string]any{"size": int64(size)}
				if declared {
					out["args"] = []any{"p", "q"}
				}
				return out
			}
			theirs := func(from, text string, data map[string]any) *utyped.TypedValue {
				t.Helper()
				v, err := theirType.FromUnstructured(data)
				if from == yaml {
					v, err = theirType.FromYAML(utyped.YAMLObject(text))
				}
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			theirLive, theirConfig := theirs(tc.live, liveText, object(1, true)), theirs(tc.config, configText, object(2, tc.declared))
			theirResult, err := theirLive.Merge(theirConfig)
			if tc.operation == "Apply" {
				u := (&umerge.UpdaterBuilder{Converter: theirConverter{&conversions{}}}).BuildUpdater()
				theirResult, _, err = u.Apply(theirLive, theirConfig, "v1", nil, "web", true)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := sharedWith(theirLive.AsValue().Unstructured(), theirConfig.AsValue().Unstructured(), theirResult.AsValue().Unstructured()); got != tc.theirs {
				t.Errorf("structured-merge-diff has changed: the list shares memory with %s, want %s", got, tc.theirs)
			}
			ours := func(from, text string, data map[string]any) *typed.TypedValue {
				t.Helper()
				v, err := ourType.FromUnstructured(data)
				if from == yaml {
					v, err = ourType.FromYAML(typed.YAMLObject(text))
				}
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			ourLive, ourConfig := ours(tc.live, liveText, object(1, true)), ours(tc.config, configText, object(2, tc.declared))
			ourResult, err := ourLive.Merge(ourConfig)
			if tc.operation == "Apply" {
				u := (&merge.UpdaterBuilder{Converter: ourConverter{&conversions{}}}).BuildUpdater()
				ourResult, _, err = u.Apply(ourLive, ourConfig, "v1", nil, "web", true)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := sharedWith(ourLive.AsValue().Unstructured(), ourConfig.AsValue().Unstructured(), ourResult.AsValue().Unstructured()); got != tc.ours {
				t.Errorf("the list shares memory with %s, want %s", got, tc.ours)
			}
		})
	}
}

// TestSharedAtomicListsDeclarative checks that with declarative defaults, an atomic list that did not
// change is shared with the live object, and a list that changed with the config (shared-leaves in
// DIFFERENCES.md).
func TestSharedAtomicListsDeclarative(t *testing.T) {
	parser, err := typed.NewParser("declarativeDefaults: true\n" + memorySchema)
	if err != nil {
		t.Fatal(err)
	}
	first := func(v *typed.TypedValue) *any {
		switch object := v.AsValue().Unstructured().(type) {
		case map[any]any:
			return &object["args"].([]any)[0]
		case map[string]any:
			return &object["args"].([]any)[0]
		}
		return nil
	}
	for _, operation := range []string{"Merge", "Apply"} {
		for list, want := range map[string]string{"[p, q]": "live", "[r]": "config"} {
			inputs := map[string]*typed.TypedValue{}
			for name, text := range map[string]string{"live": "{args: [p, q], size: 1}", "config": "{args: " + list + ", size: 2}"} {
				if inputs[name], err = parser.Type("a").FromYAML(typed.YAMLObject(text)); err != nil {
					t.Fatal(err)
				}
			}
			result, err := inputs["live"].Merge(inputs["config"])
			if operation == "Apply" {
				u := (&merge.UpdaterBuilder{Converter: ourConverter{&conversions{}}}).BuildUpdater()
				result, _, err = u.Apply(inputs["live"], inputs["config"], "v1", nil, "web", true)
			}
			if err != nil {
				t.Fatal(err)
			}
			if first(result) != first(inputs[want]) {
				t.Errorf("%s of %s: the list does not share memory with %s", operation, list, want)
			}
		}
	}
}

// copyOfConfig returns a copy of a config and of its list.
func copyOfConfig(config map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range config {
		if list, ok := v.([]any); ok {
			v = append([]any{}, list...)
		}
		out[k] = v
	}
	return out
}

// TestExtractedTop writes into the top-level map of an extraction, as ExtractInto of
// apimachinery does. The write must not change the object, even if the extraction has all its
// fields.
func TestExtractedTop(t *testing.T) {
	ourType, theirType := memoryTypes(t)
	data := map[string]any{"size": int64(1)}
	theirs, err := theirType.FromUnstructured(data)
	if err != nil {
		t.Fatal(err)
	}
	theirSet, err := theirs.ToFieldSet()
	if err != nil {
		t.Fatal(err)
	}
	theirs.ExtractItems(theirSet.Leaves()).AsValue().Unstructured().(map[string]any)["kind"] = "written"
	if data["kind"] != nil {
		t.Error("structured-merge-diff has changed: the write changes the object")
	}
	ours, err := ourType.FromUnstructured(data)
	if err != nil {
		t.Fatal(err)
	}
	set, err := ours.ToFieldSet()
	if err != nil {
		t.Fatal(err)
	}
	ours.ExtractItems(set.Leaves()).AsValue().Unstructured().(map[string]any)["kind"] = "written"
	if data["kind"] != nil {
		t.Error("the write changes the object")
	}
}

// TestSharedTypes checks that the first use of a schema replaces its types if the modules in compat
// set the policy ShareTypes, and only then (shared-types in DIFFERENCES.md). structured-merge-diff
// never replaces them.
func TestSharedTypes(t *testing.T) {
	const text = `types:
- name: a
  map: {fields: [{name: z, type: {scalar: string}}, {name: b, type: {scalar: string}}]}
`
	their, err := utyped.NewParser(text)
	if err != nil {
		t.Fatal(err)
	}
	before := &their.Schema.Types[0]
	if _, err := their.Type("a").FromUnstructured(map[string]any{"b": "x"}); err != nil {
		t.Fatal(err)
	}
	if &their.Schema.Types[0] != before || their.Schema.Types[0].Map.Fields[0].Name != "z" {
		t.Error("structured-merge-diff has changed: the first use of a schema replaces its types")
	}
	for _, policies := range []schema.Policies{{}, {ShareTypes: true}} {
		shares := policies.ShareTypes
		for name, use := range map[string]func(p *typed.Parser){
			"Type": func(p *typed.Parser) { p.Type("a") },
			"AsTyped": func(p *typed.Parser) {
				name := "a"
				if _, err := typed.AsTyped(value.NewValueInterface(nil), &p.Schema, schema.TypeRef{NamedType: &name}); err != nil {
					t.Fatal(err)
				}
			},
		} {
			schema.SetProcessPolicies(policies)
			our, err := typed.NewParser(text)
			schema.SetProcessPolicies(schema.Policies{})
			if err != nil {
				t.Fatal(err)
			}
			var unused schema.Schema
			our.Schema.CopyInto(&unused)
			fields := our.Schema.Types[0].Map.Fields
			before := &our.Schema.Types[0]
			schema.SetProcessPolicies(policies)
			use(our)
			schema.SetProcessPolicies(schema.Policies{})
			now := our.Schema.Types[0].Map.Fields
			if (&our.Schema.Types[0] != before) != shares || (now[0].Name == "b") != shares || our.Schema.Equals(&unused) == shares {
				t.Errorf("%s, ShareTypes %v: the fields are %v", name, shares, now)
			}
			if fields[0].Name != "z" {
				t.Errorf("%s, ShareTypes %v: the fields of the old types have changed", name, shares)
			}
		}
	}
}

// TestNumbersInStoredKeys shows the Go type of a number in the path elements of the applier's set
// after a second apply: float64 if the stored set was decoded from JSON (see "Numbers in keys" in
// DIFFERENCES.md). With structured-merge-diff, the number is an int64.
func TestNumbersInStoredKeys(t *testing.T) {
	const schema, stored = `types:
- name: a
  map:
    fields:
    - {name: ports, type: {list: {elementType: {map: {fields: [{name: port, type: {scalar: numeric}}]}}, keys: [port], elementRelationship: associative}}}
`, `{"f:ports":{"k:{\"port\":80}":{".":{},"f:port":{}}}}`
	object := func() map[string]any { return map[string]any{"ports": []any{map[string]any{"port": int64(80)}}} }
	our, err := typed.NewParser(schema)
	if err != nil {
		t.Fatal(err)
	}
	their, err := utyped.NewParser(schema)
	if err != nil {
		t.Fatal(err)
	}
	numberIn := func(n any) string { return fmt.Sprintf("%T", n) }

	theirSet := &upath.Set{}
	if err := theirSet.FromJSON(strings.NewReader(stored)); err != nil {
		t.Fatal(err)
	}
	theirLive, err := their.Type("a").FromUnstructured(object())
	if err != nil {
		t.Fatal(err)
	}
	_, theirManagers, err := (&umerge.UpdaterBuilder{Converter: theirConverter{&conversions{}}}).BuildUpdater().Apply(theirLive, theirLive, "v1",
		upath.ManagedFields{"m": upath.NewVersionedSet(theirSet, "v1", true)}, "m", false)
	if err != nil {
		t.Fatal(err)
	}
	theirManagers["m"].Set().Iterate(func(p upath.Path) {
		if key := p[1].Key; key != nil && numberIn((*key)[0].Value.Unstructured()) != "int64" {
			t.Errorf("structured-merge-diff has changed: the number in %v is a %T", p, (*key)[0].Value.Unstructured())
		}
	})

	ourSet := &fieldpath.Set{}
	if err := ourSet.FromJSON(strings.NewReader(stored)); err != nil {
		t.Fatal(err)
	}
	ourLive, err := our.Type("a").FromUnstructured(object())
	if err != nil {
		t.Fatal(err)
	}
	_, ourManagers, err := (&merge.UpdaterBuilder{Converter: ourConverter{&conversions{}}}).BuildUpdater().Apply(ourLive, ourLive, "v1",
		fieldpath.ManagedFields{"m": fieldpath.NewVersionedSet(ourSet, "v1", true)}, "m", false)
	if err != nil {
		t.Fatal(err)
	}
	ourManagers["m"].Set().Iterate(func(p fieldpath.Path) {
		if key := p[1].Key; key != nil && numberIn((*key)[0].Value.Unstructured()) != "float64" {
			t.Errorf("the number in %v is a %T", p, (*key)[0].Value.Unstructured())
		}
	})
}
