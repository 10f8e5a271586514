// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/typed"
)

// steps collects the stages of requests. If the spec or the status before a stage differs from
// the one after it, the stage is collected with both.
type steps []string

func (s *steps) add(stage fieldmanager.Stage, before, after map[string]any) {
	line := string(stage)
	for _, name := range []string{"spec", "status"} {
		was, is := objects.AsJSON(before[name]), objects.AsJSON(after[name])
		switch {
		case was == is:
		case name == "spec":
			line += fmt.Sprintf(": %s -> %s", was, is)
		default:
			line += fmt.Sprintf(": %s: %s -> %s", name, was, is)
		}
	}
	*s = append(*s, line)
}

func (s *steps) want(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(*s, want) {
		t.Errorf("got %q, want %q", []string(*s), want)
	}
	*s = nil
}

func TestTraceOfUnions(t *testing.T) {
	var s steps
	m := objects.UnionManager(t, fieldmanager.Options{Trace: s.add})
	rolling := `{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}`
	live, err := m.Apply(nil, objects.App(t, rolling), "a", false)
	objects.Accepted(t, live, err)
	s = nil
	got, err := m.Update(live.Object, objects.App(t, `{"strategy":{"type":"Recreate","rollingUpdate":{"maxSurge":1}}}`), "b")
	objects.Accepted(t, got, err)
	s.want(t, "sent object prepared for the merge",
		`members of unions cleared: {"strategy":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"}} -> {"strategy":{"type":"Recreate"}}`,
		"fields of other endpoints restored", "managed fields updated")

	live, err = m.Update(nil, objects.App(t, rolling), "b")
	objects.Accepted(t, live, err)
	s = nil
	got, err = m.Apply(live.Object, objects.App(t, objects.Recreate), "a", true)
	objects.Accepted(t, got, err)
	s.want(t, "sent object prepared for the merge",
		`config merged into the live object: {"strategy":{"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"}} -> {"strategy":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"}}`,
		`members of unions cleared: {"strategy":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"}} -> {"strategy":{"type":"Recreate"}}`,
		"fields of other endpoints restored", "managed fields updated")
}

// TestTraceOfUnionsAndResetFields checks that each stage shows only its own change if a request clears
// a member of a union and also sets a field that the endpoint does not store.
func TestTraceOfUnionsAndResetFields(t *testing.T) {
	var s steps
	m := objects.UnionManager(t, fieldmanager.Options{Trace: s.add, ResetFields: resetStatus()})
	live := objects.Object(t, `{"apiVersion":"v1","kind":"App","metadata":{"name":"x"},"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}},"status":{"replicas":1}}`)
	config := objects.App(t, objects.Recreate)
	config["status"] = map[string]any{"replicas": int64(2)}
	sent := edit(t, live, `"type":"RollingUpdate"`, `"type":"Recreate"`)
	sent["status"] = config["status"]
	cleared := `members of unions cleared: {"strategy":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"}} -> {"strategy":{"type":"Recreate"}}`
	restored := `fields of other endpoints restored: status: {"replicas":2} -> {"replicas":1}`

	got, err := m.Apply(live, config, "a", true)
	if got := objects.AsJSON(objects.Accepted(t, got, err).Object["status"]); got != `{"replicas":1}` {
		t.Errorf("got status %s", got)
	}
	s.want(t, "sent object prepared for the merge",
		`config merged into the live object: {"strategy":{"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"}} -> {"strategy":{"rollingUpdate":{"maxSurge":1},"type":"Recreate"}}: status: {"replicas":1} -> {"replicas":2}`,
		cleared, restored, "managed fields updated")

	got, err = m.Update(live, sent, "a")
	if got := objects.AsJSON(objects.Accepted(t, got, err).Object["status"]); got != `{"replicas":1}` {
		t.Errorf("got status %s", got)
	}
	s.want(t, "sent object prepared for the merge", cleared, restored, "managed fields updated")
}

// TestTraceOfKeptMember checks that no stage is traced for a union whose only leftover is kept,
// because the request sets it.
func TestTraceOfKeptMember(t *testing.T) {
	for name, reset := range map[string]map[fieldpath.APIVersion]*fieldpath.Set{"stored": nil, "status reset": resetStatus()} {
		var s steps
		m := objects.UnionManager(t, fieldmanager.Options{Trace: s.add, ResetFields: reset})
		live := objects.App(t, `{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}`)
		config := objects.App(t, `{"strategy":{"type":"Recreate","rollingUpdate":{"maxSurge":2}}}`)
		changed := `{"strategy":{"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"}} -> {"strategy":{"rollingUpdate":{"maxSurge":2},"type":"Recreate"}}`

		got, err := m.Apply(live, config, "a", true)
		if objects.Accepted(t, got, err); len(got.Warnings) != 1 {
			t.Errorf("%s: warnings %q", name, warnings(got))
		}
		s.want(t, "sent object prepared for the merge", "config merged into the live object: "+changed,
			"fields of other endpoints restored", "managed fields updated")

		got, err = m.Update(live, config, "a")
		if objects.Accepted(t, got, err); len(got.Warnings) != 1 {
			t.Errorf("%s: warnings %q", name, warnings(got))
		}
		s.want(t, "sent object prepared for the merge", "fields of other endpoints restored", "managed fields updated")
	}
}

func TestTraceOfOptions(t *testing.T) {
	var s steps
	m := objects.NewManager(t, fieldmanager.Options{Trace: s.add, ZeroIsAbsent: true, Duplicates: typed.KeepLast})
	live := objects.Apply(t, m, nil, "a", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"replicas":0}}`).Object
	s = nil
	live["spec"] = map[string]any{}
	objects.Apply(t, m, live, "kubectl", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"replicas":0,"ports":[{"port":80,"name":"a"},{"port":80,"name":"b"}]}}`)
	s.want(t,
		`sent object prepared for the merge: {"ports":[{"name":"a","port":80},{"name":"b","port":80}],"replicas":0} -> {"ports":[{"name":"b","port":80}],"replicas":0}`,
		`live object with the zero values that managers applied: {} -> {"replicas":0}`,
		`config merged into the live object: {"replicas":0} -> {"ports":[{"name":"b","port":80}],"replicas":0}`,
		"annotation of client-side apply updated",
		"fields of other endpoints restored", "managed fields updated")
}
