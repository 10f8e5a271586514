// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

func pathOf(t testing.TB, text string) fieldpath.Path {
	t.Helper()
	p, err := fieldpath.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// failedApply is an apply that fails with conflicts.
type failedApply struct {
	*fieldmanager.ConflictError
	request *resolve.Request
}

func conflicts(t *testing.T, m *fieldmanager.FieldManager, live map[string]any, manager, config string) failedApply {
	t.Helper()
	return failedApply{objects.ConflictsOf(t, m, live, manager, config), resolve.New(m, live, objects.Object(t, config), manager)}
}

// outcome returns the outcome of one choice for all conflicts.
func (c failedApply) outcome(choice resolve.Choice) (*resolve.Outcome, error) {
	return c.request.Apply(all(choice))
}

func all(choice resolve.Choice) resolve.Choices { return resolve.Choices{}.Rest(choice) }

func specJSON(config map[string]any) string { return objects.AsJSON(config["spec"]) }

// TestYieldAndShare checks that removing a field from a config leaves no empty containers
// that the applier would newly own. Nothing else may be removed.
func TestYieldAndShare(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	for _, tc := range []struct{ name, live, config, yielded, shared string }{
		{"a scalar", `"replicas":2,"type":"NodePort"`, `"replicas":3,"type":"NodePort"`,
			`{"type":"NodePort"}`, `{"replicas":2,"type":"NodePort"}`},
		{"all there is", `"replicas":2`, `"replicas":3`, `null`, `{"replicas":2}`},
		{"an item keeps its keys", `"ports":[{"port":80,"name":"a"}]`, `"ports":[{"port":80,"protocol":"TCP","name":"b"}]`,
			`{"ports":[{"port":80,"protocol":"TCP"}]}`, `{"ports":[{"name":"a","port":80,"protocol":"TCP"}]}`},
		{"only the item with the same keys", `"ports":[{"port":80,"name":"a"}]`,
			`"ports":[{"port":80,"protocol":"UDP","name":"b"},{"port":80,"name":"b","targetPort":1},{"port":81}]`,
			`{"ports":[{"name":"b","port":80,"protocol":"UDP"},{"port":80,"targetPort":1},{"port":81}]}`,
			`{"ports":[{"name":"b","port":80,"protocol":"UDP"},{"name":"a","port":80,"targetPort":1},{"port":81}]}`},
		{"an atomic map goes as one", `"selector":{"a":"b"},"type":"NodePort"`, `"selector":{"a":"c","d":"e"},"replicas":1`,
			`{"replicas":1}`, `{"replicas":1,"selector":{"a":"b"}}`},
		{"several", `"replicas":2,"type":"NodePort","ports":[{"port":80,"name":"a"}]`, `"replicas":3,"type":"x","ports":[{"port":80,"name":"b"}]`,
			`{"ports":[{"port":80}]}`, `{"ports":[{"name":"a","port":80}],"replicas":2,"type":"NodePort"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			live := objects.Apply(t, m, nil, "argocd", tc.live).Object
			e := conflicts(t, m, live, "helm", tc.config)
			for choice, want := range map[resolve.Choice]string{resolve.Yield: tc.yielded, resolve.Share: tc.shared} {
				got, err := e.outcome(choice)
				if err != nil {
					t.Fatal(err)
				}
				if specJSON(got.Config) != want {
					t.Errorf("%v: got %s", choice, specJSON(got.Config))
				}
				if len(got.Resolutions) != len(e.Conflicts) || got.Resolutions[0].Choice != choice {
					t.Errorf("%v: resolved %v", choice, got.Resolutions)
				}
			}
		})
	}
}

// TestYieldOfBareItem checks an item of which only keys remain, all with their default
// values. The config must contain these keys.
func TestYieldOfBareItem(t *testing.T) {
	p, err := typed.NewParser(typed.YAMLObject(strings.Replace(objects.ServiceSchema, "keys: [port, protocol]", "keys: [protocol]", 1)))
	if err != nil {
		t.Fatal(err)
	}
	m := objects.NewManager(t, fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return p.Type("Service"), nil }})
	live := objects.Apply(t, m, nil, "argocd", `"ports":[{"name":"a"},{"name":"a","protocol":"UDP"}]`).Object
	e := conflicts(t, m, live, "helm", `"ports":[{"name":"b"},{"name":"b","protocol":"UDP"}]`)
	got, err := e.outcome(resolve.Yield)
	if err != nil || specJSON(got.Config) != `{"ports":[{"protocol":"TCP"},{"protocol":"UDP"}]}` ||
		specJSON(got.Result.Object) != `{"ports":[{"name":"a","protocol":"TCP"},{"name":"a","protocol":"UDP"}]}` {
		t.Errorf("got %s, %s, %v", specJSON(got.Config), specJSON(got.Result.Object), err)
	}
}

// TestYieldOfItemWithList checks that the keys of an item are not written if the item has any
// other value. An empty list does not count as a value.
func TestYieldOfItemWithList(t *testing.T) {
	p, err := typed.NewParser(typed.YAMLObject(strings.NewReplacer("keys: [port, protocol]", "keys: [protocol]",
		"{name: targetPort, type: {scalar: numeric}}", "{name: args, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}}}").Replace(objects.ServiceSchema)))
	if err != nil {
		t.Fatal(err)
	}
	m := objects.NewManager(t, fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return p.Type("Service"), nil }})
	live := objects.Apply(t, m, nil, "argocd", `"ports":[{"name":"a"}]`).Object
	for config, want := range map[string]string{
		`"ports":[{"name":"b","args":["x"]}]`: `{"ports":[{"args":["x"]}]}`,
		`"ports":[{"name":"b","args":[]}]`:    `{"ports":[{"args":[],"protocol":"TCP"}]}`,
	} {
		got, err := conflicts(t, m, live, "helm", config).outcome(resolve.Yield)
		if err != nil || specJSON(got.Config) != want {
			t.Errorf("%s: got %s, %v", config, specJSON(got.Config), err)
		}
	}
}

// TestShareOfAtomicItem checks that sharing an atomic item copies the live item. Share
// must not add keys that the live item does not have.
func TestShareOfAtomicItem(t *testing.T) {
	p, err := typed.NewParser(typed.YAMLObject(strings.NewReplacer("keys: [port, protocol]", "keys: [protocol]",
		"- name: Port\n  map:\n", "- name: Port\n  map:\n    elementRelationship: atomic\n",
		"{name: targetPort, type: {scalar: numeric}}", "{name: args, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}}}").Replace(objects.ServiceSchema)))
	if err != nil {
		t.Fatal(err)
	}
	m := objects.NewManager(t, fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return p.Type("Service"), nil }})
	live := objects.Apply(t, m, nil, "argocd", `"ports":[{"args":[]}]`).Object
	got, err := conflicts(t, m, live, "helm", `"ports":[{"args":["x"]}]`).outcome(resolve.Share)
	if err != nil || specJSON(got.Config) != `{"ports":[{"args":[]}]}` {
		t.Errorf("got %s, %v", specJSON(got.Config), err)
	}
}

// TestYieldOfKey yields a key that the live item does not have. If the key has its default
// value, the key must be removed from the config. If the item of the config then has no fields,
// the item must be removed, too.
func TestYieldOfKey(t *testing.T) {
	p, err := typed.NewParser(typed.YAMLObject(strings.Replace(objects.ServiceSchema, "keys: [port, protocol]", "keys: [protocol]", 1)))
	if err != nil {
		t.Fatal(err)
	}
	m := objects.NewManager(t, fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return p.Type("Service"), nil }})
	live := objects.Apply(t, m, nil, "argocd", `"ports":[{"name":"a","protocol":"TCP"}]`).Object
	delete(objects.SpecOf(live)["ports"].([]any)[0].(map[string]any), "protocol") // as if a webhook removed it
	for config, want := range map[string]string{
		`"replicas":1,"ports":[{"port":80,"protocol":"TCP"}]`: `{"ports":[{"port":80}],"replicas":1}`,
		`"replicas":1,"ports":[{"protocol":"TCP"}]`:           `{"replicas":1}`,
	} {
		e := conflicts(t, m, live, "helm", config)
		got, err := e.outcome(resolve.Yield)
		if err != nil || specJSON(got.Config) != want {
			t.Errorf("%s: got %s, %v", config, specJSON(got.Config), err)
		}
	}
}

// TestChoicesByPath checks that a choice for a path covers all paths below it, and that the
// longest path wins.
func TestChoicesByPath(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, m, nil, "argocd", `"replicas":2,"type":"NodePort","ports":[{"port":80,"name":"a"},{"port":81,"name":"a"}]`).Object
	config := objects.Object(t, `"replicas":3,"type":"x","ports":[{"port":80,"name":"b"},{"port":81,"name":"b"}]`)
	paths := func(texts ...string) (all []fieldpath.Path) {
		for _, text := range texts {
			all = append(all, pathOf(t, text))
		}
		return all
	}
	const kept = `{"ports":[{"name":"a","port":80},{"name":"a","port":81}],"replicas":2,"type":"NodePort"}`
	const p80, p81 = `.spec.ports[port=80,protocol="TCP"]`, `.spec.ports[port=81,protocol="TCP"]`
	for _, tc := range []struct {
		name    string
		choices resolve.Choices
		left    []string
		spec    string // the spec after all remaining conflicts are yielded, if conflicts remain
	}{
		{name: "nothing chosen", left: []string{".spec.replicas", ".spec.type", p80 + ".name", p81 + ".name"}, spec: kept},
		{name: "a part", choices: resolve.Choices{Force: paths(".spec.ports"), Yield: paths(".spec.type")}, left: []string{".spec.replicas"},
			spec: `{"ports":[{"name":"b","port":80},{"name":"b","port":81}],"replicas":2,"type":"NodePort"}`},
		{name: "an item", choices: resolve.Choices{Force: paths(p80, ".spec.type"), Yield: paths(".spec.replicas")}, left: []string{p81 + ".name"},
			spec: `{"ports":[{"name":"b","port":80},{"name":"a","port":81}],"replicas":2,"type":"x"}`},
		{name: "the longest path wins", choices: resolve.Choices{Force: paths(".spec"), Yield: paths(".spec.ports"), Share: paths(p81)},
			spec: `{"ports":[{"name":"a","port":80},{"name":"a","port":81}],"replicas":3,"type":"x"}`},
		{name: "paths before choice", choices: resolve.Choices{Force: paths(".spec.type"),
			Choose: func(c *fieldmanager.Conflict) resolve.Choice { return resolve.Yield }},
			spec: `{"ports":[{"name":"a","port":80},{"name":"a","port":81}],"replicas":2,"type":"x"}`},
		{name: "equal paths", choices: resolve.Choices{Force: paths(".spec"), Share: paths(".spec"), Yield: paths(".spec")},
			spec: kept},
		{name: "beside", choices: resolve.Choices{Force: paths(".spec.replicas.x", ".metadata", ".spec.rep")},
			left: []string{".spec.replicas", ".spec.type", p80 + ".name", p81 + ".name"}, spec: kept},
	} {
		t.Run(tc.name, func(t *testing.T) {
			request := resolve.New(m, live, config, "helm")
			got, err := request.Apply(tc.choices)
			var e *fieldmanager.ConflictError
			if errors.As(err, &e) != (tc.left != nil) {
				t.Fatalf("got %v", err)
			}
			if tc.left == nil {
				if specJSON(got.Result.Object) != tc.spec {
					t.Errorf("got %s", specJSON(got.Result.Object))
				}
				return
			}
			var left []string
			for _, c := range e.Conflicts {
				left = append(left, c.Path.String())
			}
			slices.Sort(left)
			slices.Sort(tc.left)
			if !slices.Equal(left, tc.left) {
				t.Errorf("left %q", left)
			}
			// Rest must keep the choices made so far.
			rest, err := request.Apply(tc.choices.Rest(resolve.Yield))
			if err != nil || specJSON(rest.Result.Object) != tc.spec {
				t.Errorf("the rest: %v, %v", specJSON(rest.Result.Object), err)
			}
		})
	}
}

// TestResolveAcrossVersions checks conflicts whose path is in the owner's version. In the
// config, the field may have another name.
func TestResolveAcrossVersions(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Converter: moving})
	live := objects.Apply(t, m, nil, "old", `{"apiVersion":"v1beta1","kind":"Service","metadata":{"name":"web"},"status":{"phase":"NodePort"}}`).Object
	e := conflicts(t, m, live, "new", `"type":"x","replicas":1`)
	if got := e.Conflicts[0].Path.String(); got != ".status.phase" {
		t.Fatalf("got %s", got)
	}
	for choice, want := range map[resolve.Choice]string{
		resolve.Yield: `{"replicas":1}`, resolve.Share: `{"replicas":1,"type":"NodePort"}`, resolve.Force: `{"replicas":1,"type":"x"}`,
	} {
		got, err := e.outcome(choice)
		if err != nil || specJSON(got.Config) != want {
			t.Errorf("%v: got %s, %v", choice, specJSON(got.Config), err)
		}
	}
}

// TestOrderOfRemainingConflicts checks that remaining conflicts are in the usual order of a
// ConflictError, even if a conflict appeared only after another conflict was resolved. In
// this test, the conversion of replicas depends on type.
func TestOrderOfRemainingConflicts(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Converter: func(object map[string]any, apiVersion string) (map[string]any, error) {
		converted, err := fieldmanager.NoneConverter(object, apiVersion)
		spec := maps.Clone(converted["spec"].(map[string]any))
		converted["spec"] = spec
		if n, ok := spec["replicas"].(int64); ok && spec["type"] == "x" {
			if spec["replicas"] = n + 10; apiVersion == "v1" {
				spec["replicas"] = n - 10
			}
		}
		return converted, err
	}})
	live := objects.Apply(t, m, nil, "old", `{"apiVersion":"v1beta1","kind":"Service","metadata":{"name":"web"},"spec":{"replicas":12,"selector":{"a":"b"},"type":"NodePort","ports":[{"port":80,"name":"a"}]}}`).Object
	config := objects.Object(t, `"replicas":2,"selector":{"a":"c"},"type":"x","ports":[{"port":80,"name":"b"}]`)
	const conflicts = "Apply failed with 3 conflicts: conflicts with \"old\":\n- .spec.%s\n- .spec.%s\n- .spec.ports[port=80,protocol=\"TCP\"].name"
	if _, err := m.Apply(live, config, "new", false); err == nil || err.Error() != fmt.Sprintf(conflicts, "selector", "type") {
		t.Fatalf("got %v", err)
	}
	got, err := resolve.New(m, live, config, "new").Apply(resolve.Choices{Yield: pathsOf(t, ".spec.type")})
	if err == nil || err.Error() != fmt.Sprintf(conflicts, "replicas", "selector") {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestShareAcrossVersions checks that Share applies the live value, converted to the version
// of the config.
func TestShareAcrossVersions(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Converter: objects.Renaming})
	live := objects.Apply(t, m, nil, "old", `{"apiVersion":"v1beta1","kind":"Service","metadata":{"name":"web"},"spec":{"replicas":20,"ports":[{"port":80,"name":"a"}]}}`).Object
	e := conflicts(t, m, live, "new", `"replicas":3,"type":"x","ports":[{"port":80,"name":"b"}]`)
	if len(e.Conflicts) != 2 || e.Conflicts[0].APIVersion != "v1beta1" {
		t.Fatalf("got %v", e)
	}
	for choice, want := range map[resolve.Choice]string{
		resolve.Yield: `{"ports":[{"port":80}],"type":"x"}`,
		resolve.Share: `{"ports":[{"name":"a","port":80}],"replicas":2,"type":"x"}`,
	} {
		got, err := e.outcome(choice)
		if err != nil || specJSON(got.Config) != want {
			t.Errorf("%v: got %s, %v", choice, specJSON(got.Config), err)
		}
	}
}

// moving converts between v1 and v1beta1. In v1beta1, the field spec.type is status.phase.
func moving(object map[string]any, apiVersion string) (map[string]any, error) {
	converted, err := fieldmanager.NoneConverter(object, apiVersion)
	if err != nil {
		return nil, err
	}
	move := func(from, name, to, as string) {
		source, _ := converted[from].(map[string]any)
		v, ok := source[name]
		if !ok {
			return
		}
		source = maps.Clone(source)
		delete(source, name)
		if converted[from] = source; len(source) == 0 {
			delete(converted, from)
		}
		target, _ := converted[to].(map[string]any)
		if target = maps.Clone(target); target == nil {
			target = map[string]any{}
		}
		target[as] = v
		converted[to] = target
	}
	if apiVersion == "v1" {
		move("status", "phase", "spec", "type")
	} else {
		move("spec", "type", "status", "phase")
	}
	return converted, nil
}

// TestResolveImmutable checks that Force cannot change an immutable field. Yield and Share
// must still resolve the conflict.
func TestResolveImmutable(t *testing.T) {
	p, err := typed.NewParser(typed.YAMLObject(strings.Replace(objects.ServiceSchema,
		"{name: replicas, type: {scalar: numeric}}", "{name: replicas, type: {scalar: numeric, transition: immutable}}", 1)))
	if err != nil {
		t.Fatal(err)
	}
	m := objects.NewManager(t, fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return p.Type("Service"), nil }, CheckTransitions: true})
	live := objects.Apply(t, m, nil, "argocd", `"replicas":2,"type":"NodePort"`).Object
	e := conflicts(t, m, live, "helm", `"replicas":3,"type":"x"`)
	var immutable *fieldmanager.ImmutableError
	got, err := e.outcome(resolve.Force)
	if !errors.As(err, &immutable) || got == nil || got.Result != nil || immutable.Fields[0].Path.String() != ".spec.replicas" {
		t.Errorf("force: got %v, %v", got, err)
	}
	_, err = resolve.New(m, live, objects.Object(t, `"replicas":3,"type":"x"`), "helm").Apply(resolve.Choices{Force: []fieldpath.Path{pathOf(t, ".spec.replicas"), pathOf(t, ".spec.type")}})
	if !errors.As(err, &immutable) {
		t.Errorf("force of both: got %v", err)
	}
	got, err = resolve.New(m, live, objects.Object(t, `"replicas":3,"type":"x"`), "helm").Apply(resolve.Choices{
		Force: []fieldpath.Path{pathOf(t, ".spec.type")}, Share: []fieldpath.Path{pathOf(t, ".spec.replicas")}})
	if err != nil || specJSON(got.Result.Object) != `{"replicas":2,"type":"x"}` {
		t.Errorf("force one, share the other: got %v", err)
	}
	for _, choice := range []resolve.Choice{resolve.Yield, resolve.Share} {
		if _, err := e.outcome(choice); err != nil {
			t.Errorf("%v: %v", choice, err)
		}
	}
}

// TestShareOfNothing checks a field that was removed from the live object but still has an
// owner. There is no value to share.
func TestShareOfNothing(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, m, nil, "argocd", `"replicas":2`).Object
	delete(objects.SpecOf(live), "replicas") // as if a webhook removed it
	e := conflicts(t, m, live, "helm", `"replicas":3,"type":"x"`)
	if e.Conflicts[0].HasLive {
		t.Fatalf("got %+v", e.Conflicts[0])
	}
	got, err := e.outcome(resolve.Share)
	if err != nil || specJSON(got.Config) != `{"type":"x"}` || got.Resolutions[0].Choice != resolve.Yield {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestResolveOtherErrors(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	if got, err := resolve.New(m, nil, objects.Object(t, `"replicas":3`), "").Apply(resolve.Choices{}); err == nil || got != nil {
		t.Errorf("no manager: got %v, %v", got, err)
	}
	got, err := resolve.New(m, nil, objects.Object(t, `"replicas":3`), "helm").Apply(resolve.Choices{})
	if err != nil || !got.Result.Changed || len(got.Resolutions) != 0 {
		t.Errorf("no conflict: got %v, %v", got, err)
	}
	if got := resolve.Choice(7).String() + resolve.Share.String(); got != "choice 7share" {
		t.Errorf("got %s", got)
	}
}

// TestResolveLastApplied checks fields that kubectl's client-side apply has set. They
// must not conflict with an apply by kubectl. Only other conflicts need a choice.
func TestResolveLastApplied(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	created := objects.Object(t, `"replicas":1,"type":"NodePort"`)
	created["metadata"].(map[string]any)["annotations"] = map[string]any{
		fieldmanager.LastAppliedAnnotation: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"replicas":1}}`}
	r, err := m.Update(nil, created, "kubectl-client-side-apply")
	if err != nil {
		t.Fatal(err)
	}
	e := conflicts(t, m, r.Object, "kubectl", `"replicas":2,"type":"x"`)
	if len(e.Conflicts) != 1 || e.Conflicts[0].Path.String() != ".spec.type" {
		t.Fatalf("got %v", e)
	}
	for choice, want := range map[resolve.Choice]string{
		resolve.Force: `{"replicas":2,"type":"x"}`, resolve.Yield: `{"replicas":2,"type":"NodePort"}`, resolve.Share: `{"replicas":2,"type":"NodePort"}`,
	} {
		got, err := e.outcome(choice)
		if err != nil || specJSON(got.Result.Object) != want || len(got.Resolutions) != 1 {
			t.Errorf("%v: got %+v, %v", choice, got, err)
		}
	}
}

// TestResolveSubresource checks that a manager has a separate entry for each subresource.
func TestResolveSubresource(t *testing.T) {
	main := objects.NewManager(t, fieldmanager.Options{})
	status := objects.NewManager(t, fieldmanager.Options{Subresource: "status", ResetFields: map[fieldpath.APIVersion]*fieldpath.Set{
		"v1": fieldpath.NewSet(fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata"))}})
	live := objects.Apply(t, main, nil, "web", `"replicas":1`).Object
	r, err := status.Apply(live, objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"status":{"phase":"a"}}`), "one", false)
	if err != nil {
		t.Fatal(err)
	}
	e := conflicts(t, status, r.Object, "two", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"replicas":9},"status":{"phase":"b"}}`)
	if len(e.Conflicts) != 1 || e.Conflicts[0].Subresource != "status" {
		t.Fatalf("got %v", e)
	}
	got, err := e.outcome(resolve.Share)
	if err != nil || objects.AsJSON(got.Config["status"]) != `{"phase":"a"}` || specJSON(got.Result.Object) != `{"replicas":1}` {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, e := range got.Result.Managed.Entries() {
		if e.Manager == "two" && (e.Subresource != "status" || !e.Set.Has(pathOf(t, ".status.phase"))) {
			t.Errorf("got %v: %v", e.Owner, e.Set)
		}
	}
}
