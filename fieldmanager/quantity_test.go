// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/typed"
)

func quantityType(t testing.TB) typed.ParseableType {
	t.Helper()
	p, err := typed.NewParser(`types:
- name: io.k8s.apimachinery.pkg.api.resource.Quantity
  scalar: untyped
- name: Limits
  map: {elementType: {namedType: io.k8s.apimachinery.pkg.api.resource.Quantity}}
- name: Pod
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {fields: [{name: name, type: {scalar: string}}]}}}
    - {name: limits, type: {namedType: Limits}}
    - {name: text, type: {scalar: string}}
    - {name: atomic, type: {map: {elementRelationship: atomic, fields: [{name: size, type: {namedType: io.k8s.apimachinery.pkg.api.resource.Quantity}}, {name: name, type: {scalar: string}}]}}}
    - {name: claims, type: {list: {elementRelationship: atomic, elementType: {namedType: Limits}}}}
    - {name: set, type: {list: {elementRelationship: associative, elementType: {namedType: io.k8s.apimachinery.pkg.api.resource.Quantity}}}}
    - name: containers
      type:
        list:
          elementRelationship: associative
          keys: [name]
          elementType: {map: {fields: [{name: name, type: {scalar: string}}, {name: limits, type: {namedType: Limits}}]}}
`)
	if err != nil {
		t.Fatal(err)
	}
	p.Schema.DeclarativeDefaults = true
	return p.Type("Pod")
}

func pod(t testing.TB, fields string) map[string]any {
	return objects.Object(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},`+fields+`}`)
}

func TestRespell(t *testing.T) {
	typ := quantityType(t)
	one := pod(t, `"limits":{"cpu":"1000m"}`)
	if got := fieldmanager.RespellQuantities(typ, nil, one); objects.AsJSON(got) != objects.AsJSON(one) {
		t.Errorf("nothing live: %s", objects.AsJSON(got))
	}
	if got := fieldmanager.RespellQuantities(typ, one, nil); got != nil {
		t.Errorf("no object: %s", objects.AsJSON(got))
	}
	for name, c := range map[string]struct{ live, object, want string }{
		"map":             {`"limits":{"cpu":"1","memory":"1Gi"}`, `"limits":{"cpu":"1000m","memory":"1024Mi","gpu":"1"}`, `"limits":{"cpu":"1","memory":"1Gi","gpu":"1"}`},
		"another number":  {`"limits":{"cpu":"1"}`, `"limits":{"cpu":"1001m"}`, `"limits":{"cpu":"1001m"}`},
		"integer":         {`"limits":{"cpu":"1"}`, `"limits":{"cpu":1}`, `"limits":{"cpu":"1"}`},
		"fraction":        {`"limits":{"cpu":"500m"}`, `"limits":{"cpu":0.5}`, `"limits":{"cpu":"500m"}`},
		"no quantity":     {`"text":"1"`, `"text":"1000m"`, `"text":"1000m"`},
		"items by keys":   {`"containers":[{"name":"a","limits":{"cpu":"1"}},{"name":"b","limits":{"cpu":"2"}}]`, `"containers":[{"name":"b","limits":{"cpu":"2000m"}},{"name":"c","limits":{"cpu":"1000m"}}]`, `"containers":[{"name":"b","limits":{"cpu":"2"}},{"name":"c","limits":{"cpu":"1000m"}}]`},
		"atomic":          {`"atomic":{"size":"1Gi","name":"x"}`, `"atomic":{"size":"1024Mi","name":"x"}`, `"atomic":{"size":"1Gi","name":"x"}`},
		"items by index":  {`"claims":[{"a":"1"},{"a":"2"}]`, `"claims":[{"a":"1000m"},{"a":"3"},{"a":"2000m"}]`, `"claims":[{"a":"1"},{"a":"3"},{"a":"2000m"}]`},
		"no item":         {`"claims":[]`, `"claims":[{"a":"1000m"}]`, `"claims":[{"a":"1000m"}]`},
		"items of a set":  {`"set":["1"]`, `"set":["1000m"]`, `"set":["1000m"]`},
		"of another kind": {`"limits":{"cpu":"1"}`, `"limits":null`, `"limits":null`},
	} {
		t.Run(name, func(t *testing.T) {
			live, sent := pod(t, c.live), pod(t, c.object)
			got := fieldmanager.RespellQuantities(typ, live, sent)
			if want := objects.AsJSON(pod(t, c.want)); objects.AsJSON(got) != want {
				t.Errorf("got  %s\nwant %s", objects.AsJSON(got), want)
			}
			if objects.AsJSON(sent) != objects.AsJSON(pod(t, c.object)) || objects.AsJSON(live) != objects.AsJSON(pod(t, c.live)) {
				t.Error("an argument was modified")
			}
		})
	}
}

// TestRespellBesideNew checks that RespellQuantities ignores fields that only the request
// has, and still handles the fields after them.
func TestRespellBesideNew(t *testing.T) {
	has, sent, want := map[string]any{}, map[string]any{}, map[string]any{}
	for i := range 20 {
		name, unknown := fmt.Sprint("a", i), fmt.Sprint("b", i)
		has[name], sent[name], want[name] = "1", "1000m", "1"
		sent[unknown], want[unknown] = "1000m", "1000m"
	}
	got := fieldmanager.RespellQuantities(quantityType(t), map[string]any{"limits": has}, map[string]any{"limits": sent})
	if objects.AsJSON(got["limits"]) != objects.AsJSON(want) {
		t.Errorf("got  %s\nwant %s", objects.AsJSON(got["limits"]), objects.AsJSON(want))
	}
}

// TestUpdateRespellsWithOption checks that an update stores the quantities as they are sent
// if the option is not set.
func TestUpdateRespellsWithOption(t *testing.T) {
	typ := quantityType(t)
	for option, want := range map[bool]string{false: "1000m", true: "1"} {
		m := objects.NewManager(t, fieldmanager.Options{EqualQuantities: option, Types: func(string, string) (typed.ParseableType, error) { return typ, nil }})
		live, err := m.Update(nil, pod(t, `"limits":{"cpu":"1"}`), "a")
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Update(live.Object, pod(t, `"limits":{"cpu":"1000m"}`), "b")
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Object["limits"].(map[string]any)["cpu"]; got != want || r.Changed == option {
			t.Errorf("option %v: got %v, changed %v", option, got, r.Changed)
		}
	}
}

// TestHintOfRespelling checks the hint that both values are the same quantity. Atomic maps
// must not get this hint if anything else in them differs.
func TestHintOfRespelling(t *testing.T) {
	typ := quantityType(t)
	m := objects.NewManager(t, fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return typ, nil }})
	live := objects.Apply(t, m, nil, "m1", objects.AsJSON(pod(t, `"atomic":{"size":"1Gi","name":"x"}`))).Object
	for config, want := range map[string]bool{
		`{"size":"1024Mi","name":"x"}`: true,
		`{"size":"1024Mi","name":"y"}`: false,
		`{"size":"2Gi","name":"x"}`:    false,
	} {
		_, err := m.Apply(live, pod(t, `"atomic":`+config), "m2", false)
		var conflict *fieldmanager.ConflictError
		if !errors.As(err, &conflict) || len(conflict.Conflicts) != 1 {
			t.Fatalf("%s: got %v", config, err)
		}
		if hint := conflict.Conflicts[0].Hint; strings.Contains(hint, "the same quantity, written differently") != want {
			t.Errorf("%s: hint %q", config, hint)
		}
	}
}

func TestEqualQuantities(t *testing.T) {
	typ := quantityType(t)
	types := func(string, string) (typed.ParseableType, error) { return typ, nil }
	apart := objects.NewManager(t, fieldmanager.Options{Types: types})
	equal := objects.NewManager(t, fieldmanager.Options{Types: types, EqualQuantities: true})
	first := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"limits":{"cpu":"1","memory":"1Gi"},"atomic":{"size":"500m"}}`
	live := objects.Apply(t, apart, nil, "m1", first).Object
	config := pod(t, `"limits":{"cpu":"1000m","memory":"2Gi"},"atomic":{"size":0.5}`)

	_, err := apart.Apply(live, config, "m2", false)
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) || len(conflict.Conflicts) != 3 {
		t.Fatalf("got %v", err)
	}
	for _, c := range conflict.Conflicts {
		if hinted := strings.Contains(c.Hint, "the same quantity, written differently"); hinted == (c.Path.String() == ".limits.memory") {
			t.Errorf("%v: hint %q", c.Path, c.Hint)
		}
	}
	_, err = equal.Apply(live, config, "m2", false)
	if !errors.As(err, &conflict) || len(conflict.Conflicts) != 1 || conflict.Conflicts[0].Path.String() != ".limits.memory" {
		t.Fatalf("got %v", err)
	}

	again, err := equal.Apply(live, pod(t, `"limits":{"cpu":"1.0","memory":"1024Mi"},"atomic":{"size":"0.5"}`), "m1", false)
	if err != nil || again.Changed {
		t.Errorf("the same by its owner: changed, %v", err)
	}
	shared, err := equal.Apply(live, pod(t, `"limits":{"cpu":"1000m"}`), "m2", false)
	if err != nil {
		t.Fatal(err)
	}
	if got := objects.AsJSON(shared.Object["limits"]); got != `{"cpu":"1","memory":"1Gi"}` || shared.Managed.Len() != 2 {
		t.Errorf("got %s, %d owners", got, shared.Managed.Len())
	}
	updated, err := equal.Update(live, pod(t, `"limits":{"cpu":"1000m","memory":"1Gi"},"atomic":{"size":"500m"}`), "u")
	if err != nil || updated.Changed {
		t.Errorf("an update: changed, %v", err)
	}
}
