// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

func warnings(r *fieldmanager.Result) []string {
	var lines []string
	for _, w := range r.Warnings {
		lines = append(lines, w.String())
	}
	return lines
}

func wantSpec(t *testing.T, r *fieldmanager.Result, spec string) {
	t.Helper()
	if got := objects.AsJSON(r.Object["spec"]); got != spec {
		t.Errorf("got spec %s, want %s", got, spec)
	}
}

// TestUnionOwnMember checks an applier that selects another member of a union and is the only
// owner of the old member.
func TestUnionOwnMember(t *testing.T) {
	m := objects.UnionManager(t, fieldmanager.Options{})
	live, err := m.Apply(nil, objects.App(t, `{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}`), "a", false)
	objects.Accepted(t, live, err)
	r, err := m.Apply(live.Object, objects.App(t, objects.Recreate), "a", false)
	wantSpec(t, objects.Accepted(t, r, err), objects.Recreate)
	if got, want := objects.Owners(r.Managed), []string{`a Apply v1 03:04:05 {"f:spec":{"f:strategy":{"f:type":{}}}}`}; !slices.Equal(got, want) {
		t.Errorf("owners %q", got)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %v: it is the applier's own to give up", r.Warnings)
	}
}

// TestUnionMemberOfOthers checks an applier that selects another member of a union while
// another manager owns the old member.
func TestUnionMemberOfOthers(t *testing.T) {
	m := objects.UnionManager(t, fieldmanager.Options{})
	live, err := m.Update(nil, objects.App(t, `{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}`), "kubectl-create")
	objects.Accepted(t, live, err)
	_, err = m.Apply(live.Object, objects.App(t, objects.Recreate), "argocd", false)
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) || len(conflict.Conflicts) != 2 {
		t.Fatalf("got %v", err)
	}
	for i, want := range []string{
		`.spec.strategy.type RollingUpdate Recreate `,
		`.spec.strategy.rollingUpdate.maxSurge 1 <nil> type is now "Recreate", which excludes rollingUpdate`,
	} {
		found := false
		for _, c := range conflict.Conflicts {
			got := fmt.Sprintf("%v %v %v %s", c.Path, c.Live, c.Yours, c.Hint)
			found = found || strings.HasPrefix(got, want) && c.Cleared == strings.Contains(want, "rolling")
		}
		if !found {
			t.Errorf("%d: no conflict %s in %+v", i, want, conflict.Conflicts)
		}
	}
	var conflicts merge.Conflicts
	if !errors.As(err, &conflicts) || len(conflicts) != 2 {
		t.Errorf("merge.Conflicts %v", conflicts)
	}
	r, err := m.Apply(live.Object, objects.App(t, objects.Recreate), "argocd", true)
	wantSpec(t, objects.Accepted(t, r, err), objects.Recreate)
	want := []string{
		`argocd Apply v1 03:04:05 {"f:spec":{"f:strategy":{"f:type":{}}}}`,
		`kubectl-create Update v1 03:04:05 {"f:spec":{".":{},"f:strategy":{}}}`,
	}
	if got := objects.Owners(r.Managed); !slices.Equal(got, want) {
		t.Errorf("owners %q\nwant %q", got, want)
	}
	wantWarnings := []string{`.spec.strategy.rollingUpdate: type is now "Recreate", which excludes rollingUpdate; this field is cleared, and removed from the field sets of "kubectl-create" using v1 (Update) (KEP-1027, a proposal)`}
	if got := warnings(r); !slices.Equal(got, wantWarnings) {
		t.Errorf("warnings %q", got)
	}
	again, err := m.Apply(r.Object, objects.App(t, objects.Recreate), "argocd", false)
	if objects.Accepted(t, again, err).Changed {
		t.Errorf("the second time it changes: %s", objects.AsJSON(again.Object))
	}
}

// TestUnionMemberOfNobody checks an applier that selects another member of a union. Nobody owns
// the old member, because a server set it by default.
func TestUnionMemberOfNobody(t *testing.T) {
	m := objects.UnionManager(t, fieldmanager.Options{})
	for _, typ := range []string{`"type":"RollingUpdate",`, ``} { // explicitly, and by default
		live, err := m.Apply(nil, objects.App(t, `{"replicas":1}`), "a", false)
		objects.Accepted(t, live, err)
		live.Object["spec"].(map[string]any)["strategy"] = objects.Object(t, `{`+typ+`"rollingUpdate":{"maxSurge":1,"maxUnavailable":2}}`)
		r, err := m.Apply(live.Object, objects.App(t, `{"replicas":1,"strategy":{"type":"Recreate"}}`), "a", false)
		wantSpec(t, objects.Accepted(t, r, err), `{"replicas":1,"strategy":{"type":"Recreate"}}`)
		wantWarnings := []string{`.spec.strategy.rollingUpdate: type is now "Recreate", which excludes rollingUpdate; this field is cleared (KEP-1027, a proposal)`}
		if got := warnings(r); !slices.Equal(got, wantWarnings) {
			t.Errorf("warnings %q", got)
		}
		// An update must have the same result.
		sent := edit(t, live.Object)
		sent["spec"].(map[string]any)["strategy"].(map[string]any)["type"] = "Recreate"
		r, err = m.Update(live.Object, sent, "editor")
		wantSpec(t, objects.Accepted(t, r, err), `{"replicas":1,"strategy":{"type":"Recreate"}}`)
		if got := warnings(r); !slices.Equal(got, wantWarnings) {
			t.Errorf("warnings %q", got)
		}
	}
	// Without the option, the old member stays.
	off := objects.NewManager(t, fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return objects.UnionParser.Type("App"), nil }})
	live := objects.App(t, `{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}`)
	r, err := off.Apply(live, objects.App(t, objects.Recreate), "a", true)
	wantSpec(t, objects.Accepted(t, r, err), `{"strategy":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"}}`)
	r, err = off.Update(live, edit(t, live, `"type":"RollingUpdate"`, `"type":"Recreate"`), "editor")
	wantSpec(t, objects.Accepted(t, r, err), `{"strategy":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"}}`)
	if got := warnings(r); len(got) > 0 {
		t.Errorf("warnings %q", got)
	}
}

// TestUnionBackToDefault checks that a discriminator changes to its default when its owner
// gives up its value.
func TestUnionBackToDefault(t *testing.T) {
	m := objects.UnionManager(t, fieldmanager.Options{})
	live, err := m.Apply(nil, objects.App(t, `{"replicas":1,"strategy":{"type":"Canary"}}`), "a", false)
	objects.Accepted(t, live, err)
	live, err = m.Apply(live.Object, objects.App(t, `{"strategy":{"canary":5}}`), "b", false)
	objects.Accepted(t, live, err)
	_, err = m.Apply(live.Object, objects.App(t, `{"replicas":1}`), "a", false)
	if want := `Apply failed with 1 conflict: conflict with "b": .spec.strategy.canary`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	r, err := m.Apply(live.Object, objects.App(t, `{"replicas":1}`), "a", true)
	objects.Accepted(t, r, err)
	if got, want := objects.Owners(r.Managed), []string{`a Apply v1 03:04:05 {"f:spec":{"f:replicas":{}}}`}; !slices.Equal(got, want) {
		t.Errorf("owners %q", got)
	}
}

func TestUnionPlaces(t *testing.T) {
	m := objects.UnionManager(t, fieldmanager.Options{})
	both := func(typ string) string { return `"type":"` + typ + `","rollingUpdate":{"maxSurge":1}` }
	for _, test := range []struct{ name, live, config, want, warning string }{
		{
			"an item, by the default of its key",
			`{"parts":[{"name":"a",` + both("RollingUpdate") + `},{"kind":"k","name":"b",` + both("RollingUpdate") + `}]}`,
			`{"parts":[{"name":"b","type":"Recreate"}]}`,
			`{"parts":[{"name":"a","rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"},{"kind":"k","name":"b","type":"Recreate"}]}`,
			`.spec.parts[kind="k",name="b"].rollingUpdate: `,
		},
		{
			"the value of a map",
			`{"byName":{"a":{` + both("RollingUpdate") + `}}}`, `{"byName":{"a":{"type":"Recreate"}}}`,
			`{"byName":{"a":{"type":"Recreate"}}}`, `.spec.byName.a.rollingUpdate: `,
		},
		{
			"within another one",
			`{"strategy":{"below":{` + both("RollingUpdate") + `}}}`, `{"strategy":{"below":{"type":"Canary","canary":1}}}`,
			`{"strategy":{"below":{"canary":1,"type":"Canary"}}}`, `.spec.strategy.below.rollingUpdate: `,
		},
		{
			"atomic values are replaced as a whole",
			`{"fixed":{` + both("RollingUpdate") + `}}`, `{"fixed":{"type":"Recreate","canary":1}}`,
			`{"fixed":{"canary":1,"type":"Recreate"}}`, ``,
		},
		{
			"no discriminator: the new one counts",
			`{"source":{"git":"g"}}`, `{"source":{"image":"i"}}`, `{"source":{"image":"i"}}`,
			`.spec.source.git: image is now set, which excludes git; this field is cleared (KEP-1027, a proposal)`,
		},
		{
			"no discriminator, two new ones: nobody can tell",
			`{"source":{"git":"g"}}`, `{"source":{"image":"i","inline":{"a":"b"}}}`,
			`{"source":{"git":"g","image":"i","inline":{"a":"b"}}}`, ``,
		},
		{
			"members in the config stay",
			`{"strategy":{` + both("RollingUpdate") + `}}`, `{"strategy":{` + both("Recreate") + `}}`,
			`{"strategy":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"}}`,
			`.spec.strategy.rollingUpdate: type is now "Recreate", which excludes rollingUpdate; this field is kept, because the request sets it (KEP-1027, a proposal)`,
		},
		{
			"one is written and stays, the next goes",
			`{"byName":{"a":{` + both("RollingUpdate") + `},"b":{` + both("RollingUpdate") + `}}}`,
			`{"byName":{"a":{` + both("Recreate") + `},"b":{"type":"Recreate"}}}`,
			`{"byName":{"a":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"},"b":{"type":"Recreate"}}}`,
			`.spec.byName.a.rollingUpdate: type is now "Recreate", which excludes rollingUpdate; this field is kept, because the request sets it (KEP-1027, a proposal)` + "\n" +
				`.spec.byName.b.rollingUpdate: type is now "Recreate", which excludes rollingUpdate; this field is cleared (KEP-1027, a proposal)`,
		},
		{
			"null is not written",
			`{"strategy":{` + both("RollingUpdate") + `}}`, `{"strategy":{"type":"Recreate","rollingUpdate":null}}`,
			`{"strategy":{"type":"Recreate"}}`, `.spec.strategy.rollingUpdate: `,
		},
		{
			"the default is no other choice",
			`{"strategy":{"rollingUpdate":{"maxSurge":1},"canary":1}}`, `{"strategy":{"type":"RollingUpdate"}}`,
			`{"strategy":{"canary":1,"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"}}`, ``,
		},
		{
			"no other member is chosen",
			`{"strategy":{` + both("Recreate") + `}}`, `{"replicas":2,"strategy":{"type":"Recreate"}}`,
			`{"replicas":2,"strategy":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"}}`, ``,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := objects.App(t, test.live)
			// The only entry in the managed fields owns other fields, so the fields of the spec have
			// no owner.
			live["metadata"].(map[string]any)["managedFields"] = []any{objects.Object(t,
				`{"manager":"z","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{}}}}`)}
			before := objects.AsJSON(live)
			r, err := m.Apply(live, objects.App(t, test.config), "a", false)
			wantSpec(t, objects.Accepted(t, r, err), test.want)
			if got := strings.Join(warnings(r), "\n"); !strings.HasPrefix(got, test.warning) || (got == "") != (test.warning == "") {
				t.Errorf("warnings %q, want %q", got, test.warning)
			}
			if objects.AsJSON(live) != before {
				t.Errorf("live was modified")
			}
		})
	}
}

// TestUnionUpdate checks that an update clears a member that it sends unchanged, and keeps a
// member that it changes.
func TestUnionUpdate(t *testing.T) {
	m := objects.UnionManager(t, fieldmanager.Options{})
	live, err := m.Apply(nil, objects.App(t, `{"strategy":{"rollingUpdate":{"maxSurge":1}}}`), "a", false)
	objects.Accepted(t, live, err)
	r, err := m.Update(live.Object, edit(t, live.Object, `"rollingUpdate":`, `"type":"Recreate","rollingUpdate":`), "editor")
	wantSpec(t, objects.Accepted(t, r, err), objects.Recreate)
	if got, want := objects.Owners(r.Managed), []string{
		`editor Update v1 03:04:05 {"f:spec":{"f:strategy":{"f:type":{}}}}`,
	}; !slices.Equal(got, want) {
		t.Errorf("owners %q", got)
	}
	r, err = m.Update(live.Object, edit(t, live.Object, `"rollingUpdate":{"maxSurge":1}`, `"type":"Recreate","rollingUpdate":{"maxSurge":2}`), "editor")
	wantSpec(t, objects.Accepted(t, r, err), `{"strategy":{"rollingUpdate":{"maxSurge":2},"type":"Recreate"}}`)
	if got := warnings(r); len(got) != 1 || !strings.HasSuffix(got[0], "this field is kept, because the request sets it (KEP-1027, a proposal)") {
		t.Errorf("warnings %q", got)
	}
	// An object without managed fields stays without them.
	bare := edit(t, objects.App(t, `{"strategy":{"rollingUpdate":{"maxSurge":1}}}`), `"name":"x"`, `"name":"x","uid":"u"`)
	r, err = m.Update(bare, edit(t, bare, `"rollingUpdate":`, `"type":"Recreate","rollingUpdate":`), "editor")
	wantSpec(t, objects.Accepted(t, r, err), objects.Recreate)
	if r.Managed.Len() != 0 {
		t.Errorf("owners %q", objects.Owners(r.Managed))
	}
}

// TestUnionVersionsAndResetFields checks that a conflict is found even if the field set of
// the owner is in another version. It also checks that fields that the endpoint does not
// store are not cleared.
func TestUnionVersionsAndResetFields(t *testing.T) {
	m := objects.UnionManager(t, fieldmanager.Options{Converter: fieldmanager.NoneConverter})
	old := objects.App(t, `{"strategy":{"rollingUpdate":{"maxSurge":1}}}`)
	old["apiVersion"] = "v2"
	live, err := m.Apply(nil, old, "two", false)
	objects.Accepted(t, live, err)
	now := edit(t, live.Object, `"apiVersion":"v2","kind"`, `"apiVersion":"v1","kind"`)
	_, err = m.Apply(now, objects.App(t, objects.Recreate), "one", false)
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) || len(conflict.Conflicts) != 1 || conflict.Conflicts[0].Hint == "" ||
		err.Error() != `Apply failed with 1 conflict: conflict with "two": .spec.strategy.rollingUpdate.maxSurge` {
		t.Fatalf("got %v", err)
	}
	r, err := m.Apply(now, objects.App(t, objects.Recreate), "one", true)
	wantSpec(t, objects.Accepted(t, r, err), objects.Recreate)
	if got := objects.Owners(r.Managed); len(got) != 1 || !strings.HasPrefix(got[0], "one ") {
		t.Errorf("owners %q", got)
	}

	m = objects.UnionManager(t, fieldmanager.Options{ResetFields: resetStatus()})
	both := `"strategy":{"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"}`
	stored := objects.Object(t, `{"apiVersion":"v1","kind":"App","metadata":{"name":"x"},"spec":{},"status":{`+both+`}}`)
	sent := edit(t, stored, `"type":"RollingUpdate"`, `"type":"Recreate"`, `"spec":{}`, `"spec":{"replicas":1}`)
	r, err = m.Update(stored, sent, "a")
	if got := objects.AsJSON(objects.Accepted(t, r, err).Object["status"]); got != `{`+both+`}` || len(r.Warnings) > 0 {
		t.Errorf("got status %s, warnings %q", got, warnings(r))
	}
}

// TestUnionMemberOfAnotherName checks a cleared field that is not part of a union in
// the API version of its owner: maxSurge of v1 is replicas in v2.
func TestUnionMemberOfAnotherName(t *testing.T) {
	m := objects.UnionManager(t, fieldmanager.Options{Converter: func(object map[string]any, apiVersion string) (map[string]any, error) {
		out := objects.Deep(object).(map[string]any)
		spec := objects.SpecOf(out)
		strategy, _ := spec["strategy"].(map[string]any)
		if rolling, ok := strategy["rollingUpdate"].(map[string]any); ok && apiVersion == "v2" {
			spec["replicas"] = rolling["maxSurge"]
			delete(strategy, "rollingUpdate")
		}
		if surge, ok := spec["replicas"]; ok && apiVersion == "v1" {
			spec["strategy"] = map[string]any{"rollingUpdate": map[string]any{"maxSurge": surge}}
			delete(spec, "replicas")
		}
		out["apiVersion"] = apiVersion
		return out, nil
	}})
	old := objects.App(t, `{"replicas":1}`)
	old["apiVersion"] = "v2"
	live, err := m.Apply(nil, old, "two", false)
	objects.Accepted(t, live, err)
	_, err = m.Apply(live.Object, objects.App(t, objects.Recreate), "one", false)
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) || len(conflict.Conflicts) != 1 || !conflict.Conflicts[0].Cleared ||
		conflict.Conflicts[0].Hint != "the union no longer selects this member, so the apply clears it (KEP-1027, a proposal)" ||
		err.Error() != `Apply failed with 1 conflict: conflict with "two": .spec.replicas` {
		t.Fatalf("got %+v", err)
	}
	r, err := m.Apply(live.Object, objects.App(t, objects.Recreate), "one", true)
	wantSpec(t, objects.Accepted(t, r, err), objects.Recreate)
	wantWarnings := []string{`.spec.strategy.rollingUpdate: type is now "Recreate", which excludes rollingUpdate; this field is cleared (KEP-1027, a proposal)`}
	if got := warnings(r); !slices.Equal(got, wantWarnings) {
		t.Errorf("warnings %q", got)
	}
}

// TestUnionResetInOtherVersion checks that fields that the endpoint does not store are not
// cleared, and so do not conflict.
func TestUnionResetInOtherVersion(t *testing.T) {
	old := objects.App(t, `{"strategy":{"rollingUpdate":{"maxSurge":1}}}`)
	old["apiVersion"], old["status"] = "v2", old["spec"]
	live, err := objects.UnionManager(t, fieldmanager.Options{}).Apply(nil, old, "two", false)
	now := edit(t, objects.Accepted(t, live, err).Object, `"apiVersion":"v2","kind"`, `"apiVersion":"v1","kind"`)
	m := objects.UnionManager(t, fieldmanager.Options{Converter: fieldmanager.NoneConverter, ResetFields: resetStatus()})
	config := objects.App(t, objects.Recreate)
	config["status"] = config["spec"]
	_, err = m.Apply(now, config, "one", false)
	if err == nil || err.Error() != `Apply failed with 1 conflict: conflict with "two": .spec.strategy.rollingUpdate.maxSurge` {
		t.Errorf("got %v", err)
	}
	r, err := m.Apply(now, config, "one", true)
	wantSpec(t, objects.Accepted(t, r, err), objects.Recreate)
	if got := objects.AsJSON(r.Object["status"]); got != `{"strategy":{"rollingUpdate":{"maxSurge":1}}}` {
		t.Errorf("got status %s", got)
	}
	if got := objects.Owners(r.Managed); len(got) != 2 || !strings.HasPrefix(got[1], "two ") {
		t.Errorf("owners %q", got)
	}
}

// TestUnionResetWithin checks that a member stays if the endpoint does not store its
// discriminator, or one of the fields in the member.
func TestUnionResetWithin(t *testing.T) {
	const running = `{"rollingUpdate":{"maxSurge":1,"maxUnavailable":2},"type":"RollingUpdate"}`
	live, err := objects.UnionManager(t, fieldmanager.Options{}).Apply(nil, objects.App(t, `{"strategy":`+running+`}`), "two", false)
	objects.Accepted(t, live, err)
	for _, tc := range []struct {
		reset  []any
		stored string
		left   string // the expected conflict of the apply, or empty
	}{
		{[]any{"spec", "strategy", "type"}, running, ""},
		{[]any{"spec", "strategy", "rollingUpdate", "maxSurge"}, `{"rollingUpdate":{"maxSurge":1,"maxUnavailable":2},"type":"Recreate"}`, ".spec.strategy.type"},
	} {
		m := objects.UnionManager(t, fieldmanager.Options{ResetFields: map[fieldpath.APIVersion]*fieldpath.Set{
			"v1": fieldpath.NewSet(fieldpath.MakePathOrDie(tc.reset...)),
		}})
		_, err := m.Apply(live.Object, objects.App(t, objects.Recreate), "one", false)
		if want := `Apply failed with 1 conflict: conflict with "two": ` + tc.left; tc.left != "" && (err == nil || err.Error() != want) {
			t.Errorf("reset %v: got %v, want %v", tc.reset, err, want)
		}
		r, err := m.Apply(live.Object, objects.App(t, objects.Recreate), "one", true)
		wantSpec(t, objects.Accepted(t, r, err), `{"strategy":`+tc.stored+`}`)
		sent := edit(t, live.Object, `"type":"RollingUpdate"`, `"type":"Recreate"`)
		u, err := m.Update(live.Object, sent, "one")
		wantSpec(t, objects.Accepted(t, u, err), `{"strategy":`+tc.stored+`}`)
		for _, r := range []*fieldmanager.Result{r, u} {
			if len(r.Warnings) > 0 {
				t.Errorf("reset %v: warnings %q", tc.reset, warnings(r))
			}
			if got := strings.Join(objects.Owners(r.Managed), " "); !strings.Contains(got, `"f:maxSurge":{},"f:maxUnavailable":{}`) {
				t.Errorf("reset %v: owners %s", tc.reset, got)
			}
		}
	}
}

// TestUnionResetOfOne checks that other members are still cleared if one member stays because
// the endpoint does not store part of it.
func TestUnionResetOfOne(t *testing.T) {
	const running = `{"rollingUpdate":{"maxSurge":1,"maxUnavailable":2},"type":"RollingUpdate"}`
	live, err := objects.UnionManager(t, fieldmanager.Options{}).Apply(nil, objects.App(t, `{"byName":{"a":`+running+`},"strategy":`+running+`}`), "two", false)
	objects.Accepted(t, live, err)
	m := objects.UnionManager(t, fieldmanager.Options{ResetFields: map[fieldpath.APIVersion]*fieldpath.Set{
		"v1": fieldpath.NewSet(fieldpath.MakePathOrDie("spec", "strategy", "rollingUpdate", "maxSurge")),
	}})
	applied, err := m.Apply(live.Object, objects.App(t, `{"byName":{"a":{"type":"Recreate"}},"strategy":{"type":"Recreate"}}`), "one", true)
	objects.Accepted(t, applied, err)
	updated, err := m.Update(live.Object, edit(t, live.Object, `"type":"RollingUpdate"`, `"type":"Recreate"`), "one")
	objects.Accepted(t, updated, err)
	for _, tc := range []struct {
		r    *fieldmanager.Result
		from string
	}{{applied, `, and removed from the field sets of "two" (Apply)`}, {updated, ""}} {
		wantSpec(t, tc.r, `{"byName":{"a":{"type":"Recreate"}},"strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":2},"type":"Recreate"}}`)
		wantWarnings := []string{`.spec.byName.a.rollingUpdate: type is now "Recreate", which excludes rollingUpdate; this field is cleared` + tc.from + ` (KEP-1027, a proposal)`}
		if got := warnings(tc.r); !slices.Equal(got, wantWarnings) {
			t.Errorf("warnings %q", got)
		}
		two := `two Apply v1 03:04:05 {"f:spec":{"f:byName":{"f:a":{}},"f:strategy":{"f:rollingUpdate":{"f:maxSurge":{},"f:maxUnavailable":{}}}}}`
		if got := objects.Owners(tc.r.Managed); !slices.Contains(got, two) {
			t.Errorf("owners %q", got)
		}
	}
}

// TestUnionKubectl checks that kubectl has no conflicts with its own earlier client-side
// apply.
func TestUnionKubectl(t *testing.T) {
	m := objects.UnionManager(t, fieldmanager.Options{})
	last := `{\"apiVersion\":\"v1\",\"kind\":\"App\",\"metadata\":{\"name\":\"x\"},\"spec\":{\"strategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxSurge\":1}}}}`
	live, err := m.Update(nil, edit(t, objects.App(t, `{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}`),
		`"name":"x"`, `"name":"x","annotations":{"`+fieldmanager.LastAppliedAnnotation+`":"`+last+`"}`), "kubectl-client-side-apply")
	objects.Accepted(t, live, err)
	r, err := m.Apply(live.Object, objects.App(t, objects.Recreate), "kubectl", false)
	wantSpec(t, objects.Accepted(t, r, err), objects.Recreate)
}

func resetStatus() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{"v1": fieldpath.NewSet(fieldpath.MakePathOrDie("status"))}
}
