// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/operand"
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
    - {name: tree, type: {namedType: tree}}
- name: tree
  map:
    fields:
    - name: tags
      type: {list: {elementRelationship: associative, elementType: {scalar: string}}}
    elementType: {namedType: app}
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

// randomApp returns a random object of the type app in twinSchema.
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
		if r.Intn(3) == 0 {
			tree["tags"] = randomTags(r)
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
			if ports = append(ports, p); r.Intn(8) == 0 {
				// Add an item that shares one key with the last item, or has the same identity as
				// the last item.
				ports = append(ports, map[string]any{"port": int64(port), "protocol": pick(r, "TCP", "UDP")})
			}
		}
		s["ports"] = ports
	}
	if r.Intn(3) == 0 {
		s["tags"] = randomTags(r)
	}
	if r.Intn(4) == 0 {
		s["args"] = []any{pick(r, "v", "w")}
	}
	if r.Intn(4) == 0 {
		s["selector"] = randomStrings(r)
	}
	return s
}

func randomTags(r *rand.Rand) []any {
	tags := []any{}
	for _, t := range r.Perm(3)[:r.Intn(4)] {
		tags = append(tags, string(rune('p'+t)))
	}
	return tags
}

func randomStrings(r *rand.Rand) map[string]any {
	m := map[string]any{}
	for range r.Intn(3) {
		m[pick(r, "k", "l")] = pick(r, "1", "2")
	}
	return m
}

func pick(r *rand.Rand, of ...string) string { return of[r.Intn(len(of))] }

// randomPart returns a random subset of a set. A subset may have the path of an item
// without the paths below it, and vice versa. Forced applies and updates of other managers
// leave such sets.
func randomPart(r *rand.Rand, s *fieldpath.Set) *fieldpath.Set {
	out := fieldpath.NewSet()
	s.Iterate(func(p fieldpath.Path) {
		if r.Intn(4) > 0 {
			out.Insert(p.Copy())
		}
	})
	return out
}

// withoutItems returns a set without some of its items.
func withoutItems(r *rand.Rand, s *fieldpath.Set) *fieldpath.Set {
	items := fieldpath.NewSet()
	for p := range s.All() {
		if p[len(p)-1].Key != nil && r.Intn(2) == 0 {
			items.Insert(p.Copy())
		}
	}
	return s.RecursiveDifference(items)
}

type sameVersion struct{}

func (sameVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, nil
}
func (sameVersion) IsMissingVersionError(error) bool { return false }

// TestFindGivenUpLikeThreeSteps checks that FindGivenUp removes the same fields as
// threeStepRemoval, which works in three steps.
func TestFindGivenUpLikeThreeSteps(t *testing.T) {
	t.Run("gate off", func(t *testing.T) { giveUpTwins(t, false) })
	t.Run("declarative defaults", func(t *testing.T) { giveUpTwins(t, true) })
}

func giveUpTwins(t *testing.T, declarative bool) {
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
		tv, err := app.FromUnstructured(o, typed.AllowDuplicates)
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	short, less := 0, 0
	const seeds = 20000
	for seed := range int64(seeds + 4000) {
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
		last, own := randomPart(r, all).Union(randomPart(r, other)), randomPart(r, all)
		if seed >= seeds {
			own = withoutItems(r, all)
			last = own // the applier gives up nothing
		}
		if last.Empty() {
			continue
		}
		managers := fieldpath.ManagedFields{"me": fieldpath.NewVersionedSet(own, "v1", true)}
		for i := range r.Intn(3) {
			owned := randomPart(r, all)
			if r.Intn(3) == 0 {
				owned = owned.Union(randomPart(r, other)) // this adds paths that the object does not have
			}
			managers[fmt.Sprint(i)] = fieldpath.NewVersionedSet(owned, "v1", i == 0)
		}
		lastSet := fieldpath.NewVersionedSet(last, "v1", true)
		got, ok := removeGivenUpInOneVersion(merged, managers, "me", lastSet)
		if !ok {
			continue
		}
		short++
		if got != merged {
			less++
		}
		u := &Updater{Converter: sameVersion{}}
		want, err := threeStepRemoval{u, managers, "me", lastSet}.run(merged)
		if err != nil {
			t.Fatal(err)
		}
		// Both results get the same treatment of emptied containers.
		for _, tv := range []**typed.TypedValue{&got, &want} {
			if *tv, err = u.resolveEmptiedContainers(merged, *tv, nothing, managers, "me"); err != nil {
				t.Fatal(err)
			}
		}
		if !value.Equals(got.AsValue(), want.AsValue()) {
			t.Fatalf("seed %d:\nmerged %v\nlast\n%v\nmanagers %v\ngot  %v\nwant %v", seed,
				value.ToString(merged.AsValue()), last, managers, value.ToString(got.AsValue()), value.ToString(want.AsValue()))
		}
	}
	if short < 10000 || less < 5000 {
		t.Fatalf("FindGivenUp was used %d times and removed something %d times: too few to test anything", short, less)
	}
	t.Logf("closed form used %d times, took something out %d times", short, less)
}

// These are the smallest objects for which a removal in three steps can remove more or fewer
// fields than the applier gave up. This happens if a container or an item is empty between
// two steps, or if an item becomes another item.
func TestFindGivenUpSmallCases(t *testing.T) {
	const types = `types:
- name: app
  map:
    fields:
    - {name: a, type: {scalar: string}}
    - {name: sub, type: {namedType: app}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: tags, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}
    - {name: items, type: {list: {elementRelationship: associative, keys: [k], elementType: {namedType: item}}}}
    - {name: pairs, type: {namedType: pairs}}
    - {name: mixed, type: {namedType: mixed}}
- name: item
  map:
    fields:
    - {name: k, type: {scalar: string}}
    - {name: p, type: {scalar: string}, default: T}
- {name: items, list: {elementRelationship: associative, keys: [k], elementType: {namedType: item}}}
- {name: pairs, list: {elementRelationship: associative, keys: [k, p], elementType: {namedType: item}}}
- name: mixed
  map:
    fields: [{name: tags, type: {list: {elementRelationship: associative, elementType: {scalar: string}}}}]
    elementType: {namedType: app}
- {name: lists, map: {elementType: {list: {elementRelationship: associative, keys: [p], elementType: {namedType: item}}}}}
`
	parser, err := typed.NewParser(types)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, of, merged string
		last, own        string // if own is empty, the test uses last in place of own
		others           string
		want             string
	}{
		{
			name: "a map left with an empty map", of: "app", merged: `{sub: {labels: {}}}`,
			last: `{"f:sub":{"f:labels":{}}}`, own: `{}`, want: `null`,
		},
		{
			name: "a map left with a null", of: "app", merged: `{sub: {labels: null}}`,
			last: `{"f:sub":{"f:labels":{}}}`, own: `{}`, want: `null`,
		},
		{
			name: "an item whose keys nobody owns", of: "app", merged: `{pairs: [{p: U}]}`,
			last: `{"f:pairs":{"k:{\"p\":\"U\"}":{}}}`, want: `{pairs: null}`,
		},
		{
			name: "an item whose key nobody owns, after one with it", of: "app", merged: `{items: [{k: a}, {k: b}]}`,
			last: `{"f:items":{"k:{\"k\":\"a\"}":{".":{},"f:k":{}},"k:{\"k\":\"b\"}":{}}}`, want: `{items: [{k: a}]}`,
		},
		{
			name: "an item with only a default, which nobody owns", of: "app", merged: `{pairs: [{p: T}]}`,
			last: `{"f:pairs":{"k:{\"p\":\"T\"}":{}}}`, want: `{pairs: null}`,
		},
		{
			name: "an item with only a default, with an absent field that others own", of: "app", merged: `{pairs: [{p: T}]}`,
			last: `{"f:pairs":{"k:{\"p\":\"T\"}":{}}}`, others: `{"f:pairs":{"k:{\"p\":\"T\"}":{"f:k":{}}}}`, want: `{pairs: null}`,
		},
		{
			name: "a key owned without its item", of: "items", merged: `[{k: a}]`,
			last: `{"k:{\"k\":\"a\"}":{"f:k":{}}}`, want: `[null]`,
		},
		{
			name: "fields given up of an item that was never owned", of: "lists", merged: `{x: [{k: a}]}`,
			last: `{"f:x":{".":{},"k:{\"p\":\"T\"}":{"f:k":{}}}}`, own: `{"f:x":{}}`, want: `{x: [null]}`,
		},
		{
			name: "items that are there twice turn into one that was given up", of: "pairs", merged: `[{k: a, p: U}, {k: a, p: U}, {p: U}]`,
			last: `{"k:{\"k\":\"a\",\"p\":\"U\"}":{"f:k":{}},"k:{\"p\":\"U\"}":{".":{},"f:p":{}}}`, own: `{"k:{\"p\":\"U\"}":{"f:p":{}}}`,
			want: `[{k: a, p: U}, {k: a, p: U}, {p: U}]`,
		},
		{
			name: "an item owned in a map beside an empty list", of: "app", merged: `{sub: {a: x, tags: []}}`,
			last: `{"f:sub":{"f:a":{}}}`, own: `{"f:sub":{"k:{\"k\":\"a\"}":{}}}`, want: `null`,
		},
		{
			name: "an entry of a map with only an absent field that others own, beside an empty list", of: "app",
			merged: `{mixed: {x: {a: v}, tags: []}}`,
			last:   `{"f:mixed":{"f:x":{"f:sub":{}}}}`, own: `{}`, others: `{"f:mixed":{"f:x":{"f:sub":{}}}}`, want: `null`,
		},
		{
			name: "an entry of a map with a field that others own, beside an empty list", of: "app",
			merged: `{mixed: {x: {a: v}, tags: []}}`,
			last:   `{"f:mixed":{"f:x":{"f:a":{}}}}`, own: `{}`, others: `{"f:mixed":{"f:x":{"f:a":{}}}}`, want: `null`,
		},
		{
			name: "an entry of a map that others own, beside an empty list", of: "app",
			merged: `{mixed: {x: {a: v}, tags: []}}`,
			last:   `{"f:mixed":{"f:x":{".":{},"f:a":{}}}}`, own: `{}`, others: `{"f:mixed":{"f:x":{".":{}}}}`, want: `{mixed: {x: null, tags: []}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			object := func(text string) *typed.TypedValue {
				tv, err := parser.Type(test.of).FromYAML(typed.YAMLObject(text), typed.AllowDuplicates)
				if err != nil {
					t.Fatal(err)
				}
				return tv
			}
			owned := func(text string) fieldpath.VersionedSet {
				s := fieldpath.NewSet()
				if err := s.FromJSON(strings.NewReader(text)); err != nil {
					t.Fatal(err)
				}
				return fieldpath.NewVersionedSet(s, "v1", true)
			}
			if test.own == "" {
				test.own = test.last
			}
			merged, last := object(test.merged), owned(test.last)
			managers := fieldpath.ManagedFields{"me": owned(test.own)}
			if test.others != "" {
				managers["others"] = owned(test.others)
			}
			u := &Updater{Converter: sameVersion{}}
			got, err := u.removeGivenUpFields(merged, merged, managers, "me", last)
			if err != nil {
				t.Fatal(err)
			}
			steps, err := threeStepRemoval{u, managers, "me", last}.run(merged)
			if err != nil {
				t.Fatal(err)
			}
			var want any
			if err := yaml.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			for how, tv := range map[string]*typed.TypedValue{"at once": got, "in three steps": steps} {
				if !value.Equals(tv.AsValue(), value.NewValueInterface(want)) {
					t.Errorf("%s: got %v, want %s", how, value.ToString(tv.AsValue()), test.want)
				}
			}
			_, tree, _ := (*operand.Value)(got).Plain()
			if _, wrong := engine.Validate((*operand.Value)(got).Node(), tree, true); wrong != nil && (*operand.Value)(got).Knows(engine.Valid) {
				t.Errorf("%v is marked as valid: %v", value.ToString(got.AsValue()), wrong)
			}
		})
	}
}
