// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"reflect"
	"testing"
)

func TestManagedFieldsDifference(t *testing.T) {
	one := func(s *Set, version APIVersion, applied bool) ManagedFields {
		return ManagedFields{"m": NewVersionedSet(s, version, applied)}
	}
	for _, c := range []struct {
		name     string
		lhs, rhs ManagedFields
		want     ManagedFields
	}{
		{"both nothing", ManagedFields{}, nil, ManagedFields{}},
		{"only left", one(fields("a"), "v1", true), nil, one(fields("a"), "v1", true)},
		{"only right", nil, one(fields("a"), "v1", true), one(fields("a"), "v1", true)},
		{"only left, empty", one(fields(), "v1", true), nil, ManagedFields{}},
		{"same", one(fields("a", "b.c"), "v1", true), one(fields("a", "b.c"), "v1", false), ManagedFields{}},
		{"other version", one(fields("a"), "v1", true), one(fields("a"), "v2", false), one(fields("a"), "v2", false)},
		{"other fields", one(fields("a", "b"), "v1", true), one(fields("b", "c"), "v1", true), one(fields("a", "c"), "v1", false)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.lhs.Difference(c.rhs); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n%v\nwant\n%v", got, c.want)
			}
		})
	}
}

func TestManagedFieldsEquals(t *testing.T) {
	base := ManagedFields{"m": NewVersionedSet(fields("a"), "v1", true)}
	if !base.Equals(base.Copy()) || !(ManagedFields{}).Equals(nil) {
		t.Error("a copy differs")
	}
	for name, other := range map[string]ManagedFields{
		"none":    nil,
		"name":    {"n": base["m"]},
		"version": {"m": NewVersionedSet(fields("a"), "v2", true)},
		"applied": {"m": NewVersionedSet(fields("a"), "v1", false)},
		"fields":  {"m": NewVersionedSet(fields("b"), "v1", true)},
	} {
		if base.Equals(other) || other.Equals(base) {
			t.Errorf("other %s: equal", name)
		}
	}
	dup := base.Copy()
	delete(dup, "m")
	if len(base) != 1 {
		t.Error("a copy is the same map")
	}
}

func TestManagedFieldsString(t *testing.T) {
	got := ManagedFields{
		"z": NewVersionedSet(fields("a", "b"), "v1", true),
		"a": NewVersionedSet(fields(), "v2", false),
	}.String()
	want := "a:\n- Applied: false\n- APIVersion: v2\n- Set: \nz:\n- Applied: true\n- APIVersion: v1\n- Set: .a\n.b\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
