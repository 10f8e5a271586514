// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"errors"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const declarative = `declarativeDefaults: true
types:
- name: spec
  map:
    fields:
    - {name: replicas, type: {scalar: numeric}, default: 1}
    - {name: keep, type: {scalar: string}}
    - name: ports
      type: {list: {elementRelationship: associative, keys: [containerPort, protocol], elementType: {namedType: port}}}
    - name: st
      type: {nullable: true, map: {fields: [{name: value, type: {scalar: numeric}}]}}
    - name: nn
      type: {map: {fields: [{name: value, type: {scalar: numeric}}]}}
    - {name: def, type: {scalar: string}, default: d}
    - {name: ndef, type: {scalar: string, nullable: true}, default: d}
    - {name: plain, type: {scalar: string}}
    - name: m
      type: {map: {elementType: {scalar: string}}}
    - name: tags
      type: {list: {elementRelationship: associative, elementType: {scalar: string}}}
    - name: ref
      type:
        map:
          elementRelationship: atomic
          fields:
          - {name: fieldPath, type: {scalar: string}}
          - {name: apiVersion, type: {scalar: string}, default: v1}
    - name: routes
      type: {list: {elementRelationship: associative, keys: [host, scheme], elementType: {namedType: route}}}
    - name: parentRefs
      type: {list: {elementRelationship: atomic, elementType: {namedType: parent}}}
- name: port
  map:
    fields:
    - {name: containerPort, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
    - {name: name, type: {scalar: string}}
- name: route
  map:
    fields:
    - {name: host, type: {scalar: string}}
    - {name: scheme, type: {namedType: scheme}}
- {name: scheme, scalar: string, default: https}
- name: parent
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: kind, type: {scalar: string}, default: Gateway}
- name: app
  map:
    fields:
    - {name: spec, type: {namedType: spec}}
`

// history is an object with its managers, in the form in which a server stores it.
type history struct {
	t        *testing.T
	parser   *typed.Parser
	live     *typed.TypedValue
	managers fieldpath.ManagedFields
	noop     bool
}

func newHistory(t *testing.T) *history {
	parser, err := typed.NewParser(declarative)
	if err != nil {
		t.Fatal(err)
	}
	h := &history{t: t, parser: parser, managers: fieldpath.ManagedFields{}}
	h.live = h.object("{}")
	return h
}

func (h *history) object(spec string) *typed.TypedValue {
	h.t.Helper()
	tv, err := h.parser.Type("app").FromYAML(typed.YAMLObject(spec))
	if err != nil {
		h.t.Fatal(err)
	}
	return tv
}

func (h *history) apply(manager, object string) error {
	h.t.Helper()
	u := &merge.Updater{Converter: oneVersion{}}
	out, managers, err := u.Apply(h.live, h.object(object), "v1", h.managers, manager, false)
	if err != nil {
		return err
	}
	h.noop = out == nil
	if out != nil {
		h.live = out
	}
	h.managers = managers
	return nil
}

func (h *history) mustApply(manager, object string) {
	h.t.Helper()
	if err := h.apply(manager, object); err != nil {
		h.t.Fatalf("apply %s %s: %v", manager, object, err)
	}
}

// store replaces the live object without changing managers, as a server does when it fills in
// defaults.
func (h *history) store(object string) { h.live = h.object(object) }

func (h *history) want(object string) {
	h.t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(object), &v); err != nil {
		h.t.Fatal(err)
	}
	if !value.Equals(h.live.AsValue(), value.NewValueInterface(v)) {
		h.t.Errorf("live is %s, want %s", value.ToString(h.live.AsValue()), object)
	}
}

func (h *history) owns(manager string, paths ...string) {
	h.t.Helper()
	var got []string
	if m, ok := h.managers[manager]; ok {
		m.Set().Iterate(func(p fieldpath.Path) { got = append(got, p.String()) })
	}
	if strings.Join(got, " ") != strings.Join(paths, " ") {
		h.t.Errorf("%s owns %q, want %q", manager, got, paths)
	}
}

func TestNullKeyIsMissingKey(t *testing.T) {
	h := newHistory(t)
	h.mustApply("a", `{spec: {ports: [{containerPort: 80, protocol: null}]}}`)
	h.store(`{spec: {ports: [{containerPort: 80, protocol: TCP}]}}`)
	h.mustApply("a", `{spec: {ports: [{containerPort: 80, protocol: null}]}}`)
	h.want(`{spec: {ports: [{containerPort: 80, protocol: TCP}]}}`)
	if !h.noop {
		t.Error("the second apply changed something")
	}
	h.owns("a", `.spec.ports[containerPort=80,protocol="TCP"]`,
		`.spec.ports[containerPort=80,protocol="TCP"].containerPort`, `.spec.ports[containerPort=80,protocol="TCP"].protocol`)
}

// TestMissingKeyHasDefaultOfItsType checks that a missing key gets the default of its type
// if the key itself has no default.
func TestMissingKeyHasDefaultOfItsType(t *testing.T) {
	h := newHistory(t)
	h.mustApply("a", `{spec: {routes: [{host: x}]}}`)
	h.store(`{spec: {routes: [{host: x, scheme: https}]}}`)
	for _, config := range []string{`{spec: {routes: [{host: x}]}}`, `{spec: {routes: [{host: x, scheme: null}]}}`, `{spec: {routes: [{host: x, scheme: https}]}}`} {
		h.mustApply("a", config)
		h.want(`{spec: {routes: [{host: x, scheme: https}]}}`)
	}
}

// TestKeysThatAreStoredInAnotherForm checks that a schema with declarative defaults is
// rejected if the stored value of a list key could differ from the applied value. With such a
// key, applying a config again would add another item.
func TestKeysThatAreStoredInAnotherForm(t *testing.T) {
	for _, item := range []string{
		`{fields: [{name: k, type: {map: {fields: [{name: a, type: {scalar: string}}, {name: b, type: {scalar: string}}]}}}]}`,
		`{fields: [{name: k, type: {map: {elementRelationship: atomic, fields: [{name: a, type: {scalar: string}, default: d}]}}}]}`,
		`{fields: [{name: k, type: {list: {elementRelationship: atomic, elementType: {map: {fields: [{name: a, type: {scalar: string}}]}}}}}]}`,
		`{elementType: {scalar: string}, elementDefault: d}`,
	} {
		_, err := typed.NewParser(typed.YAMLObject(`declarativeDefaults: true
types:
- {name: root, map: {fields: [{name: l, type: {list: {elementRelationship: associative, keys: [k], elementType: {map: ` + item + `}}}}]}}
`))
		if err == nil || !strings.Contains(err.Error(), `type "root", .l: key "k" `) {
			t.Errorf("items %s: got %v", item, err)
		}
	}
}

func TestNullsOfTwoManagersDoNotConflict(t *testing.T) {
	h := newHistory(t)
	h.mustApply("a", `{spec: {def: null, ndef: null, plain: null}}`)
	h.store(`{spec: {def: d, ndef: null}}`)
	h.mustApply("b", `{spec: {def: null, ndef: null, plain: null}}`)
	h.want(`{spec: {def: d, ndef: null}}`)
	h.mustApply("b", `{spec: {def: d}}`)
	err := h.apply("b", `{spec: {def: e}}`)
	var conflicts merge.Conflicts
	if !errors.As(err, &conflicts) || len(conflicts) != 1 || conflicts[0].Path.String() != ".spec.def" {
		t.Errorf("got %v, want a conflict on .spec.def", err)
	}
}

// TestNullInEmptyContainer checks that a manager owns a container in which it applies only a
// null, as if it applied the container as empty. Other nulls in the config make no difference.
func TestNullInEmptyContainer(t *testing.T) {
	for _, plain := range []string{"", ", plain: null"} {
		h := newHistory(t)
		h.mustApply("b", `{spec: {plain: x}}`)
		h.mustApply("a", `{spec: {nn: {value: null}`+plain+`}}`)
		h.want(`{spec: {plain: x, nn: {}}}`)
		h.owns("a", ".spec.nn", ".spec.nn.value")
	}
}

func TestDefaultsInAtomicsAreEquivalent(t *testing.T) {
	h := newHistory(t)
	const config = `{spec: {ref: {fieldPath: status.podIP}, parentRefs: [{name: gw}]}}`
	h.mustApply("a", config)
	h.store(`{spec: {ref: {fieldPath: status.podIP, apiVersion: v1}, parentRefs: [{name: gw, kind: Gateway}]}}`)
	h.mustApply("b", config)
	if !h.noop {
		t.Error("the second manager's apply changed something")
	}
	h.want(`{spec: {ref: {fieldPath: status.podIP, apiVersion: v1}, parentRefs: [{name: gw, kind: Gateway}]}}`)
	h.owns("a", ".spec.parentRefs", ".spec.ref")
	h.owns("b", ".spec.parentRefs", ".spec.ref")
	if err := h.apply("b", `{spec: {ref: {fieldPath: status.podIP, apiVersion: v2}}}`); err == nil {
		t.Error("changing a defaulted field is not a conflict")
	}
}

// TestEmptiedContainersAreNullEmptyOrAbsent checks containers that lose all their entries.
// Each release of structured-merge-diff handles some of these cases incorrectly.
func TestEmptiedContainersAreNullEmptyOrAbsent(t *testing.T) {
	t.Run("applied null, nullable", func(t *testing.T) {
		h := newHistory(t)
		h.mustApply("a", `{spec: {keep: k, st: {value: 1}}}`)
		h.mustApply("a", `{spec: {keep: k, st: null}}`)
		h.want(`{spec: {keep: k, st: null}}`)
		h.mustApply("a", `{spec: {keep: k}}`)
		h.want(`{spec: {keep: k}}`)
	})
	t.Run("applied null, not nullable", func(t *testing.T) {
		h := newHistory(t)
		h.mustApply("a", `{spec: {keep: k, nn: {value: 1}}}`)
		h.mustApply("a", `{spec: {keep: k, nn: null}}`)
		h.want(`{spec: {keep: k}}`)
	})
	t.Run("applied empty", func(t *testing.T) {
		h := newHistory(t)
		h.mustApply("a", `{spec: {replicas: 5}}`)
		h.mustApply("a", `{spec: {}}`)
		h.want(`{spec: {}}`)
	})
	t.Run("not applied", func(t *testing.T) {
		h := newHistory(t)
		h.mustApply("a", `{spec: {keep: k, nn: {value: 1}}}`)
		h.mustApply("a", `{spec: {keep: k}}`)
		h.want(`{spec: {keep: k}}`)
	})
}

func TestEmptyCollectionsHaveNoHistory(t *testing.T) {
	const empty = `{spec: {keep: k, ports: [], tags: [], m: {}}}`
	for _, before := range []string{
		empty,
		`{spec: {keep: k, ports: [{containerPort: 80}], tags: [z], m: {q: z}}}`,
	} {
		h := newHistory(t)
		h.mustApply("a", before)
		h.mustApply("a", empty)
		h.want(empty)
		h.owns("a", ".spec.keep", ".spec.m", ".spec.ports", ".spec.tags")
		h.mustApply("a", empty)
		if !h.noop {
			t.Error("applying again changed something")
		}
	}
}

// TestStoredKeysTakeTheDefault checks field sets that were stored before a key had a default.
// They must still identify the same item.
func TestStoredKeysTakeTheDefault(t *testing.T) {
	h := newHistory(t)
	h.store(`{spec: {ports: [{containerPort: 80, protocol: TCP, name: web}]}}`)
	set := &fieldpath.Set{}
	if err := set.FromJSON(strings.NewReader(`{"f:spec":{"f:ports":{"k:{\"containerPort\":80}":{".":{},"f:containerPort":{},"f:name":{}}}}}`)); err != nil {
		t.Fatal(err)
	}
	h.managers["a"] = fieldpath.NewVersionedSet(set, "v1", true)
	h.mustApply("a", `{spec: {ports: [{containerPort: 80}]}}`)
	h.want(`{spec: {ports: [{containerPort: 80, protocol: TCP}]}}`)
}

func TestDuplicateItemsAreExplained(t *testing.T) {
	h := newHistory(t)
	_, err := h.parser.Type("app").FromYAML(`{spec: {ports: [{containerPort: 53}, {containerPort: 53, protocol: TCP}]}}`)
	if err == nil || !strings.Contains(err.Error(), `items 0 and 1: {"containerPort":53} and {"containerPort":53,"protocol":"TCP"}; item 0 got protocol="TCP" from the schema default`) {
		t.Errorf("got %v", err)
	}
}
