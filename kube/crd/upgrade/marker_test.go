// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd/upgrade"
)

// A rule that dovetail cel generated makes a field immutable, even if the marker was stripped.
func TestDefaultsOfGeneratedRules(t *testing.T) {
	const generated = "has(self.a) == has(oldSelf.a) && (!has(self.a) || self.a == oldSelf.a) // dovetail: x-kubernetes-"
	inside := func(rule, field, a string) string {
		return fmt.Sprintf("{type: object, properties: {a: %s}, x-kubernetes-validations: [{rule: %q, fieldPath: %q}]}", a, rule, field)
	}
	at := func(host, rule string) string {
		return fmt.Sprintf("%s, x-kubernetes-validations: [{rule: %q}]", host, rule)
	}
	const own = "self == oldSelf // dovetail: x-kubernetes-immutable"
	for _, c := range []struct{ name, old, now, want string }{
		{"changed", inside(generated+"immutable", ".a", "{type: string, default: x}"), inside(generated+"immutable", ".a", "{type: string, default: y}"), "immutable-default .spec.a"},
		{"added", inside(generated+"immutable", ".a", "{type: string}"), inside(generated+"immutable", ".a", "{type: string, default: y}"), "immutable-default .spec.a"},
		{"removed", inside(generated+"immutable", ".a", "{type: string, default: x}"), inside(generated+"immutable", ".a", "{type: string}"), "immutable-default .spec.a"},
		{"set once", inside(generated+"set-once", ".a", "{type: string, default: x}"), inside(generated+"set-once", ".a", "{type: string, default: y}"), "immutable-default .spec.a"},
		{"inside", inside(generated+"immutable", ".a", object("b: {type: string, default: x}")), inside(generated+"immutable", ".a", object("b: {type: string, default: y}")), "immutable-default .spec.a.b"},
		{"another field", inside(generated+"immutable", ".b", "{type: string, default: x}"), inside(generated+"immutable", ".b", "{type: string, default: y}"), "default-changed .spec.a"},
		{"only keys", inside(generated+"immutable-keys", ".a", object("b: {type: string, default: x}")), inside(generated+"immutable-keys", ".a", object("b: {type: string, default: y}")), "default-changed .spec.a.b"},
		{"marked too", inside(generated+"immutable", ".a", "{type: string, default: x, x-kubernetes-immutable: true}"), inside(generated+"immutable", ".a", "{type: string, default: y, x-kubernetes-immutable: true}"), "default-changed .spec.a"},
		{"own rule", object("a: {" + at("type: object, properties: {b: {type: string, default: x}}", own) + "}"), object("a: {" + at("type: object, properties: {b: {type: string, default: y}}", own) + "}"), "immutable-default .spec.a.b"},
		{"values of a map", object("a: {type: object, additionalProperties: {" + at("type: string, default: x", own) + "}}"), object("a: {type: object, additionalProperties: {" + at("type: string, default: y", own) + "}}"), "immutable-default .spec.a.*"},
		{"some fields of a list", object("a: {" + at("type: array, items: {type: object, properties: {b: {type: string, default: x}}}", own) + "}"), object("a: {" + at("type: array, items: {type: object, properties: {b: {type: string, default: y}}}", own) + "}"), "default-changed .spec.a[*].b"},
	} {
		got := rulesAndPaths(upgrade.Compare(definition(t, c.old, "", ""), definition(t, c.now, "", "")))
		if !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Compare reports a removed rule about updates, unless the new rules forbid the same updates. For a rule
// that dovetail cel generated, the rule of the finding is the same as for a removed marker.
func TestRemovedRules(t *testing.T) {
	const generated = "has(self.a) == has(oldSelf.a) && (!has(self.a) || self.a == oldSelf.a) // dovetail: x-kubernetes-"
	spec := func(rules ...string) string {
		return "{type: object, properties: {a: {type: string}, b: {type: string}}, x-kubernetes-validations: [" + strings.Join(rules, ", ") + "]}"
	}
	rule := func(text string) string { return fmt.Sprintf("{rule: %q}", text) }
	made := func(text string) string { return fmt.Sprintf("{rule: %q, fieldPath: .a}", text) }
	list := func(rules string) string {
		return object("a: {type: array, maxItems: 9, items: {type: object, properties: {b: {type: string}}}, x-kubernetes-validations: [" + rules + "]}")
	}
	const removed, own = "immutability .spec.a: the rule generated from x-kubernetes-immutable was removed: updates may change the field", "self.a == oldSelf.a"
	for _, c := range []struct{ name, old, now, want string }{
		{"a generated rule", spec(made(generated + "immutable")), spec(), removed},
		{"true instead", spec(made(generated + "immutable")), spec(rule("true")), removed},
		{"true with the comment", spec(made(generated + "immutable")), spec(made("true // dovetail: x-kubernetes-immutable")), removed},
		{"another text", spec(made(generated + "immutable")), spec(made("self.?a == oldSelf.?a // dovetail: x-kubernetes-immutable")), ""},
		{"the same text without the comment", spec(made(generated + "immutable")), spec(rule("has(self.a) == has(oldSelf.a) && (!has(self.a) || self.a == oldSelf.a)")), ""},
		{"a weaker marker", spec(made(generated + "immutable")), spec(made("!has(oldSelf.a) || has(self.a) && self.a == oldSelf.a // dovetail: x-kubernetes-set-once")), removed},
		{"a stronger marker", spec(made("!has(oldSelf.a) || has(self.a) && self.a == oldSelf.a // dovetail: x-kubernetes-set-once")), spec(made(generated + "immutable")), "rule-added .spec.a: the rule generated from x-kubernetes-immutable is new: updates that break it are rejected"},
		{"a marker on the object", spec(made(generated + "immutable")), spec(rule("self == oldSelf // dovetail: x-kubernetes-immutable")), "rule-added .spec: the rule generated from x-kubernetes-immutable is new: updates that break it are rejected"},
		{"the marker without a rule", spec(made(generated + "immutable")), object("a: {type: string, x-kubernetes-immutable: true}, b: {type: string}"), "immutability .spec.a: the rule generated from x-kubernetes-immutable was removed, and released API servers ignore x-kubernetes-immutable: without the rule they accept updates that change the field; keep the rule next to the marker, or let dovetail cel generate a rule"},
		{"a marker on the object without a rule", spec(made(generated + "immutable")), "{type: object, x-kubernetes-immutable: true, properties: {a: {type: string}, b: {type: string}}}", removed},
		{"the field too", spec(made(generated + "immutable")), object("b: {type: string}"), "field-gone .spec.a: the field was removed: the next write of an object drops its value"},
		{"a rule about items", list(rule("self.all(i, true) && oldSelf == self // dovetail: x-kubernetes-set-once")), list(""), "immutability .spec.a: the rule generated from x-kubernetes-set-once was removed: updates may change the field"},
		{"a rule of its own", spec(rule(own)), spec(), "rule-removed .spec: the rule self.a == oldSelf.a was removed: updates that break it are now accepted"},
		{"true instead of it", spec(rule(own)), spec(rule("true")), "rule-removed .spec: the rule self.a == oldSelf.a was removed: updates that break it are now accepted"},
		{"another spelling", spec(rule(own)), spec(rule("oldSelf.a == self.a")), ""},
		{"a stricter rule", spec(rule("!has(self.b) || " + own)), spec(rule(own)), "rule-added .spec: the rule self.a == oldSelf.a is new: updates that break it are rejected"},
		{"a wider rule", spec(rule(own)), spec(rule("!has(self.b) || " + own)), "rule-removed .spec: the rule self.a == oldSelf.a was removed: updates that break it are now accepted"},
		{"a rule about values", spec(rule("self.a != 'x'")), spec(), ""},
		{"its field too", spec(rule(own)), object("b: {type: string}"), "field-gone .spec.a: the field was removed: the next write of an object drops its value"},
		{"a generated rule around it", spec(rule(own)), spec(rule("self == oldSelf // dovetail: x-kubernetes-immutable")), "rule-added .spec: the rule generated from x-kubernetes-immutable is new: updates that break it are rejected"},
	} {
		var got []string
		for _, x := range upgrade.Compare(definition(t, c.old, "", ""), definition(t, c.now, "", "")) {
			got = append(got, x.Rule+" "+x.Path+": "+x.Message)
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
