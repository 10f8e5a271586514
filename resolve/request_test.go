// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestRequestIsSafeForConcurrentUse calls Apply of one Request in several goroutines, which
// modify the errors and results that they get. No goroutine may see the modifications of
// another goroutine.
func TestRequestIsSafeForConcurrentUse(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Duplicates: typed.KeepFirst})
	live := objects.Apply(t, m, nil, "argocd", `"replicas":2,"type":"NodePort"`).Object
	for name, tc := range map[string]struct{ config, forced, yielded string }{
		"conflicts":    {`"replicas":3,"type":"x"`, `{"replicas":3,"type":"x"}`, `{"replicas":2,"type":"NodePort"}`},
		"no conflicts": {`"replicas":2,"ports":[{"port":80},{"port":80}]`, `{"ports":[{"port":80}],"replicas":2,"type":"NodePort"}`, `{"ports":[{"port":80}],"replicas":2,"type":"NodePort"}`},
	} {
		request := resolve.New(m, live, objects.Object(t, tc.config), "helm")
		var all sync.WaitGroup
		for range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				for choice, want := range map[resolve.Choice]string{resolve.Refuse: "", resolve.Force: tc.forced, resolve.Yield: tc.yielded, resolve.Share: tc.yielded} {
					got, err := request.Apply(resolve.Choices{}.Rest(choice))
					var conflict *fieldmanager.ConflictError
					if errors.As(err, &conflict) {
						if choice != resolve.Refuse || len(conflict.Conflicts) != 2 || conflict.Conflicts[0].Manager != "argocd" {
							t.Errorf("%s, %v: got %v", name, choice, err)
						}
						conflict.Conflicts[0].Manager, conflict.Conflicts[0].Path = "nobody", nil
						continue
					}
					if err != nil || want != "" && specJSON(got.Result.Object) != want {
						t.Errorf("%s, %v: got %v", name, choice, err)
						continue
					}
					got.Result.Warnings = append(got.Result.Warnings, got.Result.Warnings...)
					got.Result.Object = nil
				}
			}()
		}
		all.Wait()
	}
}

// TestWithAndRest checks that With makes a choice for one path and for all owners of that
// path. Rest must make a choice only for refused conflicts.
func TestWithAndRest(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, m, nil, "argocd", `"replicas":2,"type":"NodePort","ports":[{"port":80,"name":"a"}]`).Object
	live = objects.Apply(t, m, live, "flux", `"replicas":2`).Object
	const config = `"replicas":3,"type":"x","ports":[{"port":80,"name":"b"}]`
	e := conflicts(t, m, live, "helm", config)
	over := map[string]*fieldmanager.Conflict{}
	for i := range e.Conflicts {
		over[e.Conflicts[i].Path.String()] = &e.Conflicts[i]
	}
	const name = `.spec.ports[port=80,protocol="TCP"].name`
	replicas, typ := over[".spec.replicas"], over[".spec.type"]
	if len(e.Conflicts) != 4 || replicas == nil || typ == nil || over[name] == nil {
		t.Fatalf("got %v", e)
	}
	item := resolve.Choices{Yield: pathsOf(t, `.spec.ports[port=80,protocol="TCP"]`)}
	for _, tc := range []struct {
		what    string
		choices resolve.Choices
		want    string // the spec of the object, or the error
	}{
		{"the others are refused", resolve.Choices{}.With(replicas, resolve.Yield),
			"Apply failed with 2 conflicts: conflicts with \"argocd\":\n- .spec.type\n- " + name},
		{"the others as before", item.With(replicas, resolve.Share).With(typ, resolve.Force), `{"ports":[{"name":"a","port":80}],"replicas":2,"type":"x"}`},
		{"instead of an earlier choice", item.With(replicas, resolve.Yield).With(replicas, resolve.Force).Rest(resolve.Yield), `{"ports":[{"name":"a","port":80}],"replicas":3,"type":"NodePort"}`},
		{"instead of a path", item.With(over[name], resolve.Force).Rest(resolve.Yield), `{"ports":[{"name":"b","port":80}],"replicas":2,"type":"NodePort"}`},
		{"the first Rest wins", item.Rest(resolve.Force).Rest(resolve.Yield), `{"ports":[{"name":"a","port":80}],"replicas":3,"type":"x"}`},
		{"a refused conflict stays refused until Rest", item.With(typ, resolve.Refuse).Rest(resolve.Force), `{"ports":[{"name":"a","port":80}],"replicas":3,"type":"x"}`},
	} {
		got, err := e.request.Apply(tc.choices)
		if err != nil && err.Error() != tc.want || err == nil && specJSON(got.Result.Object) != tc.want {
			t.Errorf("%s: got %v, %v", tc.what, got, err)
		}
	}
}
