// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// gateDifferences lists recorded merge calls whose result differs from the recording if
// declarative defaults are on. The recorded server had no declarative defaults. Each value
// is the ID of the reason in DIFFERENCES.md.
var gateDifferences = map[string]string{
	"configmap-ownership/6/0":   "null-field",
	"configmap-ownership/7/0":   "null-field",
	"crd-list-map-default/23/0": "null-field",
	"crd-list-map-default/27/0": "empty-owned",
}

// TestGoldenMergeCalls replays the calls of merge.Updater that were recorded in a real API
// server.
func TestGoldenMergeCalls(t *testing.T) {
	for _, gate := range []bool{false, true} {
		t.Run(fmt.Sprintf("gate=%v", gate), func(t *testing.T) {
			calls := 0
			types := objects.NewSchemas(gate)
			seen := map[string]bool{}
			for _, s := range objects.LoadScenarios(t) {
				for i, st := range s.Steps {
					for j, c := range st.SMD {
						calls++
						name := fmt.Sprintf("%s/%d/%d", s.Name, i, j)
						problems := replay(t, types, c)
						id, listed := gateDifferences[name]
						seen[name] = true
						switch {
						case gate && listed && len(problems) == 0:
							t.Errorf("%s: %s is listed as a difference, but there is no difference", name, id)
						case gate && listed:
						default:
							for _, p := range problems {
								t.Errorf("%s (%s): %s", name, st.Note, p)
							}
						}
					}
				}
			}
			for name := range gateDifferences {
				if !seen[name] {
					t.Errorf("%s is listed as a difference and does not exist", name)
				}
			}
			t.Logf("%d calls", calls)
		})
	}
}

// replay makes one recorded call, and describes how the result differs from the recorded
// result.
func replay(t *testing.T, types *objects.Schemas, c objects.Call) (problems []string) {
	t.Helper()
	differ := func(what string, got, want any) {
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		problems = append(problems, fmt.Sprintf("%s:\n got %s\nwant %s", what, g, w))
	}
	pt := types.TypeOf(t, c.Schema, c.TypeName)
	live, err := pt.FromUnstructured(c.Live, typed.AllowDuplicates)
	if err != nil {
		t.Fatalf("live: %v", err)
	}
	var options []typed.ValidationOptions
	if c.Op == "Update" {
		options = append(options, typed.AllowDuplicates)
	}
	object, err := pt.FromUnstructured(c.New, options...)
	if err != nil {
		t.Fatalf("new: %v", err)
	}
	managers := fieldpath.ManagedFields{}
	for id, m := range c.Managers {
		managers[id] = fieldpath.NewVersionedSet(m.Set(t), m.APIVersion, m.Applied)
	}
	builder := merge.UpdaterBuilder{
		Converter:     &recordedConverter{t: t, types: types, call: c},
		IgnoredFields: c.ResetFields(t),
	}
	updater := builder.BuildUpdater()
	var out *typed.TypedValue
	if c.Op == "Apply" {
		out, managers, err = updater.Apply(live, object, c.Version, managers, c.Manager, c.Force)
	} else {
		out, managers, err = updater.Update(live, object, c.Version, managers, c.Manager)
	}
	message := ""
	if err != nil {
		message = err.Error()
	}
	if message != c.Error {
		differ("error", message, c.Error)
	}
	var conflicts []string
	if list, ok := err.(merge.Conflicts); ok {
		for _, conflict := range list {
			conflicts = append(conflicts, fmt.Sprintf("%s: %v", conflict.Manager, conflict.Path))
		}
	}
	slices.Sort(c.Conflicts)
	slices.Sort(conflicts)
	if !slices.Equal(conflicts, c.Conflicts) {
		differ("conflicts", conflicts, c.Conflicts)
	}
	if err != nil || c.Error != "" {
		return problems
	}
	if c.OutObjectNil != (out == nil) {
		differ("no object", out == nil, c.OutObjectNil)
	} else if out != nil {
		if got := out.AsValue().Unstructured(); !same(got, c.OutObject) {
			differ("object", got, c.OutObject)
		}
	}
	for id, want := range c.OutManagers {
		got, ok := managers[id]
		if !ok {
			differ("managers", nil, id)
			continue
		}
		if !got.Set().Equals(want.Set(t)) || got.APIVersion() != want.APIVersion || got.Applied() != want.Applied {
			text, _ := got.Set().ToJSON()
			differ(id, fmt.Sprintf("%s %v %s", got.APIVersion(), got.Applied(), text), want)
		}
	}
	for id := range managers {
		if _, ok := c.OutManagers[id]; !ok {
			differ("managers", id, nil)
		}
	}
	return problems
}

// recordedConverter is a Converter that returns the recorded results. With declarative
// defaults, the merge sometimes converts objects that the recording does not contain. The
// converter then changes only apiVersion, because the versions of the recorded custom
// resource differ only in name.
type recordedConverter struct {
	t     *testing.T
	types *objects.Schemas
	call  objects.Call
}

func (r *recordedConverter) Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	plain := object.AsValue().Unstructured().(map[string]any)
	if plain["apiVersion"] == string(version) {
		return object, nil
	}
	for _, c := range r.call.Converts {
		if c.Version == version && same(c.From, plain) {
			return r.types.TypeOf(r.t, c.ToSchema, c.ToType).FromUnstructured(c.To)
		}
	}
	if r.types.Gate {
		for _, c := range r.call.Converts {
			if c.Version == version {
				to := maps.Clone(plain)
				to["apiVersion"] = string(version)
				return r.types.TypeOf(r.t, c.ToSchema, c.ToType).FromUnstructured(to)
			}
		}
	}
	return object, fmt.Errorf("conversion to %s was not recorded", version)
}

func (r *recordedConverter) IsMissingVersionError(error) bool { return false }

// same compares a and b as JSON texts, so that 1 and 1.0 are equal.
func same(a, b any) bool {
	x, err := json.Marshal(a)
	if err != nil {
		return false
	}
	y, err := json.Marshal(b)
	return err == nil && string(x) == string(y)
}
