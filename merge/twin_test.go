// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const twinSchema = `types:
- name: app
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: spec, type: {namedType: spec}}
    - name: labels
      type: {map: {elementType: {scalar: string}}}
    - name: tree
      type: {map: {elementType: {namedType: app}}}
- name: spec
  map:
    fields:
    - {name: replicas, type: {scalar: numeric}}
    - name: ports
      type: {list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: port}}}
    - name: tags
      type: {list: {elementRelationship: associative, elementType: {scalar: string}}}
    - name: args
      type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}
    - name: selector
      type: {map: {elementRelationship: atomic, elementType: {scalar: string}}}
- name: port
  map:
    fields:
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
    - {name: name, type: {scalar: string}}
    - {name: app, type: {namedType: spec}}
`

// randomApp returns a random object of type app in twinSchema.
func randomApp(r *rand.Rand, depth int) map[string]any {
	o := map[string]any{}
	if r.Intn(2) == 0 {
		o["name"] = pick(r, "a", "b")
	}
	if r.Intn(4) > 0 {
		o["spec"] = randomSpec(r, depth)
	}
	if r.Intn(3) == 0 {
		o["labels"] = randomStrings(r)
	}
	if depth > 0 && r.Intn(3) == 0 {
		tree := map[string]any{}
		for range r.Intn(3) {
			tree[pick(r, "x", "y")] = randomApp(r, depth-1)
		}
		o["tree"] = tree
	}
	return o
}

func randomSpec(r *rand.Rand, depth int) any {
	if r.Intn(12) == 0 {
		return nil
	}
	s := map[string]any{}
	if r.Intn(2) == 0 {
		s["replicas"] = int64(r.Intn(2))
	}
	if r.Intn(3) > 0 {
		ports := []any{}
		for _, port := range r.Perm(3)[:r.Intn(4)] {
			p := map[string]any{"port": int64(port)}
			if r.Intn(2) == 0 {
				p["protocol"] = pick(r, "TCP", "UDP")
			}
			if r.Intn(2) == 0 {
				p["name"] = pick(r, "m", "n")
			}
			if depth > 0 && r.Intn(4) == 0 {
				p["app"] = randomSpec(r, depth-1)
			}
			ports = append(ports, p)
		}
		s["ports"] = ports
	}
	if r.Intn(3) == 0 {
		tags := []any{}
		for _, t := range r.Perm(3)[:r.Intn(4)] {
			tags = append(tags, string(rune('p'+t)))
		}
		s["tags"] = tags
	}
	if r.Intn(4) == 0 {
		s["args"] = []any{pick(r, "v", "w")}
	}
	if r.Intn(4) == 0 {
		s["selector"] = randomStrings(r)
	}
	return s
}

func randomStrings(r *rand.Rand) map[string]any {
	m := map[string]any{}
	for range r.Intn(3) {
		m[pick(r, "k", "l")] = pick(r, "1", "2")
	}
	return m
}

func pick(r *rand.Rand, of ...string) string { return of[r.Intn(len(of))] }

// randomPart returns a random part of a set, item members and what is below
// them apart, as force-applies and updates of others leave them.
func randomPart(r *rand.Rand, s *fieldpath.Set) *fieldpath.Set {
	out := fieldpath.NewSet()
	s.Iterate(func(p fieldpath.Path) {
		if r.Intn(4) > 0 {
			out.Insert(p.Copy())
		}
	})
	return out
}

type sameVersion struct{}

func (sameVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, nil
}
func (sameVersion) IsMissingVersionError(error) bool { return false }

// The closed form must prune what the three steps prune.
func TestPruneOneVersionEqualsThreeSteps(t *testing.T) {
	t.Run("gate off", func(t *testing.T) { pruneTwins(t, false) })
	t.Run("declarative defaults", func(t *testing.T) { pruneTwins(t, true) })
}

func pruneTwins(t *testing.T, declarative bool) {
	parser, err := typed.NewParser(twinSchema)
	if err != nil {
		t.Fatal(err)
	}
	parser.Schema.DeclarativeDefaults = declarative
	nothing, err := parser.Type("app").FromUnstructured(map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	app := parser.Type("app")
	fromMap := func(o map[string]any) *typed.TypedValue {
		tv, err := app.FromUnstructured(o)
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	short, pruned := 0, 0
	for seed := range int64(20000) {
		r := rand.New(rand.NewSource(seed))
		merged := fromMap(randomApp(r, 2))
		all, err := merged.ToFieldSet()
		if err != nil {
			t.Fatal(err)
		}
		other, err := fromMap(randomApp(r, 2)).ToFieldSet()
		if err != nil {
			t.Fatal(err)
		}
		last := randomPart(r, all).Union(randomPart(r, other))
		if last.Empty() {
			continue
		}
		managers := fieldpath.ManagedFields{"me": fieldpath.NewVersionedSet(randomPart(r, all), "v1", true)}
		for i := range r.Intn(3) {
			managers[fmt.Sprint(i)] = fieldpath.NewVersionedSet(randomPart(r, all), "v1", i == 0)
		}
		lastSet := fieldpath.NewVersionedSet(last, "v1", true)
		got, ok := pruneOneVersion(merged, managers, "me", lastSet)
		if !ok {
			continue
		}
		short++
		if got != merged {
			pruned++
		}
		u := &Updater{Converter: sameVersion{}}
		want, err := pruner{u, managers, "me", lastSet}.prune(merged)
		if err != nil {
			t.Fatal(err)
		}
		// What becomes of emptied containers is the same for both.
		for _, tv := range []**typed.TypedValue{&got, &want} {
			if *tv, err = u.emptied(merged, *tv, nothing, managers, "me"); err != nil {
				t.Fatal(err)
			}
		}
		if !value.Equals(got.AsValue(), want.AsValue()) {
			t.Fatalf("seed %d:\nmerged %v\nlast\n%v\nmanagers %v\ngot  %v\nwant %v", seed,
				value.ToString(merged.AsValue()), last, managers, value.ToString(got.AsValue()), value.ToString(want.AsValue()))
		}
	}
	if short < 10000 || pruned < 5000 {
		t.Fatalf("the closed form was used %d times and pruned %d times: the test says too little", short, pruned)
	}
	t.Logf("closed form used %d times, pruned %d times", short, pruned)
}
