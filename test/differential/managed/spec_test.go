// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managed

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
	"github.com/dovetail-ssa/dovetail/test/differential/scopes"
)

// example is one example of section L in spec/README.md. Its objects have apiVersion, kind,
// name and uid only if the example is about these fields.
type example struct {
	Live  map[string]any
	Steps []struct {
		Apply, Update map[string]any
		By            string
		At            string // the time of the request: hour and minute
		To            string // the subresource to which the request goes
		Force         bool
		Conflicts     []string // the managers that must be in conflict
		Refused       bool
	}
	Object  map[string]any
	Entries []entry
}

type entry struct {
	Manager, Operation, Subresource, Time string
	Owns                                  []string
}

// untracked has the fields that an endpoint resets, as FieldsV1. The key is the subresource.
// The endpoint of the object resets the status, and the endpoint of the status resets
// everything else.
var untracked = map[string]string{"": `{"f:status":{}}`, "status": `{"f:metadata":{},"f:size":{},"f:spec":{}}`}

// TestSpec runs the examples of section L with the model and with both field managers.
func TestSpec(t *testing.T) {
	blocks, err := scopes.Blocks("../../../spec/README.md", "L")
	if err != nil {
		t.Fatal(err)
	}
	g := group(t)
	m, err := g.Model()
	if err != nil {
		t.Fatal(err)
	}
	doers := map[string]scopes.Answerer{"model": func(c scopes.Request) (cases.Want, error) { return m.Answer(c.Case), nil }}
	maps.Copy(doers, implementations)
	for _, b := range blocks {
		var e example
		if err := b.Read(&e); err != nil {
			t.Fatal(err)
		}
		for name, by := range doers {
			t.Run(b.Rule+"/"+name, func(t *testing.T) { e.play(t, g, by) })
		}
	}
}

func (e example) play(t *testing.T, g cases.Group, by scopes.Answerer) {
	var live map[string]any
	if e.Live != nil {
		live = stored(e.Live)
	}
	for _, step := range e.Steps {
		c := cases.Case{Level: 3, Op: "apply", Manager: step.By, Force: step.Force, Subresource: step.To,
			Untracked: json.RawMessage(untracked[step.To]), Now: minute(step.At), Object: withIdentity(step.Apply)}
		if step.Update != nil {
			c.Op, c.Object = "update", withIdentity(step.Update)
		}
		if live != nil {
			c.Live = live
			if step.Update != nil {
				c.Object = stored(step.Update)
			}
		}
		got, err := by(scopes.Request{Case: c, Schema: g.Schema, Versions: g.Versions})
		if refused := err != nil || got.Error != ""; refused != step.Refused {
			t.Fatalf("%v: rejected: %v (%v %s)", step, refused, err, got.Error)
		}
		var conflicts []string
		for _, c := range got.Conflicts {
			conflicts = append(conflicts, c.Manager)
		}
		if conflicts = slices.Compact(conflicts); !slices.Equal(conflicts, step.Conflicts) {
			t.Fatalf("%v: conflicts with %q", step, conflicts)
		}
		if !step.Refused && conflicts == nil {
			live = stored(got.Object.(map[string]any)) // a server adds a uid
		}
	}
	if live == nil {
		live = stored(nil)
	}
	if found := e.entries(t, live); len(found)+len(e.Entries) > 0 && !reflect.DeepEqual(found, e.Entries) {
		t.Errorf("entries %v, want %v", found, e.Entries)
	}
	if e.Object == nil {
		return
	}
	delete(live["metadata"].(map[string]any), "managedFields")
	if want := stored(e.Object); (cases.Want{Object: want}).Wrong(cases.Want{Object: live}) != "" {
		t.Errorf("object %v, want %v", live, want)
	}
}

// withIdentity adds apiVersion, kind and name to a copy of an object from an example.
func withIdentity(object map[string]any) map[string]any {
	out := map[string]any{"apiVersion": first, "kind": "K"}
	maps.Copy(out, object)
	metadata := map[string]any{"name": "x"}
	if given, ok := out["metadata"].(map[string]any); ok {
		maps.Copy(metadata, given)
	}
	out["metadata"] = metadata
	return out
}

// stored adds apiVersion, kind, name and uid to a copy of an object from an example.
func stored(object map[string]any) map[string]any {
	out := withIdentity(object)
	out["metadata"].(map[string]any)["uid"] = "1"
	return out
}

func minute(at string) string {
	if at == "" {
		at = "10:00"
	}
	return "2024-05-01T" + at + ":00Z"
}

// entries returns the managed fields of an object. They have times if the example has times.
func (e example) entries(t *testing.T, object map[string]any) (all []entry) {
	list, _ := object["metadata"].(map[string]any)["managedFields"].([]any)
	timed := slices.ContainsFunc(e.Entries, func(e entry) bool { return e.Time != "" })
	for _, item := range list {
		text, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		var found struct {
			Manager, Operation, Subresource, Time string
			FieldsV1                              json.RawMessage
		}
		if err := json.Unmarshal(text, &found); err != nil {
			t.Fatal(err)
		}
		set, err := model.Decode(found.FieldsV1)
		if err != nil {
			t.Fatal(err)
		}
		out := entry{Manager: found.Manager, Operation: found.Operation, Subresource: found.Subresource}
		if timed && found.Time != "" {
			out.Time = found.Time[len("2024-05-01T"):len("2024-05-01T10:00")]
		}
		for p := range set {
			out.Owns = append(out.Owns, scopes.Printed(p))
		}
		slices.Sort(out.Owns)
		all = append(all, out)
	}
	return all
}
