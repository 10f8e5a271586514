// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

const claimSchema = `
types:
- name: Claim
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {namedType: Meta}}
    - {name: spec, type: {namedType: Spec}}
    - {name: status, type: {namedType: Status}}
- name: Meta
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: uid, type: {scalar: string}}
    - {name: managedFields, type: {list: {elementType: {scalar: untyped}, elementRelationship: atomic}}}
- name: Spec
  map:
    fields:
    - {name: class, type: {scalar: string, transition: immutable}}
    - {name: once, type: {scalar: string, transition: setOnce}}
    - {name: mode, type: {scalar: string, transition: immutable}, default: fast}
    - {name: replicas, type: {scalar: numeric}}
    - {name: selector, type: {map: {elementType: {scalar: string}}, transition: immutable}}
    - {name: volumes, type: {namedType: Volumes, transition: immutableKeys}}
    - {name: disks, type: {namedType: Volumes}}
    - {name: tags, type: {list: {elementType: {scalar: string}, elementRelationship: associative}, transition: immutable}}
    - {name: steps, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}, transition: immutable}}
- name: Volumes
  list:
    elementType: {namedType: Volume}
    elementRelationship: associative
    keys: [name]
- name: Volume
  map:
    fields:
    - {name: name, type: {scalar: string, transition: immutable}}
    - {name: size, type: {scalar: string, transition: immutable}}
    - {name: note, type: {scalar: string}}
- name: Status
  map:
    fields:
    - {name: phase, type: {scalar: string, transition: immutable}}
`

func claimType(t *testing.T) typed.ParseableType {
	t.Helper()
	p, err := typed.NewParser(claimSchema)
	if err != nil {
		t.Fatal(err)
	}
	p.Schema.DeclarativeDefaults = true
	return p.Type("Claim")
}

func claims(t *testing.T, change func(*fieldmanager.Options)) *fieldmanager.FieldManager {
	t.Helper()
	typ := claimType(t)
	o := fieldmanager.Options{Types: func(apiVersion, kind string) (typed.ParseableType, error) { return typ, nil }, CheckTransitions: true}
	if change != nil {
		change(&o)
	}
	m, err := fieldmanager.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func claim(t *testing.T, spec string) map[string]any {
	t.Helper()
	return objects.ParseYAML(t, "{apiVersion: ex.io/v1, kind: Claim, metadata: {name: c}, spec: "+spec+"}")
}

// TestImmutable sends requests one after the other. Only the last one may be rejected, with
// the expected error.
func TestImmutable(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []string // each step is: apply, force or update, then a manager, then a spec
		want  string   // the error of the last step, one line for each field; empty if the step is allowed
	}{
		{
			name:  "C39 an immutable field cannot be removed and set again",
			steps: []string{"update a {class: x}", "update a {}"},
			want:  `spec.class: field is immutable: removes "x" (you do not send .spec.class; the update would remove an immutable field)`,
		},
		{
			name:  "C39 nor in the mode that sets once",
			steps: []string{"update a {once: x}", "update a {replicas: 1}"},
			want:  `spec.once: field is immutable: removes "x" (you do not send .spec.once; the update would remove an immutable field)`,
		},
		{
			name:  "setOnce may be set later",
			steps: []string{"update a {replicas: 1}", "update a {once: x}"},
		},
		{
			name:  "immutable may not",
			steps: []string{"update a {replicas: 1}", "update a {class: x}"},
			want:  `spec.class: field is immutable: sets "x" (it has no value, and an immutable field cannot be set later)`,
		},
		{
			name:  "C40 a field that is no longer applied",
			steps: []string{"apply a {class: x, replicas: 1}", "apply a {replicas: 2}"},
			want:  `spec.class: field is immutable: removes "x" (you do not send .spec.class; the apply would remove an immutable field)`,
		},
		{
			name:  "a field that somebody else applies too stays",
			steps: []string{"apply a {class: x, replicas: 1}", "apply b {class: x}", "apply a {replicas: 2}"},
		},
		{
			name:  "C41 a field with a default that is no longer applied",
			steps: []string{"apply a {mode: slow}", "apply a {}"},
			want:  `spec.mode: field is immutable: changes "slow" to "fast" (the request omits .spec.mode, so its default fast would replace the immutable value slow)`,
		},
		{
			name:  "C41 by an update",
			steps: []string{"update a {mode: slow}", "update a {replicas: 1}"},
			want:  `spec.mode: field is immutable: changes "slow" to "fast" (the request omits .spec.mode, so its default fast would replace the immutable value slow)`,
		},
		{
			name:  "a default that is spelled out is the same",
			steps: []string{"apply a {replicas: 1}", "apply a {replicas: 1, mode: fast}"},
		},
		{
			name:  "C43 a list with fixed keys gains and loses nothing",
			steps: []string{"apply a {volumes: [{name: d, size: 1Gi}]}", "apply a {volumes: [{name: e, size: 9Gi}]}"},
			want: `spec.volumes: item may not be removed: {"name":"d","size":"1Gi"} (you do not send .spec.volumes[name="d"]; the apply would remove an item that must stay)
spec.volumes[0]: item may not be added: {"name":"e","size":"9Gi"}`,
		},
		{
			name:  "C43 nor is it emptied to be filled again",
			steps: []string{"apply a {volumes: [{name: d, size: 1Gi}]}", "apply a {volumes: []}"},
			want:  `spec.volumes: item may not be removed: {"name":"d","size":"1Gi"} (you do not send .spec.volumes[name="d"]; the apply would remove an item that must stay)`,
		},
		{
			name:  "C43 fields of items are free with their items",
			steps: []string{"apply a {disks: [{name: d, size: 1Gi}]}", "apply a {disks: [{name: e, size: 9Gi}]}"},
		},
		{
			name:  "and fixed as long as those stay",
			steps: []string{"apply a {disks: [{name: d, size: 1Gi}]}", "apply a {disks: [{name: d, size: 9Gi, note: more}]}"},
			want:  `spec.disks[0].size: field is immutable: changes "1Gi" to "9Gi"`,
		},
		{
			name:  "C44 the order of a set does not count",
			steps: []string{"apply a {tags: [s1, s2]}", "apply a {tags: [s2, s1]}"},
		},
		{
			name:  "C44 that of an atomic list does",
			steps: []string{"apply a {steps: [s1, s2]}", "apply a {steps: [s2, s1]}"},
			want:  `spec.steps: field is immutable: changes ["s1","s2"] to ["s2","s1"]`,
		},
		{
			name:  "C44 a set gains nothing from others",
			steps: []string{"apply a {tags: [s1, s2]}", "apply b {tags: [s3]}"},
			want:  `spec.tags: field is immutable: changes ["s1","s2"] to ["s1","s2","s3"]`,
		},
		{
			name:  "C46 force does not override",
			steps: []string{"apply a {class: x}", "force b {class: w}"},
			want:  `spec.class: field is immutable: changes "x" to "w" (forcing the apply does not help)`,
		},
		{
			name:  "a part of an immutable value",
			steps: []string{"apply a {selector: {app: x, tier: db}}", "apply a {selector: {app: x}}"},
			want:  `spec.selector: field is immutable: changes {"app":"x","tier":"db"} to {"app":"x"} (you do not send .spec.selector.tier; the apply would remove part of an immutable field)`,
		},
		{
			name:  "the whole of it",
			steps: []string{"apply a {replicas: 1, selector: {app: x, tier: db}}", "apply a {replicas: 1}"},
			want:  `spec.selector: field is immutable: removes {"app":"x","tier":"db"} (you do not send .spec.selector; the apply would remove an immutable field)`,
		},
		{
			name: "a long list of parts is cut",
			steps: []string{
				"apply a {selector: {a: x, b: x, c: x, d: x, e: x}}",
				"apply a {selector: {a: x}}",
			},
			want: `spec.selector: field is immutable: changes {"a":"x","b":"x","c":"x","d":"x","e":"x"} to {"a":"x"} (you do not send .spec.selector.b, .spec.selector.c, .spec.selector.d, 1 more; the apply would remove part of an immutable field)`,
		},
		{
			name:  "all changes are reported, in order",
			steps: []string{"update a {class: x, steps: [a], tags: [t]}", "update a {class: z, steps: [b], tags: [t]}"},
			want: `spec.class: field is immutable: changes "x" to "z"
spec.steps: field is immutable: changes ["a"] to ["b"]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := claims(t, nil)
			var live map[string]any
			for i, step := range c.steps {
				words := strings.SplitN(step, " ", 3)
				result, err := request(m, words[0], words[1], live, claim(t, words[2]))
				if last := i == len(c.steps)-1; !last || c.want == "" {
					if err != nil {
						t.Fatalf("%s: %v", step, err)
					}
					live = result.Object
					continue
				}
				var refused *fieldmanager.ImmutableError
				if !errors.As(err, &refused) {
					t.Fatalf("%s: %v, want an *ImmutableError", step, err)
				}
				var lines []string
				for _, f := range refused.Fields {
					line := f.TransitionError.Error()
					if f.Hint != "" {
						line += " (" + f.Hint + ")"
					}
					lines = append(lines, line)
				}
				if got := strings.Join(lines, "\n"); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
				if refused.Result == nil || !refused.Result.Changed {
					t.Errorf("the result that is refused: %v, want a changed one", refused.Result)
				}
				if words[0] == "update" {
					if err := fieldmanager.CheckTransition(claimType(t), live, claim(t, words[2]), typed.TransitionOptions{}); err == nil || err.Error() != refused.Error() {
						t.Errorf("CheckTransition: %v\nUpdate: %v", err, refused)
					}
				}
			}
		})
	}
}

// TestImmutableAfterDefaulter checks that immutable fields are compared after the Defaulter
// has been called.
func TestImmutableAfterDefaulter(t *testing.T) {
	class := "x"
	m := claims(t, func(o *fieldmanager.Options) {
		o.Defaulter = func(object map[string]any) (map[string]any, error) {
			out := objects.Deep(object).(map[string]any)
			objects.SpecOf(out)["class"] = class
			return out, nil
		}
	})
	live, err := m.Apply(nil, claim(t, "{replicas: 1}"), "a", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Apply(live.Object, claim(t, "{replicas: 2}"), "a", false); err != nil {
		t.Errorf("the same class: %v", err)
	}
	class = "z"
	_, err = m.Apply(live.Object, claim(t, "{replicas: 2}"), "a", false)
	const want = `Claim.ex.io "c" is invalid: spec.class: Invalid value: "z": field is immutable`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func request(m *fieldmanager.FieldManager, kind, manager string, live, object map[string]any) (*fieldmanager.Result, error) {
	if kind == "update" {
		return m.Update(live, object, manager)
	}
	return m.Apply(live, object, manager, kind == "force")
}

func TestImmutableError(t *testing.T) {
	m := claims(t, nil)
	made, err := m.Update(nil, claim(t, "{class: x, volumes: [{name: d}]}"), "a")
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Update(made.Object, claim(t, `{class: "y", volumes: []}`), "a")
	const want = `Claim.ex.io "c" is invalid: [spec.class: Invalid value: "y": field is immutable, spec.volumes: Forbidden: item may not be removed]`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	var all typed.TransitionErrors
	if !errors.As(err, &all) || len(all) != 2 {
		t.Errorf("errors.As: %v, want two TransitionErrors", all)
	}
	_, err = m.Update(made.Object, claim(t, `{volumes: [{name: d}]}`), "a")
	const removed = `Claim.ex.io "c" is invalid: spec.class: Invalid value: null: field is immutable`
	if err == nil || err.Error() != removed {
		t.Errorf("got  %v\nwant %s", err, removed)
	}
	_, err = m.Update(made.Object, claim(t, `{class: x, volumes: [{name: d}], selector: {a: b}}`), "a")
	const added = `Claim.ex.io "c" is invalid: spec.selector: Invalid value: {"a":"b"}: field is immutable`
	if err == nil || err.Error() != added {
		t.Errorf("got  %v\nwant %s", err, added)
	}
}

// TestConflictBeforeImmutability checks that conflicts are reported first. A forced apply of
// the same config must report the immutable field.
func TestConflictBeforeImmutability(t *testing.T) {
	m := claims(t, nil)
	made, err := m.Apply(nil, claim(t, "{class: x}"), "a", false)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Apply(made.Object, claim(t, "{class: w}"), "b", false)
	var conflicts merge.Conflicts
	if !errors.As(err, &conflicts) {
		t.Errorf("got %v, want conflicts", err)
	}
}

// TestConflictOverImmutableField checks that a conflict over an immutable field has Immutable set, and that
// a conflict over another field does not.
func TestConflictOverImmutableField(t *testing.T) {
	m := claims(t, nil)
	made, err := m.Apply(nil, claim(t, "{once: x, replicas: 1, tags: [a]}"), "a", false)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Apply(made.Object, claim(t, "{once: z, replicas: 2}"), "b", false)
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) {
		t.Fatalf("got %v, want conflicts", err)
	}
	immutable := map[string]bool{}
	for _, c := range conflict.Conflicts {
		immutable[c.Path.String()] = c.Immutable
	}
	want := map[string]bool{".spec.once": true, ".spec.replicas": false}
	if !maps.Equal(immutable, want) {
		t.Errorf("got %v, want %v", immutable, want)
	}
}

func TestUnstoredFieldsAreNotChecked(t *testing.T) {
	m := claims(t, func(o *fieldmanager.Options) {
		o.ResetFields = map[fieldpath.APIVersion]*fieldpath.Set{
			"ex.io/v1": fieldpath.NewSet(fieldpath.MakePathOrDie("status")),
		}
	})
	live := objects.ParseYAML(t, "{apiVersion: ex.io/v1, kind: Claim, metadata: {name: c}, status: {phase: Bound}}")
	for _, object := range []map[string]any{
		claim(t, "{replicas: 1}"),
		objects.ParseYAML(t, "{apiVersion: ex.io/v1, kind: Claim, metadata: {name: c}, spec: {replicas: 1}, status: {phase: Lost}}"),
	} {
		r, err := m.Update(live, object, "a")
		if err != nil || objects.AsJSON(r.Object["status"]) != `{"phase":"Bound"}` {
			t.Errorf("status is not written here: %v, %v", r, err)
		}
	}
}

// TestTransitionsAreNotCheckedByDefault checks that transition rules are ignored by default,
// because current API servers do not implement them.
func TestTransitionsAreNotCheckedByDefault(t *testing.T) {
	m := claims(t, func(o *fieldmanager.Options) { o.CheckTransitions = false })
	made, err := m.Update(nil, claim(t, "{class: x}"), "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = m.Update(made.Object, claim(t, "{class: w}"), "a"); err != nil {
		t.Errorf("got %v, want no error", err)
	}
}

// TestImmutableWithoutManagedFields checks that transition rules also apply to an update of an
// object without managed fields.
func TestImmutableWithoutManagedFields(t *testing.T) {
	m := claims(t, nil)
	live := objects.ParseYAML(t, "{apiVersion: ex.io/v1, kind: Claim, metadata: {name: c, uid: u}, spec: {class: x}}")
	_, err := m.Update(live, objects.ParseYAML(t, "{apiVersion: ex.io/v1, kind: Claim, metadata: {name: c, uid: u}, spec: {class: w}}"), "a")
	var refused *fieldmanager.ImmutableError
	if !errors.As(err, &refused) {
		t.Errorf("got %v, want an *ImmutableError", err)
	}
}

func TestOptionIgnoreItemOrder(t *testing.T) {
	schema := strings.ReplaceAll(claimSchema, "transition: immutableKeys", "transition: immutable")
	p, err := typed.NewParser(typed.YAMLObject(schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, ignore := range []bool{false, true} {
		m, err := fieldmanager.New(fieldmanager.Options{
			Types:            func(string, string) (typed.ParseableType, error) { return p.Type("Claim"), nil },
			IgnoreItemOrder:  ignore,
			CheckTransitions: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		made, err := m.Apply(nil, claim(t, "{volumes: [{name: a}, {name: b}]}"), "a", false)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Apply(made.Object, claim(t, "{volumes: [{name: b}, {name: a}]}"), "a", false)
		if refused := err != nil; refused == ignore {
			t.Errorf("IgnoreItemOrder %v: %v", ignore, err)
		}
	}
}

// TestCheckTransitionWritesToNothing checks that CheckTransition does not modify its arguments, not
// even to fill in defaults.
func TestCheckTransitionWritesToNothing(t *testing.T) {
	live, next := claim(t, "{class: x, volumes: [{name: d}], unknown: 1}"), claim(t, "{class: x, mode: null, volumes: [{name: d}]}")
	wasLive, wasNext := fmt.Sprint(live), fmt.Sprint(next)
	if err := fieldmanager.CheckTransition(claimType(t), live, next, typed.TransitionOptions{}); err != nil {
		t.Errorf("got %v: undeclared fields are pruned, and null becomes the default", err)
	}
	if got := fmt.Sprint(live); got != wasLive {
		t.Errorf("the live object is %s, was %s", got, wasLive)
	}
	if got := fmt.Sprint(next); got != wasNext {
		t.Errorf("the new object is %s, was %s", got, wasNext)
	}
	if err := fieldmanager.CheckTransition(claimType(t), nil, next, typed.TransitionOptions{}); err != nil {
		t.Errorf("a new object: %v", err)
	}
	if err := fieldmanager.CheckTransition(claimType(t), live, nil, typed.TransitionOptions{}); err != nil {
		t.Errorf("no object: %v", err)
	}
}

// TestImmutableDefaultOfContainer checks updates in which a null stands for a container with a
// default. The container's default can have another value for an immutable field than the default
// of the field itself.
func TestImmutableDefaultOfContainer(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: w
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {elementType: {scalar: untyped}}}}
    - {name: spec, type: {namedType: spec}, default: {class: gold}}
- name: spec
  map:
    fields:
    - {name: class, type: {scalar: string, transition: immutable}, default: iron}
    - {name: size, type: {scalar: numeric}}
`)
	if err != nil {
		t.Fatal(err)
	}
	pt := p.Type("w")
	m, err := fieldmanager.New(fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return pt, nil }, CheckTransitions: true})
	if err != nil {
		t.Fatal(err)
	}
	object := func(spec ...any) map[string]any {
		o := map[string]any{"apiVersion": "example.com/v1", "kind": "W", "metadata": map[string]any{"name": "x"}}
		for _, s := range spec {
			o["spec"] = s
		}
		return o
	}
	null := object(nil)
	iron, gold := object(map[string]any{"size": int64(1)}), object(map[string]any{"size": int64(2), "class": "gold"})
	for _, c := range []struct {
		name      string
		old, next map[string]any
		allowed   bool
	}{
		{"null for a container with the field's default", iron, null, false},
		{"a container with the field's default for null", null, iron, false},
		{"null for a container with the same value", gold, null, true},
		{"an absent container for one with the field's default", iron, object(), false},
		{"a container with the field's default for an absent one", object(), iron, false},
		{"an absent container for null", null, object(), true},
		{"another size", iron, object(map[string]any{"size": int64(3)}), true},
	} {
		r, err := m.Update(nil, c.old, "a")
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Update(r.Object, c.next, "b")
		var immutable *fieldmanager.ImmutableError
		if errors.As(err, &immutable) == c.allowed || err != nil && immutable == nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// hintSchema has immutable fields in a union, and an immutable map.
const hintSchema = `
types:
- name: Claim
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {elementType: {scalar: string}}}}
    - {name: spec, type: {namedType: Spec}}
- name: Spec
  map:
    fields:
    - {name: class, type: {scalar: string, transition: immutable}}
    - {name: selector, type: {map: {elementType: {scalar: string}}, transition: immutable}}
    - {name: source, type: {namedType: Source}}
    - {name: fixed, type: {namedType: Source, transition: immutable}}
- name: Source
  map:
    fields:
    - {name: type, type: {scalar: string}}
    - {name: disk, type: {map: {elementType: {scalar: string}}, transition: immutable}}
    - {name: net, type: {scalar: string, transition: immutable}}
    unions:
    - discriminator: type
      fields:
      - {fieldName: disk, discriminatorValue: Disk}
      - {fieldName: net, discriminatorValue: Net}
`

// TestImmutableHints checks that the hint names the true reason if the value of an immutable field
// changes although the request does not send the field.
func TestImmutableHints(t *testing.T) {
	p := objects.GatedParser(hintSchema)
	typ := p.Type("Claim")
	const disk = `{source: {type: Disk, disk: {size: 1Gi}}}`
	const cleared = `type is now "Net", which excludes disk, so %s would clear an immutable field (KEP-1027, a proposal)`
	replaceClass := func(object map[string]any) map[string]any {
		objects.SpecOf(object)["class"] = "other"
		return object
	}
	for _, c := range []struct {
		name             string
		live             string // applied by the manager a
		verb, spec       string // the request of the manager b
		defaulter        func(map[string]any) map[string]any
		wantField, want  string
		alsoAppliedByYou string // applied by the manager b before the request
	}{
		{name: "a union clears the member of another manager", live: disk, verb: "force", spec: `{source: {type: Net}}`,
			wantField: "spec.source.disk", want: fmt.Sprintf(cleared, "the apply")},
		{name: "a union clears the member in an update", live: disk, verb: "update", spec: `{source: {type: Net, disk: {size: 1Gi}}}`,
			wantField: "spec.source.disk", want: fmt.Sprintf(cleared, "the update")},
		{name: "a union clears a part of an immutable field", live: `{fixed: {type: Disk, disk: {size: 1Gi}}}`, verb: "force", spec: `{fixed: {type: Net}}`,
			wantField: "spec.fixed", want: fmt.Sprintf(`type is now "Net", which excludes disk, so %s would clear part of an immutable field (KEP-1027, a proposal)`, "the apply")},
		{name: "the applier gives up its member", live: `{class: x}`, alsoAppliedByYou: disk, verb: "apply", spec: `{source: {type: Net}}`,
			wantField: "spec.source.disk", want: "you do not send .spec.source.disk; the apply would remove an immutable field"},
		{name: "a default replaces a field that is not sent", live: `{class: x}`, verb: "apply", spec: `{source: {type: Net}}`, defaulter: replaceClass,
			wantField: "spec.class", want: "you do not send .spec.class; the server would replace its value"},
		{name: "a default replaces a field that is not sent, with force", live: `{class: x}`, verb: "force", spec: `{source: {type: Net}}`, defaulter: replaceClass,
			wantField: "spec.class", want: "you do not send .spec.class; the server would replace its value"},
		{name: "another manager keeps the rest of the field", live: `{selector: {a: x}}`, alsoAppliedByYou: `{selector: {b: "y"}}`, verb: "apply", spec: `{source: {type: Net}}`,
			wantField: "spec.selector", want: "you do not send .spec.selector.b; the apply would remove part of an immutable field"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return typ, nil }, Unions: true, CheckTransitions: true}
			setup := objects.NewManager(t, o)
			r, err := setup.Apply(nil, claim(t, c.live), "a", false)
			if err != nil {
				t.Fatal(err)
			}
			if c.alsoAppliedByYou != "" {
				o.CheckTransitions = false
				if r, err = objects.NewManager(t, o).Apply(r.Object, claim(t, c.alsoAppliedByYou), "b", false); err != nil {
					t.Fatal(err)
				}
				o.CheckTransitions = true
			}
			if c.defaulter != nil {
				o.Defaulter = func(object map[string]any) (map[string]any, error) { return c.defaulter(object), nil }
			}
			_, err = request(objects.NewManager(t, o), c.verb, "b", r.Object, claim(t, c.spec))
			var refused *fieldmanager.ImmutableError
			if !errors.As(err, &refused) {
				t.Fatalf("got %v", err)
			}
			for _, f := range refused.Fields {
				if f.Field == c.wantField {
					if f.Hint != c.want {
						t.Errorf("got  %s\nwant %s", f.Hint, c.want)
					}
					return
				}
			}
			t.Errorf("no error about %s in %v", c.wantField, err)
		})
	}
}
