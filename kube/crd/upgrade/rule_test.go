// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/upgrade"
)

// withRules returns a CRD whose spec has the given fields and rules.
func withRules(t *testing.T, fields string, rules ...string) *crd.Definition {
	t.Helper()
	all := make([]string, len(rules))
	for i, r := range rules {
		all[i] = fmt.Sprintf("{rule: %q}", r)
	}
	return definition(t, "{type: object, required: [kind], properties: {"+fields+"}, x-kubernetes-validations: ["+strings.Join(all, ", ")+"]}", "", "")
}

const (
	oldFields = "kind: {type: string, enum: [A, B]}, a: {type: string}, b: {type: string}, part: {type: object, properties: {a: {type: string}}}, " +
		"all: {type: array, items: {type: object, required: [kind], properties: {kind: {type: string, enum: [A, B]}, a: {type: string}}}}"
	// newFields extends oldFields by the kind C, spec.c, spec.part.c, spec.all[*].c, and
	// spec.d with a default.
	newFields = "kind: {type: string, enum: [A, B, C]}, a: {type: string}, b: {type: string}, c: {type: string}, d: {type: string, default: x}, part: {type: object, properties: {a: {type: string}, c: {type: string}}}, " +
		"all: {type: array, items: {type: object, required: [kind], properties: {kind: {type: string, enum: [A, B, C]}, a: {type: string}, c: {type: string}}}}"
)

// Compare reports a new rule that may reject existing objects. It does not report a rule
// that only restricts new fields and values, or that follows from an old rule.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		old, now string
		found    bool
	}{
		{"", "!has(self.c) || self.kind == 'C'", false},
		{"", "!(has(self.c) && self.kind != 'C')", false},
		{"", "!(!has(self.c) && self.kind == 'C')", false},
		{"", "self.kind != 'C' || has(self.c)", false},
		{"", "self.kind == 'C' ? has(self.c) : !has(self.c)", false},
		{"", "has(self.c) ? self.c.startsWith(self.a) : true", false},
		{"", "!has(self.part) || !has(self.part.c) || self.part.c == self.a", false},
		{"", "has(self.part) && has(self.part.c) ? self.part.c == self.a : true", false},
		{"", "!has(self.all) || self.all.all(x, !has(x.c))", false},
		{"", "!has(self.all) || !self.all.exists(x, x.kind == 'C')", false},
		{"", "!has(self.all) || self.all.filter(x, x.kind == 'C').size() <= 1", false},
		{"", "self.d == 'x' || !has(self.a)", false},
		{"", "has(self.kind)", false},
		{"", "has(self.c) == has(oldSelf.c)", false},
		{"!has(self.a) || has(self.b)", "!has(self.a) || has(self.b) || has(self.c)", false},
		{"[has(self.a), has(self.b)].exists(x, x)", "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1", true},
		{"(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1", "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) + (has(self.c) ? 1 : 0) == 1", false},
		{"self.a in ['x', 'y']", "self.a in ['x', 'y', 'z']", false},
		{"self.a in ['x', 'y']", "self.a in ['x', 'z']", true},
		{"has(self.a) ? self.a in ['x'] : true", "has(self.a) ? self.a in ['x', 'y'] : true", false},
		{"self.all.all(x, x.a in ['x'])", "self.all.all(x, x.a in ['x', 'y'])", false},
		{"self.all.all(x, x.a in ['x', 'y'])", "self.all.all(x, x.a in ['x'])", true},
		{"has(self.a) && has(self.b)", "has(self.b)", false},
		{"has(self.b)", "has(self.a) && has(self.b)", true},
		{"has(self.a) || has(self.b)", "has(self.b)", true},
		{"!(has(self.a) && has(self.b))", "!has(self.a)", true},
		{"!has(self.a)", "!(has(self.a) && has(self.b))", false},
		{"has(self.a) ? has(self.b) : true", "has(self.a) && self.kind == 'A' ? has(self.b) : true", false},
		{"has(self.a) ? has(self.b) : true", "has(self.a) && self.b == 'A' ? has(self.b) : true", true}, // the new condition can cause an error
		{"has(self.a) && self.kind == 'A' ? has(self.b) : true", "has(self.a) ? has(self.b) : true", true},
		{"self.a == 'x'", "self.a in ['x', 'y']", false},
		{"self.a == 'x'", "self.a in ['y']", true},
		{"", "has(self.a)", true},
		{"", "has(self.c)", true},
		{"", "self.kind == 'B'", true},
		{"", "!has(self.c) && has(self.a)", true},
		{"", "has(self.c) ? true : has(self.a)", true},
		{"", "!has(self.part.c)", true}, // the rule fails if part is absent
		{"", "self.all.all(x, !has(x.c))", true},
		{"", "!has(self.all) || self.all.all(x, !has(x.a) || x.a == 'x')", true},
		{"", "self.a == oldSelf.a", true},
		{"", "self.d == 'y'", true},
		// The new rule is the old rule in another spelling.
		{"has(self.a) && self.a == 'x'", "( has(self.a) ) && 'x'==self.a", false},
		{"!has(self.a) || self.a == \"x\"", "self.a == 'x' || !(has(self.a))", false},
		{"has(self.a) ? self.a.size() > 1 : true", "!has(self.a) || 1 < size(self.a)", false},
		{"has(self.a) ? self.a.size() >= 1 : false", "has(self.a) && 1 <= self.a.size()", false},
		{"!has(self.a) ? true : self.b == 'x'", "has(self.a) ? self.b == 'x' : true", false},
		{"!(has(self.a) && has(self.b))", "!has(self.b) || !has(self.a)", false},
		{"!(self.a == 'x')", "self.a != 'x'", false},
		{"!!has(self.a)", "has(self.a)", false},
		{"!(self.a in ['x', 'y'])", "!(self.a in ['y', 'x', 'x'])", false},
		{"self.all.all(x, x.a == 'x')", "self.all.all(item, 'x' == item.a)", false},
		{"self.all.all(x, x.a in self.all.map(y, y.kind))", "self.all.all(y, y.a in self.all.map(x, x.kind))", false},
		{"has(self.a)", "self.?a.hasValue()", false},
		{"(has(self.a) || has(self.b)) == (self.a == 'x')", "(self.a == 'x') == (has(self.b) || has(self.a))", false},
		{"self.a == oldSelf.a", "oldSelf.a == self.a", false},
		// The new rule looks similar but means something else.
		{"!(has(self.a) && has(self.b))", "!has(self.b) && !has(self.a)", true},
		{"self.a.size() > 1", "1 > self.a.size()", true},
		{"self.a + self.b == 'xy'", "self.b + self.a == 'xy'", true},
		{"self.all.all(x, self.all.all(y, x.a == y.kind))", "self.all.all(x, self.all.all(y, y.a == x.kind))", true},
		{"oldSelf.a == 'x' && self.b == 'x'", "self.b == 'x'", true}, // the old rule does not apply to new objects
		{"self.b == oldSelf.b && has(self.a)", "has(self.a)", true},
	} {
		old, now := withRules(t, oldFields), withRules(t, newFields, c.now)
		if c.old != "" {
			old = withRules(t, oldFields, c.old)
		}
		want := []string(nil)
		if c.found {
			want = []string{"rule-added .spec"}
		}
		changes := slices.DeleteFunc(upgrade.Compare(old, now), func(x upgrade.Change) bool { return x.Rule == "new-field-default" || x.Rule == "rule-removed" }) // ignore the change of spec.d, and old rules with oldSelf
		if got := rulesAndPaths(changes); !slices.Equal(got, want) {
			t.Errorf("%s instead of %q: got %q", c.now, c.old, got)
		}
	}
}

// A default can make an object break a rule that did not change. The message names only the fields that
// the rule reads, and distinguishes fields of the same name.
func TestDefaultsAndRules(t *testing.T) {
	fields := func(more string) string {
		return "a: {type: string}, b: {type: string" + more + "}, b-b: {type: string}, c: {type: string" + more + "}, part: {type: object, properties: {b: {type: string}, c: {type: string" + more + "}}}, " +
			"all: {type: array, items: {type: object, properties: {b: {type: string}, d: {type: string" + more + "}}}}, open: {type: object, x-kubernetes-preserve-unknown-fields: true}, " +
			"map: {type: object, additionalProperties: {type: object, properties: {b: {type: string}, d: {type: string" + more + "}}}}"
	}
	for _, c := range []struct{ rule, read string }{
		{"!has(self.b) || !has(self.a)", ".spec.b"},
		{"!has(self.c) || self.b == 'x'", ".spec.b, .spec.c"},
		{"!has(self.b__dash__b) || !has(self.a)", ""},
		{"has(self.b) || has(self.a)", ""},
		{"!has(self.part.c) || self.part.c == self.b", ".spec.b, .spec.part.c"},
		{"!has(self.part) || !has(self.a)", ""},
		{"!has(oldSelf.b) || !has(self.a)", ""},
		{"!has(self.part.b) || !has(self.a)", ""},
		{"!self.?part.?b.hasValue() || !has(self.a)", ""},
		{"!self.?part.?c.hasValue() || !has(self.a)", ".spec.part.c"},
		{"self.?part.?c.orValue('y') == 'y'", ".spec.part.c"},
		{"self.all.all(x, !has(x.b) || has(x.c))", ""},
		{"self.all.all(x, !has(x.d))", ".spec.all[*].d"},
		{"self.all.filter(x, has(x.b)).all(b, b.d != 'x')", ".spec.all[*].d"},
		{"self.all.all(i, x, !has(x.d) && i < 9)", ".spec.all[*].d"},
		{"self.all[0].b == 'x'", ""},
		{"self.all[0].d == 'y'", ".spec.all[*].d"},
		{"self.map['x'].d == 'y'", ".spec.map.*.d"},
		{"self.map.all(k, !has(self.map[k].d))", ".spec.map.*.d"},
		{"self.map.all(k, !has(self.map[k].b))", ""},
		{"!has(self.open.b)", ""},
		{"dyn(self).b == 'y'", ".spec.b"}, // only the name of the field is known
	} {
		schema := func(fields string) string {
			return fmt.Sprintf("{type: object, properties: {%s}, x-kubernetes-validations: [{rule: %q}]}", fields, c.rule)
		}
		want := []string(nil)
		if c.read != "" {
			want = append(want, "rule-added .spec: the rule "+c.rule+" did not change, but the server now fills in "+c.read+" differently: values that break it are rejected")
		}
		var got []string
		for _, x := range upgrade.Compare(definition(t, schema(fields("")), "", ""), definition(t, schema(fields(", default: x")), "", "")) {
			if x.Rule != "default-added" {
				got = append(got, x.Rule+" "+x.Path+": "+x.Message)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", c.rule, got, want)
		}
	}
}

// A rule may follow from several old rules together, and one old rule may be split into
// several new rules.
func TestRulesTogether(t *testing.T) {
	one, two := withRules(t, oldFields, "has(self.a) && has(self.b)"), withRules(t, oldFields, "has(self.b)", "has(self.a)")
	for _, pair := range [][2]*crd.Definition{{one, two}, {two, one}} {
		if got := rulesAndPaths(upgrade.Compare(pair[0], pair[1])); got != nil {
			t.Errorf("got %q", got)
		}
	}
}

// A rule with optionalOldSelf is also checked on new objects.
func TestOptionalOldSelf(t *testing.T) {
	rule := func(more string) *crd.Definition {
		return definition(t, "{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: 'oldSelf == self || has(self.a)'"+more+"}]}", "", "")
	}
	plain, optional := rule(""), rule(", optionalOldSelf: true")
	got := upgrade.Compare(plain, optional)
	if want := []string{"rule-added .spec"}; !slices.Equal(rulesAndPaths(got), want) || !strings.Contains(got[0].Message, "now has optionalOldSelf: true") {
		t.Errorf("got %v", got)
	}
	if got := rulesAndPaths(upgrade.Compare(optional, optional)); got != nil {
		t.Errorf("got %q", got)
	}
}

// A rule that compares the new value with the old value rejects updates, but no single value.
func TestRulesAboutUpdates(t *testing.T) {
	for _, c := range []struct{ rule, more, want string }{
		{"has(self.a)", "", "values that break it are rejected"},
		{"self.a == oldSelf.a", "", "updates that break it are rejected"},
		{"has(self.a) && self.a != 'oldSelf'", "", "values that break it are rejected"},
		{"!oldSelf.hasValue() || self.a == oldSelf.value().a", ", optionalOldSelf: true", "values that break it are rejected"},
	} {
		old := definition(t, object("a: {type: string}"), "", "")
		now := definition(t, fmt.Sprintf("{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: %q%s}]}", c.rule, c.more), "", "")
		got := upgrade.Compare(old, now)
		if len(got) != 1 || got[0].Rule != "rule-added" || got[0].Message != "the rule "+c.rule+" is new: "+c.want {
			t.Errorf("%s: got %v, want %s", c.rule, got, c.want)
		}
	}
}

// Existing objects can have a field that is declared only now, if the schema kept unknown
// fields or if another version declares the field.
func TestRulesAboutExistingFields(t *testing.T) {
	const rule = "x-kubernetes-validations: [{rule: '!has(self.c)'}]"
	kept := "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}%s}, %s}"
	old, now := definition(t, fmt.Sprintf(kept, "", "description: none"), "", ""), definition(t, fmt.Sprintf(kept, ", c: {type: string}", rule), "", "")
	if got, want := rulesAndPaths(upgrade.Compare(old, now)), []string{"rule-added .spec", "field-declared .spec.c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	two := func(v2 string) *crd.Definition {
		all, err := crd.Read("crd.yaml", []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, c: {type: string}}}}}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: `+v2+`}}}}
`))
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	old, now = two(object("a: {type: string}")), two("{type: object, properties: {a: {type: string}, c: {type: string}}, "+rule+"}")
	if got, want := rulesAndPaths(upgrade.Compare(old, now)), []string{"rule-added .spec"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
