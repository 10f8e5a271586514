// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const crateSchema = `types:
- name: crate
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: size, type: {scalar: numeric}}
    - {name: lid, type: {namedType: crate}}
    - {name: inner, type: {namedType: crate}}
    - {name: sealed, type: {namedType: seal}}
    - {name: items, type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: crate}}}}
    - {name: notes, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: raw, type: {namedType: any}}
- name: seal
  map:
    elementRelationship: atomic
    fields: [{name: name, type: {scalar: string}}, {name: size, type: {scalar: numeric}}]
- name: any
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: any}}
  map: {elementRelationship: atomic, elementType: {namedType: any}}
`

type crate struct {
	Name   string            `json:"name,omitempty"`
	Size   int64             `json:"size,omitempty"`
	Lid    lid               `json:"lid,omitzero"`
	Inner  *crate            `json:"inner,omitempty"`
	Sealed *seal             `json:"sealed,omitempty"`
	Items  []crate           `json:"items,omitempty"`
	Notes  []string          `json:"notes,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
}

type lid struct {
	Name   string            `json:"name,omitempty"`
	Size   int64             `json:"size"`
	Labels map[string]string `json:"labels,omitempty"`
	Inner  *crate            `json:"inner,omitempty"`
}

type seal struct {
	Name string `json:"name,omitempty"`
	Size int64  `json:"size,omitempty"`
}

type crates struct{ *rand.Rand }

func (r crates) coin() bool { return r.IntN(2) == 0 }

func (r crates) text() string { return string(rune('a' + r.IntN(3))) }

func (r crates) labels() map[string]string {
	m := map[string]string{}
	for range r.IntN(3) {
		m[r.text()] = r.text()
	}
	return m
}

func (r crates) crate(depth int) *crate {
	c := &crate{}
	if r.IntN(4) > 0 {
		c.Name = r.text()
	}
	if r.coin() {
		c.Size = int64(r.IntN(3))
	}
	if r.coin() {
		c.Sealed = &seal{r.text(), int64(r.IntN(2))}
	}
	for range r.IntN(3) {
		c.Notes = append(c.Notes, r.text())
	}
	if r.coin() {
		c.Labels = r.labels()
	}
	if r.coin() {
		c.Raw = json.RawMessage([]string{`{"b":{"c":[1,2.5,null]},"a":{}}`, `[]`, `"x"`, `{}`}[r.IntN(4)])
	}
	if depth == 0 {
		return c
	}
	if r.coin() {
		c.Inner = r.crate(depth - 1)
	}
	if r.coin() {
		c.Lid = lid{Name: r.text(), Size: int64(r.IntN(2)), Labels: r.labels(), Inner: r.crate(depth - 1)}
	}
	for i := range r.IntN(3) {
		item := r.crate(depth - 1)
		item.Name = string(rune('x' + i))
		c.Items = append(c.Items, *item)
	}
	return c
}

// config returns a copy of the plain data v. Some random parts are left out, changed or emptied.
func (r crates) config(v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, c := range v {
			switch r.IntN(12) {
			case 0:
				out[k] = map[string]any{}
				if k != "inner" && k != "labels" && k != "lid" {
					out[k] = nil
				}
			case 1, 2, 3:
			default:
				out[k] = r.config(c, depth+1)
			}
		}
		if depth > 0 && r.IntN(8) == 0 {
			return map[string]any{}
		}
		if name, ok := v["name"]; ok && depth > 0 {
			out["name"] = name
		}
		return out
	case []any:
		out := []any{}
		for _, c := range v {
			if r.IntN(4) == 0 {
				continue
			}
			item := r.config(c, depth+1)
			if from, ok := c.(map[string]any); ok {
				item.(map[string]any)["name"] = from["name"]
			}
			out = append(out, item)
		}
		return out
	}
	return v
}

// keeper is a Converter that returns objects unchanged and records its arguments.
type keeper struct{ saw []string }

func (k *keeper) Convert(object *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	k.saw = append(k.saw, value.ToString(object.AsValue()))
	return object, nil
}

func (*keeper) IsMissingVersionError(error) bool { return false }

// TestApplyToStructs checks that an apply to a Go struct has the same result as an apply to
// its plain data. The apply to the struct does not read all parts of the struct.
func TestApplyToStructs(t *testing.T) {
	parser, err := typed.NewParser(crateSchema)
	if err != nil {
		t.Fatal(err)
	}
	of := parser.Type("crate")
	nothing, something, conflicts, gone := 0, 0, 0, 0
	for seed := range uint64(2500) {
		r := crates{rand.New(rand.NewPCG(seed, 1))}
		live := r.crate(2)
		managers := fieldpath.ManagedFields{}
		for step := range 4 {
			before := asText(t, live)
			plain := map[string]any{}
			if err := json.Unmarshal([]byte(before), &plain); err != nil {
				t.Fatal(err)
			}
			from := any(plain)
			if r.coin() {
				if err := json.Unmarshal([]byte(asText(t, r.crate(2))), &from); err != nil {
					t.Fatal(err)
				}
			}
			config := r.config(from, 0)
			manager, force, noop := r.text(), r.IntN(3) > 0, r.IntN(4) == 0
			apply := func(live *typed.TypedValue, err error) (string, []string, fieldpath.ManagedFields, any) {
				if err != nil {
					t.Fatal(err)
				}
				applied, err := of.FromUnstructured(config)
				if err != nil {
					t.Fatalf("%d: %v: %v", seed, config, err)
				}
				k := &keeper{}
				u := (&merge.UpdaterBuilder{Converter: k, ReturnInputOnNoop: noop}).BuildUpdater()
				out, owned, err := u.Apply(live, applied, "v1", managers, manager, force)
				if err != nil {
					return err.Error(), k.saw, nil, nil
				}
				if out == nil {
					return "nothing", k.saw, owned, nil
				}
				v := out.AsValue().Unstructured()
				return value.ToString(value.NewValueInterface(v)), k.saw, owned, v
			}
			got, saw, owned, result := apply(of.FromStructured(live))
			want, shouldSee, shouldOwn, wanted := apply(of.FromUnstructured(plainOf(t, live)))
			at := fmt.Sprintf("%d, step %d: %s applies\n%v\nto\n%s", seed, step, manager, asText(t, config), before)
			if got != want || (owned == nil) != (shouldOwn == nil) || owned != nil && !owned.Equals(shouldOwn) {
				t.Fatalf("%s\ngot\n%s\n%v\nwant\n%s\n%v", at, got, owned, want, shouldOwn)
			}
			if fmt.Sprint(saw) != fmt.Sprint(shouldSee) {
				t.Fatalf("%s\nthe converter got\n%s\nwant\n%s", at, saw, shouldSee)
			}
			if after := asText(t, live); after != before {
				t.Fatalf("%s\nthe live object is now\n%s", at, after)
			}
			switch {
			case owned == nil:
				conflicts++
				continue
			case result == nil:
				nothing++
			default:
				something++
				if len(asText(t, result)) < len(before) {
					gone++
				}
				next := asText(t, wanted)
				scribble(result)
				if after := asText(t, live); after != before {
					t.Fatalf("%s\nthe result is part of the live object, which is now\n%s", at, after)
				}
				live = &crate{}
				if err := json.Unmarshal([]byte(next), live); err != nil {
					t.Fatalf("%s\n%s: %v", at, next, err)
				}
			}
			managers = owned
		}
	}
	if nothing < 250 || something < 250 || conflicts < 250 || gone < 250 {
		t.Fatalf("%d applies change nothing, %d something, %d are in conflict, %d take away: too few to test anything", nothing, something, conflicts, gone)
	}
}

// loud is a value that counts how often it is read.
type loud struct{ reads *int }

func (l loud) MarshalJSON() ([]byte, error) {
	*l.reads++
	return []byte(`"x"`), nil
}

type loudCrate struct {
	Name  string     `json:"name"`
	Raw   loud       `json:"raw"`
	Inner *loudCrate `json:"inner,omitempty"`
}

// TestApplyReadsOnlyPartsOfStructs checks an apply that changes nothing. It must read only
// those parts of a struct that the configuration also has. It must not read the managed
// fields.
func TestApplyReadsOnlyPartsOfStructs(t *testing.T) {
	parser, err := typed.NewParser(crateSchema)
	if err != nil {
		t.Fatal(err)
	}
	of := parser.Type("crate")
	config, err := of.FromUnstructured(map[string]any{"name": "a", "inner": map[string]any{"name": "b"}})
	if err != nil {
		t.Fatal(err)
	}
	managers := fieldpath.ManagedFields{}
	for range 3 {
		for _, noop := range []bool{false, true} {
			reads := 0
			live, err := of.FromStructured(&loudCrate{"a", loud{&reads}, &loudCrate{"b", loud{&reads}, nil}})
			if err != nil {
				t.Fatal(err)
			}
			reads = 0
			u := (&merge.UpdaterBuilder{Converter: oneVersion{}, ReturnInputOnNoop: noop}).BuildUpdater()
			out, owned, err := u.Apply(live, config, "v1", managers, "m", false)
			if err != nil || (out != nil) != noop {
				t.Fatalf("got %v, %v", out, err)
			}
			if !noop && reads != 0 {
				t.Errorf("%d fields are read", reads)
			}
			if noop {
				want := map[string]any{"name": "a", "raw": "x", "inner": map[string]any{"name": "b", "raw": "x"}}
				if _, got, _ := (*operand.Value)(out).Plain(); !reflect.DeepEqual(got, want) || reads != 2 {
					t.Errorf("got %v after %d reads", got, reads)
				}
			}
			managers = owned
		}
	}
}

// TestUnchangedStructIsNotModified checks an apply that changes nothing. Modifying the
// returned object must not modify the original struct.
func TestUnchangedStructIsNotModified(t *testing.T) {
	parser, err := typed.NewParser(crateSchema)
	if err != nil {
		t.Fatal(err)
	}
	of := parser.Type("crate")
	in := &crate{Name: "a", Labels: map[string]string{"k": "v"}}
	live, err := of.FromStructured(in)
	if err != nil {
		t.Fatal(err)
	}
	config, err := of.FromUnstructured(map[string]any{"name": "a"})
	if err != nil {
		t.Fatal(err)
	}
	u := (&merge.UpdaterBuilder{Converter: oneVersion{}, ReturnInputOnNoop: true}).BuildUpdater()
	out, _, err := u.Apply(live, config, "v1", nil, "m", false)
	if err != nil {
		t.Fatal(err)
	}
	out.AsValue().AsMap().Set("name", value.NewValueInterface("b"))
	labels, _ := out.AsValue().AsMap().Get("labels")
	labels.AsMap().Set("k", value.NewValueInterface("w"))
	if in.Name != "a" || in.Labels["k"] != "v" {
		t.Errorf("the struct is now %+v", in)
	}
}

// written is a struct whose marshaler returns the text json.
type written struct{ json string }

func (w *written) MarshalJSON() ([]byte, error) { return []byte(w.json), nil }

// TestApplyToStructsAsLeaves checks that an apply replaces an atomic struct as a whole. A
// struct that marshals itself as a scalar or a list must be merged as a scalar or a list.
func TestApplyToStructsAsLeaves(t *testing.T) {
	parser, err := typed.NewParser(crateSchema + `- name: text
  scalar: string
- name: set
  list: {elementRelationship: associative, elementType: {scalar: string}}
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name               string
		live, config, want any
	}{
		{"seal", &seal{"a", 1}, map[string]any{"name": "b"}, map[string]any{"name": "b"}},
		{"text", &written{`"a"`}, "b", "b"},
		{"any", &written{`["a"]`}, []any{"b"}, []any{"b"}},
		{"set", &written{`["a"]`}, []any{"b"}, []any{"a", "b"}},
	} {
		of := parser.Type(test.name)
		live, err := of.FromStructured(test.live)
		if err != nil {
			t.Fatal(err)
		}
		config, err := of.FromUnstructured(test.config)
		if err != nil {
			t.Fatal(err)
		}
		u := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()
		out, _, err := u.Apply(live, config, "v1", nil, "m", false)
		if err != nil {
			t.Fatal(err)
		}
		if got := out.AsValue().Unstructured(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// TestResultsShareNothingWithStructs modifies the result of an apply, including its atomic
// containers. This must not affect the next apply of the same Go structs as live object or
// configuration.
func TestResultsShareNothingWithStructs(t *testing.T) {
	parser, err := typed.NewParser(crateSchema)
	if err != nil {
		t.Fatal(err)
	}
	of := parser.Type("crate")
	full := func(name string) *crate {
		return &crate{Name: name, Sealed: &seal{name, 1}, Notes: []string{name}, Raw: json.RawMessage(`{"a":{"b":["c"]}}`),
			Inner: &crate{Sealed: &seal{name, 2}}, Items: []crate{{Name: name, Sealed: &seal{name, 3}}}}
	}
	object := func(in *crate, plain bool) *typed.TypedValue {
		tv, err := of.FromStructured(in)
		if plain {
			tv, err = of.FromUnstructured(plainOf(t, in))
		}
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	for _, test := range []struct {
		name                   string
		live, config           *crate
		plainLive, plainConfig bool
	}{
		{"struct over plain data", full("a"), full("b"), true, false},
		{"plain data over a struct", full("a"), &crate{Name: "b"}, false, true},
		{"struct over a struct", full("a"), &crate{Name: "b", Inner: &crate{Sealed: &seal{"b", 2}}}, false, false},
	} {
		live, config := object(test.live, test.plainLive), object(test.config, test.plainConfig)
		u := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()
		want := ""
		for i := range 4 {
			out, _, err := u.Apply(live, config, "v1", nil, "m", false)
			if err != nil {
				t.Fatal(err)
			}
			result := out.AsValue().Unstructured()
			switch got := asText(t, result); {
			case want == "":
				want = got
			case got != want:
				t.Errorf("%s, apply %d: got\n%s\nwant\n%s", test.name, i, got, want)
			}
			scribble(result)
		}
	}
}

// scribble modifies every map.
func scribble(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, c := range v {
			scribble(c)
		}
		v["scribbled"] = true
	case []any:
		for _, c := range v {
			scribble(c)
		}
	}
}

func asText(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func plainOf(t *testing.T, in any) any {
	t.Helper()
	v, err := value.NewValueReflect(in)
	if err != nil {
		t.Fatal(err)
	}
	return v.Unstructured()
}
