// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/typed"
)

// recordedAgent is the manager of recorded requests that do not name a manager. The server
// takes it from the User-Agent.
const recordedAgent = "golden"

// refusedByHandler lists the recorded requests that never reach the field manager, because
// their URL is invalid.
var refusedByHandler = map[string]string{
	"errors/9":  "the name in the body is compared with the one in the URL",
	"errors/18": "force is a parameter of apply only",
}

// TestGoldenRequests replays the requests that were sent to a real API server, and compares
// the results with the objects that the server stored. Each request starts from the object
// that the server had.
//
// Only a server can set some values: the time, uids, resource versions, allocations and
// defaults. The test first compares the merged object with the recorded merged object of the
// server. It then copies the values that only a server can set from the server's response. A
// copied value never replaces a value of the result. Managed fields are compared as a whole.
func TestGoldenRequests(t *testing.T) {
	for _, gate := range []bool{false, true} {
		t.Run(fmt.Sprintf("gate=%v", gate), func(t *testing.T) {
			for _, s := range objects.LoadScenarios(t) {
				t.Run(s.Name, func(t *testing.T) {
					replayScenario(t, s, objects.NewSchemas(gate))
				})
			}
		})
	}
}

func replayScenario(t *testing.T, s objects.Scenario, types *objects.Schemas) {
	w := &world{t: t, scenario: s, types: types, stored: map[string]map[string]any{}}
	w.learn()
	for i, st := range s.Steps {
		name := fmt.Sprintf("%s/%d", s.Name, i)
		if reason, ok := refusedByHandler[name]; ok {
			if st.Response.Status < 400 {
				t.Errorf("%s: not refused, though %s", name, reason)
			}
			continue
		}
		w.step, w.problems = st, nil
		if st.Request.Method == "GET" {
			if !reflect.DeepEqual(w.stored[objects.ParsePath(st.Request.Path).Object], st.Response.Body) {
				t.Errorf("%s: the recorded object is not the one last stored", name)
			}
			continue
		}
		w.replay()
		id, listed := objects.GateStepDifferences[name]
		switch {
		case types.Gate && listed && len(w.problems) == 0:
			t.Errorf("%s: %s is listed as a difference, but there is no difference", name, id)
		case types.Gate && listed:
		default:
			for _, p := range w.problems {
				t.Errorf("%s (%s): %s", name, st.Note, p)
			}
		}
	}
}

// world is the state of the recorded server.
type world struct {
	t        *testing.T
	scenario objects.Scenario
	types    *objects.Schemas
	kinds    map[string]string // the kind for the plural name of each resource
	schemas  map[string][2]string
	stored   map[string]map[string]any // stored objects by URL path

	step     objects.Step
	merged   map[string]any
	problems []string
}

func (w *world) differ(what string, got, want any) {
	g, _ := json.Marshal(got)
	x, _ := json.Marshal(want)
	w.problems = append(w.problems, fmt.Sprintf("%s:\n got %s\nwant %s", what, g, x))
}

// learn reads the kinds of the scenario and the schema of each kind.
func (w *world) learn() { w.kinds, w.schemas = w.scenario.Kinds() }

func (w *world) manager() *fieldmanager.FieldManager {
	e := objects.ParsePath(w.step.Request.Path)
	options := fieldmanager.Options{
		APIVersion:  e.ApiVersion,
		Kind:        w.kinds[e.Plural],
		Subresource: e.Subresource,
		Converter:   fieldmanager.NoneConverter,
		Clock:       w.clock,
		Defaulter:   w.complete,
		Types: func(apiVersion, kind string) (typed.ParseableType, error) {
			s, ok := w.schemas[apiVersion+" "+kind]
			if !ok {
				return typed.ParseableType{}, fmt.Errorf("%s %s: %w", apiVersion, kind, fieldmanager.ErrUnknownType)
			}
			return w.types.TypeOf(w.t, s[0], s[1]), nil
		},
	}
	if n := len(w.step.SMD); n > 0 {
		options.ResetFields = w.step.SMD[n-1].ResetFields(w.t)
		if w.stored[e.Object] == nil {
			empty := w.step.SMD[0].Live
			options.Empty = func(string, string) map[string]any { return empty }
		} else if len(w.step.SMD) > 1 && w.step.SMD[0].Op == "Update" {
			empty := w.step.SMD[0].Live // the server's empty object, from the call for before-first-apply
			options.Empty = func(string, string) map[string]any { return empty }
		}
	}
	fm, err := fieldmanager.New(options)
	if err != nil {
		w.t.Fatal(err)
	}
	return fm
}

// clock returns the latest time in the managed fields of the response. If the request changed
// managed fields, this is the time at which the server handled the request.
func (w *world) clock() time.Time {
	latest := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	metadata, _ := w.step.Response.Body["metadata"].(map[string]any)
	list, _ := metadata["managedFields"].([]any)
	for _, item := range list {
		text, _ := item.(map[string]any)["time"].(string)
		if at, err := time.Parse(time.RFC3339, text); err == nil && at.After(latest) {
			latest = at
		}
	}
	return latest
}

// complete replaces the server's defaulting. It adds values from the server's response to the
// merged object. It does not add metadata that the server sets when it stores an object.
func (w *world) complete(object map[string]any) (map[string]any, error) {
	w.merged = object
	if w.step.Response.Status >= 300 {
		return object, nil
	}
	answer := maps.Clone(w.step.Response.Body)
	delete(answer, "metadata")
	return takeOver(object, answer).(map[string]any), nil
}

// takeOver adds to ours the values that exist only in theirs. It removes from ours the
// null and empty values that do not exist in theirs, because the server's types do not
// store such values.
func takeOver(ours, theirs any) any {
	switch ours := ours.(type) {
	case nil:
		return theirs
	case map[string]any:
		theirs, ok := theirs.(map[string]any)
		if !ok {
			return ours
		}
		out := map[string]any{}
		for k, v := range ours {
			if w, ok := theirs[k]; ok {
				out[k] = takeOver(v, w)
			} else if !vain(v) {
				out[k] = v
			}
		}
		for k, v := range theirs {
			if _, ok := ours[k]; !ok {
				out[k] = v
			}
		}
		return out
	case []any:
		theirs, ok := theirs.([]any)
		if !ok || len(ours) != len(theirs) {
			return ours
		}
		out := make([]any, len(ours))
		for i := range ours {
			out[i] = takeOver(ours[i], theirs[i])
		}
		return out
	}
	return ours
}

func vain(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

func (w *world) replay() {
	st, e := w.step, objects.ParsePath(w.step.Request.Path)
	live := w.stored[e.Object]
	manager := st.Request.Query["fieldManager"]
	var result *fieldmanager.Result
	var err error
	w.merged = nil
	if strings.Contains(st.Request.ContentType, "apply-patch") {
		config, ok := st.Request.Body.(map[string]any)
		if !ok {
			config = objects.ParseYAML(w.t, st.Request.Body.(string))
		}
		before := snapshot(live, config)
		result, err = w.manager().Apply(live, config, manager, st.Request.Query["force"] == "true")
		if snapshot(live, config) != before {
			w.problems = append(w.problems, "the live object or the config was modified")
		}
		w.checkMerged(err)
	} else {
		if manager == "" {
			manager = recordedAgent
		}
		object := w.requested(live)
		before := snapshot(live, object)
		result, err = w.manager().Update(live, object, manager)
		if snapshot(live, object) != before {
			w.problems = append(w.problems, "the live or the new object was modified")
		}
	}
	w.checkAnswer(live, result, err)
	if st.Response.Status < 300 && st.Request.Query["dryRun"] == "" {
		path := e.Object
		if e.Name == "" {
			metadata := st.Response.Body["metadata"].(map[string]any)
			path += metadata["name"].(string)
		}
		w.stored[path] = st.Response.Body
	}
}

// requested returns the result of a create, a replace or a merge patch. The server
// passes this complete object to the field manager.
func (w *world) requested(live map[string]any) map[string]any {
	body := w.step.Request.Body.(map[string]any)
	object := body
	if w.step.Request.Method == "PATCH" {
		object = mergePatch(live, body).(map[string]any)
	}
	if len(w.step.SMD) > 0 {
		given := object["metadata"].(map[string]any)["managedFields"]
		object = takeOver(object, w.step.SMD[0].New).(map[string]any)
		if given != nil {
			object["metadata"].(map[string]any)["managedFields"] = given
		}
	}
	return object
}

// mergePatch applies a JSON merge patch (RFC 7396).
func mergePatch(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	t, _ := target.(map[string]any)
	out := maps.Clone(t)
	if out == nil {
		out = map[string]any{}
	}
	for k, v := range p {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = mergePatch(out[k], v)
		}
	}
	return out
}
