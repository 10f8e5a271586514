// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade_test

import (
	"fmt"
	"slices"
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
