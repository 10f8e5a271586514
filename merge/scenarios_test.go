// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

const histories = `
types:
- name: App
  map:
    fields:
    - {name: text, type: {scalar: string}}
    - {name: number, type: {scalar: numeric}, default: 1}
    - {name: nullable, type: {scalar: string, nullable: true}, default: d}
    - {name: struct, type: {namedType: Struct}}
    - {name: nullableStruct, type: {namedType: Struct, nullable: true}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: structs, type: {map: {elementType: {namedType: Struct}}}}
    - {name: set, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
    - {name: args, type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}}
    - name: ref
      type:
        map:
          elementRelationship: atomic
          fields:
          - {name: path, type: {scalar: string}}
          - {name: version, type: {scalar: string}, default: v1}
    - name: ports
      type: {list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: Port}}}
- name: Struct
  map:
    fields:
    - {name: value, type: {scalar: numeric}, default: 7}
    - {name: other, type: {scalar: string}}
    - {name: struct, type: {namedType: Struct}}
- name: Port
  map:
    fields:
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
    - {name: name, type: {scalar: string}}
    - {name: struct, type: {namedType: Struct}}
`

// choices has the possible values of each field of a configuration. A configuration may also
// omit the field.
var choices = [][]string{
	{"text: a", "text: b"},
	{"number: 1", "number: 2", "number: 1.0"},
	{"nullable: null", "nullable: d", "nullable: a"},
	{"struct: {}", "struct: {value: 7}", "struct: {value: 1}", "struct: {other: x, struct: {value: 2}}", "struct: {struct: {}}"},
	{"nullableStruct: null", "nullableStruct: {}", "nullableStruct: {value: 1}"},
	{"labels: {}", "labels: {a: x}", "labels: {a: z, b: x}"},
	{"structs: {}", "structs: {a: {}}", "structs: {a: {value: 1}, b: {struct: {}}}"},
	{"set: []", "set: [a]", "set: [b, a]", "set: [c]"},
	{"args: []", "args: [a]", "args: [a, b]"},
	{"ref: {}", "ref: {path: a}", "ref: {path: a, version: v1}", "ref: {path: b, version: v2}"},
	{"ports: []", "ports: [{port: 80}]", "ports: [{port: 80, protocol: TCP, name: a}]", "ports: [{port: 80, protocol: UDP}, {port: 80, name: b}]", "ports: [{port: 81, struct: {value: 1}}, {port: 80}]", "ports: [{port: 81, struct: {}}]"},
}

func randomConfig(r *rand.Rand) string {
	var fields []string
	for _, c := range choices {
		if r.Intn(3) == 0 {
			fields = append(fields, c[r.Intn(len(c))])
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// randomHistory is a random sequence of operations on one object. The fixture checks its
// invariants after each operation. Conflicts are allowed.
type randomHistory struct {
	state fixture.State
	log   []string
}

func newRandomHistory(t *testing.T, declarative bool, shape fixture.Shape) *randomHistory {
	t.Helper()
	h := &randomHistory{state: fixture.State{Shape: shape}}
	h.must(t, fixture.Schema{Version: "v1", Type: "App", Text: histories})
	if declarative {
		h.must(t, fixture.Gate{On: true})
	}
	return h
}

func (h *randomHistory) must(t *testing.T, op fixture.Operation) {
	t.Helper()
	if err := h.run(op); err != nil {
		t.Fatalf("%v\nafter\n%s", err, strings.Join(h.log, "\n"))
	}
}

func (h *randomHistory) run(op fixture.Operation) error {
	if _, ok := op.(fixture.Schema); !ok {
		h.log = append(h.log, fmt.Sprintf("%T%+v", op, op))
	}
	return op.Run(&h.state)
}

// outcome returns the state of the object that a client can see.
func (h *randomHistory) outcome() string {
	return fixture.FormatData(h.live()) + fixture.FormatOwners(h.state.Owners)
}

func (h *randomHistory) live() any {
	if h.state.Live == nil {
		return nil
	}
	return h.state.Live.AsValue().Unstructured()
}

func (h *randomHistory) step(t *testing.T, r *rand.Rand, applyOnly bool) {
	t.Helper()
	manager, config := string(rune('a'+r.Intn(3))), randomConfig(r)
	kind := r.Intn(6)
	if applyOnly {
		kind = r.Intn(4)
	}
	switch kind {
	case 0, 1:
		err := h.run(fixture.Apply{Manager: manager, Version: "v1", Object: config})
		if conflicts := (merge.Conflicts)(nil); err != nil && !errors.As(err, &conflicts) {
			t.Fatalf("%v\nafter\n%s", err, strings.Join(h.log, "\n"))
		} else if err == nil {
			h.checkOwned(t, manager, config)
		}
	case 2, 3:
		h.must(t, fixture.Apply{Manager: manager, Version: "v1", Object: config, Force: true})
		h.checkOwned(t, manager, config)
	case 4:
		h.must(t, fixture.Update{Manager: "u" + manager, Version: "v1", Object: config})
	case 5:
		h.must(t, fixture.ExtractApply{Manager: manager, Version: "v1", Object: config})
	}
}

// checkOwned checks that an applier owns exactly the fields in its config.
func (h *randomHistory) checkOwned(t *testing.T, manager, config string) {
	t.Helper()
	tv, err := typed.ParseableType{Schema: h.state.Live.Schema(), TypeRef: h.state.Live.TypeRef()}.FromYAML(typed.YAMLObject(config))
	if err != nil {
		t.Fatal(err)
	}
	want, err := tv.ToFieldSet()
	if err != nil {
		t.Fatal(err)
	}
	got := fieldpath.NewSet()
	if owned, ok := h.state.Owners[manager]; ok {
		got = owned.Set()
	}
	if !got.Equals(want) {
		t.Fatalf("%s owns %v, wrote %v\nafter\n%s", manager, got, want, strings.Join(h.log, "\n"))
	}
}

const rounds = 200

// TestRandomHistories runs operations in random order. The fixture checks its invariants
// after each operation. With declarative defaults, one invariant is that applying again
// changes nothing. The results must not depend on the Go type of objects.
func TestRandomHistories(t *testing.T) {
	for _, c := range []struct {
		declarative bool
		shapes      []fixture.Shape
	}{
		{false, []fixture.Shape{fixture.JSON, fixture.YAML}},
		{true, []fixture.Shape{fixture.JSON, fixture.YAML}},
	} {
		t.Run(fmt.Sprintf("declarative=%v", c.declarative), func(t *testing.T) {
			for seed := range int64(rounds) {
				outcomes := map[string]fixture.Shape{}
				for _, shape := range c.shapes {
					h := newRandomHistory(t, c.declarative, shape)
					r := rand.New(rand.NewSource(seed))
					for range 8 {
						h.step(t, r, false)
					}
					outcomes[strings.Join(h.log, "\n")+"\n"+h.outcome()] = shape
				}
				if len(outcomes) != 1 {
					t.Fatalf("outcomes differ:\n%v", outcomes)
				}
			}
		})
	}
}

// TestGivingUpEverythingLeavesNothing checks an object that was only applied. After all
// managers have given up their fields, the object must be empty. Without declarative
// defaults, nulls and empty lists remain, because nobody owns them.
func TestGivingUpEverythingLeavesNothing(t *testing.T) {
	for seed := range int64(rounds) {
		h := newRandomHistory(t, true, fixture.JSON)
		r := rand.New(rand.NewSource(seed))
		for range 8 {
			h.step(t, r, true)
		}
		for _, manager := range []string{"c", "a", "b"} {
			h.must(t, fixture.Apply{Manager: manager, Version: "v1", Object: "{}"})
		}
		left, _ := h.live().(map[string]any)
		if len(left) != 0 || len(h.state.Owners) != 0 {
			t.Fatalf("left is %s\nafter\n%s", h.outcome(), strings.Join(h.log, "\n"))
		}
	}
}

// TestOneManagerHasNoHistory checks objects that have only one manager. With declarative
// defaults, the content of such an object depends only on the last config.
//
// There are two exceptions inside atomic lists and maps. If a later config omits a
// default, the default stays. If a later config has 1.0 instead of 1, 1 stays. In both
// cases, the content is equivalent to the config.
func TestOneManagerHasNoHistory(t *testing.T) {
	same := strings.NewReplacer(", version: v1", "", "1.0", "1")
	for seed := range int64(rounds) {
		r := rand.New(rand.NewSource(seed))
		last := same.Replace(randomConfig(r))
		long, short := newRandomHistory(t, true, fixture.JSON), newRandomHistory(t, true, fixture.JSON)
		for range 3 {
			long.must(t, fixture.Apply{Manager: "a", Version: "v1", Object: same.Replace(randomConfig(r))})
		}
		long.must(t, fixture.Apply{Manager: "a", Version: "v1", Object: last})
		short.must(t, fixture.Apply{Manager: "a", Version: "v1", Object: last})
		if got, want := long.outcome(), short.outcome(); got != want {
			t.Fatalf("got\n%s\nwant\n%s\nafter\n%s", got, want, strings.Join(long.log, "\n"))
		}
	}
}
