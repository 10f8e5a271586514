// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/cluster/internal/e2e"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// stored returns the managed fields of a custom resource with the given entries in etcd.
func stored(t *testing.T, entries ...string) owners {
	t.Helper()
	var list []json.RawMessage
	for i, fields := range entries {
		list = append(list, json.RawMessage(fmt.Sprintf(
			`{"manager":"m%d","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":%s}`, i, fields)))
	}
	text, err := json.Marshal(m{"metadata": m{"managedFields": list}})
	if err != nil {
		t.Fatal(err)
	}
	o, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOwners(t *testing.T) {
	const a6, a7 = `{"f:l":{"k:{\"a\":1e-07}":{}}}`, `{"f:l":{"k:{\"a\":1e-7}":{}}}`
	for _, tc := range []struct {
		name                string
		before, after       []string
		changed, reencoded  int
		difference, writing bool
	}{
		{"the same", []string{a6}, []string{a6}, 0, 0, false, false},
		{"in other bytes", []string{a6}, []string{a7}, 0, 1, false, false},
		{"another set", []string{a6}, []string{`{"f:l":{}}`}, 1, 0, true, false},
		{"the writer's", []string{a6}, []string{`{"f:l":{}}`}, 0, 0, true, true},
		{"one more", []string{a6}, []string{a7, `{"f:b":{}}`}, 1, 1, true, false},
		{"one less", []string{a6, `{"f:b":{}}`}, []string{a6}, 1, 0, true, false},
	} {
		before, after := stored(t, tc.before...), stored(t, tc.after...)
		writer := ""
		if tc.writing {
			writer = "m0"
		}
		if changed, reencoded := after.changed(before, writer); changed != tc.changed || reencoded != tc.reencoded {
			t.Errorf("%s: %d sets changed, %d sets have other bytes", tc.name, changed, reencoded)
		}
		if d := after.difference(before); (d != "") != tc.difference {
			t.Errorf("%s: difference %q", tc.name, d)
		}
	}
}

// TestCompare checks that a report counts each difference correctly: as unexplained, or as a
// difference that structured-merge-diff has, too.
func TestCompare(t *testing.T) {
	of := func(revision, object, fields string) state { return state{revision, object, stored(t, fields)} }
	one, two := of("1", "x", `{"f:a":{}}`), of("2", "x", `{"f:a":{}}`)
	other, object := of("2", "x", `{"f:b":{}}`), of("2", "y", `{"f:a":{}}`)
	ok := func(before, after state) outcome { return outcome{e2e.Answer{Status: 200}, before, after} }
	refused := func(text string) outcome { return outcome{e2e.Answer{Status: 409, Body: text}, one, one} }
	for _, tc := range []struct {
		name                  string
		out                   [3]outcome
		unexplained, upstream int
		idle, stored          int
	}{
		{"all alike", [3]outcome{ok(one, other), ok(one, other), ok(one, other)}, 0, 0, 0, 0},
		{"idle", [3]outcome{ok(one, one), ok(one, one), ok(one, one)}, 0, 0, 1, 0},
		{"idle, stored in other bytes", [3]outcome{ok(one, two), ok(one, two), ok(one, one)}, 0, 0, 1, 1},
		{"idle, ownership moves", [3]outcome{ok(one, other), ok(one, other), ok(one, one)}, 1, 1, 1, 1},
		{"Dovetail's owners", [3]outcome{ok(one, other), ok(one, two), ok(one, two)}, 2, 0, 0, 0},
		{"Dovetail's object", [3]outcome{ok(one, object), ok(one, two), ok(one, two)}, 2, 0, 0, 0},
		{"the release's object", [3]outcome{ok(one, object), ok(one, object), ok(one, two)}, 0, 1, 0, 0},
		{"the error message of a release", [3]outcome{refused("a"), refused("a"), refused("b")}, 0, 0, 0, 0},
		{"another error message of Dovetail", [3]outcome{refused("a"), refused("b"), refused("b")}, 1, 0, 0, 0},
	} {
		r, count := &Report{}, &Count{}
		r.compare(count, write{kind: &widgets}, route[1], tc.out)
		if len(r.Unexplained) != tc.unexplained || len(r.Upstream) != tc.upstream || count.Idle != tc.idle || count.Stored != tc.stored {
			t.Errorf("%s: %+v %v %v", tc.name, count, r.Unexplained, r.Upstream)
		}
	}
}

// TestRoute checks the order of a route: it upgrades, goes back by one release, upgrades again,
// and downgrades.
func TestRoute(t *testing.T) {
	releases := []repo.Release{{Name: "1.36"}, {Name: "1.37"}, {Name: "1.38"}}
	want := []Turn{
		{"1.36", false}, {"1.37", true}, {"1.37", false}, {"1.38", true}, {"1.38", false},
		{"1.37", true}, {"1.38", true}, {"1.37", false}, {"1.36", false},
	}
	if got := routeThrough(releases); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	want = []Turn{{"1.36", false}, {"1.37", true}, {"1.37", false}, {"1.36", true}, {"1.37", true}, {"1.36", false}}
	if got := routeThrough(releases[:2]); !slices.Equal(got, want) {
		t.Errorf("route through two releases: got %v, want %v", got, want)
	}
}

// TestFrom checks that a route includes each later release, and ends with the release it starts
// with.
func TestFrom(t *testing.T) {
	for _, r := range repo.Releases {
		release := r.Name
		turns := From(release)
		seen := map[Turn]bool{}
		for _, turn := range turns {
			seen[turn] = true
		}
		for _, turn := range route {
			if seen[turn] != (turn.Release >= release) {
				t.Errorf("the route from %s: turn %s is in it: %v", release, turn, seen[turn])
			}
		}
		if last := turns[len(turns)-1]; last.Release != release {
			t.Errorf("the route from %s ends at %s", release, last)
		}
	}
}

// TestNext checks the random writes. They must depend only on the seed. They must include all
// kinds of objects and of requests.
func TestNext(t *testing.T) {
	draw := func() (all []string, ways map[string]int) {
		u := &run{report: &Report{Turns: make([]Count, 1)}, rnd: rand.New(rand.NewPCG(1, 37)), last: map[string]write{}}
		ways = map[string]int{}
		for i := range 500 {
			w := u.next(i)
			text, err := json.Marshal(w.body)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, w.String()+string(text))
			ways[w.how]++
			ways[w.kind.name+w.sub]++
		}
		return all, ways
	}
	one, ways := draw()
	two, _ := draw()
	if fmt.Sprint(one) != fmt.Sprint(two) {
		t.Error("the writes depend on more than the seed")
	}
	for _, way := range []string{apply, force, merge, strategic, put, "Deployment", "Deploymentstatus", "Service", "ConfigMap", "Widget", "Widgetstatus"} {
		if ways[way] < 5 {
			t.Errorf("%s: only %d of 500 writes are of this kind", way, ways[way])
		}
	}
}
