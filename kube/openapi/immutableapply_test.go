// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/typed"
)

// applyCase is a sequence of applies to an object that does not exist at the beginning.
type applyCase struct {
	ID, Schema  string
	Req         []string
	Basis, Note string
	Steps       []applyStep
}

// applyStep is one apply. If expect contains no error, the apply must succeed. A failed
// apply must not change the object.
type applyStep struct {
	Manager string
	Force   bool
	Apply   map[string]any
	Expect  struct {
		Errors   []wantedError
		Conflict bool
	}
	// Result is the spec after the merge.
	Result map[string]any
}

func TestImmutabilityApplies(t *testing.T) {
	count := 0
	for _, all := range loadImmutabilityCases(t) {
		for _, c := range all.Apply {
			count++
			t.Run(c.ID, func(t *testing.T) {
				pt := typeOf(t, all.Schemas[c.Schema])
				m, err := fieldmanager.New(fieldmanager.Options{
					Types:            func(string, string) (typed.ParseableType, error) { return pt, nil },
					CheckTransitions: true,
				})
				if err != nil {
					t.Fatal(err)
				}
				var live map[string]any
				for i, step := range c.Steps {
					result, err := m.Apply(live, step.config(t), step.Manager, step.Force)
					var conflict *fieldmanager.ConflictError
					if errors.As(err, &conflict) != step.Expect.Conflict {
						t.Fatalf("step %d: %v, want a conflict: %v", i, err, step.Expect.Conflict)
					}
					if step.Expect.Conflict {
						continue
					}
					if got := violations(t, err); !slices.Equal(got, step.Expect.Errors) {
						t.Fatalf("step %d: %s %s\ngot  %v\nwant %v", i, c.Req, c.Note, got, step.Expect.Errors)
					}
					if err != nil {
						continue
					}
					live = result.Object
					if want, got := plainCopy(t, step.Result), plainCopy(t, live["spec"]); step.Result != nil && !reflect.DeepEqual(got, want) {
						t.Fatalf("step %d: the spec is %v, want %v", i, got, want)
					}
				}
			})
		}
	}
	if count < 10 {
		t.Errorf("%d cases", count)
	}
}

func (s *applyStep) config(t *testing.T) map[string]any {
	config, ok := plainCopy(t, s.Apply).(map[string]any)
	if !ok {
		t.Fatalf("not an object: %v", s.Apply)
	}
	config["apiVersion"], config["kind"] = "example.com/v1", "Widget"
	config["metadata"] = map[string]any{"name": "w"}
	return config
}
