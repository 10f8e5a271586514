// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/upgrade"
)

// samples contains objects with every combination of a few values for the fields of spec.
var samples = func() (all []map[string]any) {
	for _, b := range []any{nil, "x", "y"} {
		for _, c := range []any{nil, "x", "zz"} {
			for _, n := range []any{nil, int64(1), int64(2)} {
				for _, e := range []any{nil, map[string]any{}, map[string]any{"f": "x"}} {
					spec := map[string]any{}
					for name, v := range map[string]any{"b": b, "c": c, "num": n, "e": e} {
						if v != nil {
							spec[name] = v
						}
					}
					all = append(all, map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "t"}, "spec": spec})
				}
			}
		}
	}
	return all
}()

const sampleFields = "b: {type: string}, c: {type: string, maxLength: 9}, num: {type: integer}, e: {type: object, properties: {f: {type: string}}}"

func pick(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }

// randomCondition returns a random schema for allOf, anyOf, oneOf or not.
func randomCondition(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(3) == 0 {
		return pick(r, "{}", "{required: [b]}", "{required: [c]}", "{required: [b, num]}", "{properties: {b: {enum: [x]}}}", "{properties: {b: {enum: [y, x]}}}",
			"{properties: {num: {minimum: 2}}}", "{properties: {num: {minimum: 1}}, required: [num]}", "{properties: {c: {maxLength: 1}}}",
			"{properties: {e: {required: [f]}}}", "{properties: {e: {minProperties: 1}}, required: [e]}", "{properties: {b: {not: {enum: [y]}}}}", "{minProperties: 2}")
	}
	below := func() string { return randomCondition(r, depth-1) }
	k := pick(r, "allOf", "anyOf", "oneOf", "not", "anyOf", "oneOf")
	if k == "not" {
		return "{not: " + below() + "}"
	}
	all := []string{below(), below(), below()}
	return "{" + k + ": [" + strings.Join(all[:1+r.IntN(3)], ", ") + "]}"
}

// randomRule returns a random CEL expression. For some objects, the evaluation of the
// expression fails.
func randomRule(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(3) == 0 {
		return pick(r, "has(self.b)", "has(self.c)", "self.?b.hasValue()", "has(self.num)", "self.b == 'x'", "'x' == self.b", "self.b != 'x'", "self.b in ['x', 'y']",
			"self.b in ['y']", "self.c.size() > 1", "1 < size(self.c)", "self.num >= 2", "2 <= self.num", "has(self.e) && has(self.e.f)", "self.b == self.c", "self.c == self.b", "true", "false")
	}
	below := func() string { return randomRule(r, depth-1) }
	switch r.IntN(5) {
	case 0:
		return "!(" + below() + ")"
	case 1:
		return "(" + below() + " ? " + below() + " : " + below() + ")"
	case 2:
		return "(" + below() + " || " + below() + ")"
	case 3:
		return "((" + below() + ") == (" + below() + "))"
	}
	return "(" + below() + " && " + below() + ")"
}

// Compare must report a changed condition or rule if it rejects an object that was
// accepted before. The test compares definitions with random conditions and rules. In some
// pairs, only the new definition has a default. The test validates all sample objects against both
// definitions, as a server does.
func TestNothingIsMissed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	accepted := func(d *crd.Definition, o map[string]any) bool {
		found, err := d.Versions[0].Validate(o, nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(found) == 0
	}
	unreported, differ, broken := 0, 0, 0
	for i := range 200 {
		var texts [2]string
		for j := range texts {
			if i%2 == 0 {
				texts[j] = strings.TrimSuffix(strings.TrimPrefix(randomCondition(r, 2), "{"), "}")
			} else {
				texts[j] = fmt.Sprintf("x-kubernetes-validations: [{rule: %q}]", randomRule(r, 2))
			}
			if j == 1 && r.IntN(3) == 0 {
				texts[j] = strings.NewReplacer("[b, num]", "[num, b]", "has(self.b)", "(has(self.b))", "[y, x]", "[x, y]", "1 < size(self.c)", "self.c.size() > 1").Replace(texts[0])
			}
		}
		define := func(text, fields string) *crd.Definition {
			if strings.HasPrefix(text, "properties: ") || strings.HasPrefix(text, "minProperties") || strings.HasPrefix(text, "required") || text == "" {
				text = "allOf: [{" + text + "}]"
			}
			return definition(t, "{type: object, properties: {"+fields+"}, "+text+"}", "", "")
		}
		fields := sampleFields
		if i >= 120 {
			field := pick(r, "b: {type: string", "num: {type: integer")
			fields = strings.Replace(fields, field, field+", default: "+map[string]string{"b: {type: string": "x", "num: {type: integer": "2"}[field], 1)
			if r.IntN(2) == 0 {
				texts[1] = texts[0]
			}
		}
		old, now := define(texts[0], sampleFields), define(texts[1], fields)
		reported := slices.ContainsFunc(upgrade.Compare(old, now), func(c upgrade.Change) bool { return c.Rule != "default-added" })
		rejected := map[string]any(nil)
		for _, o := range samples {
			if accepted(old, o) && !accepted(now, o) {
				rejected = o
				break
			}
		}
		switch {
		case rejected != nil && !reported:
			t.Errorf("%s instead of %s rejects %v, and is not reported", texts[1], texts[0], rejected)
		case rejected != nil && i >= 120:
			broken++
		case rejected == nil && !reported && texts[0] != texts[1]:
			unreported++
		case rejected != nil:
			differ++
		}
	}
	t.Logf("%d pairs differ, %d more pairs differ and have a default, %d other pairs are not reported", differ, broken, unreported)
	if differ < 20 || broken < 10 || unreported < 10 {
		t.Error("the test compares too few pairs of either kind")
	}
}
