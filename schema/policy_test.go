// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/edition"
)

func TestProcessPolicies(t *testing.T) {
	defer SetProcessPolicies(Policies{})
	s := &Schema{Types: []TypeDef{{Name: "ports", Atom: Atom{List: &List{
		ElementRelationship: Associative, Keys: []string{"port"},
		ElementType: TypeRef{Inlined: Atom{Map: &Map{Fields: []StructField{{Name: "port"}}}}},
	}}}}}
	name := "ports"
	ports := TypeRef{NamedType: &name}
	own := s.node(ports)
	if own.Declarative || own.List.Strict {
		t.Errorf("no policy is set, got declarative %v, strict %v", own.Declarative, own.List.Strict)
	}

	SetProcessPolicies(Policies{DeclarativeDefaults: true, MissingKeys: StrictKeys})
	if n := s.node(ports); !n.Declarative || !n.List.Strict || !n.List.Keys[0].NullIsMissing {
		t.Errorf("the policies of the process do not apply: %+v", n.List)
	}
	if own.Declarative || own.List.Strict {
		t.Error("a node changed")
	}
	SetProcessPolicies(Policies{})
	if s.node(ports) != own {
		t.Error("the schema's own policies do not apply again")
	}
	s.MissingKeys = StrictKeys
	if !s.node(ports).List.Strict {
		t.Error("the schema's own policy does not apply")
	}
}

// TestInitialPolicies checks that the highest version decides in any order of the calls, that calls
// with the same version are combined in any order, and that SetProcessPolicies replaces the initial policies, also if it is called first.
func TestInitialPolicies(t *testing.T) {
	reset := func() {
		SetProcessPolicies(Policies{})
		process.set, process.initial = false, false
	}
	t.Cleanup(reset)
	v4 := Policies{MissingKeys: StrictKeys, ShareTypes: true, Version: Version4}
	v6 := Policies{ShareTypes: true}
	declarativeV6 := Policies{DeclarativeDefaults: true, ShareTypes: true}
	otherV6 := Policies{MissingKeys: StrictKeys, ZeroKeysUnset: true}
	bothV6 := Policies{DeclarativeDefaults: true, MissingKeys: StrictKeys, ZeroKeysUnset: true, ShareTypes: true}
	v7 := Policies{ShareTypes: true, Version: 2} // Version7, which needs Go 1.27
	for _, tc := range []struct {
		name     string
		calls    []Policies
		explicit *Policies
		want     Policies
	}{
		{"only v4", []Policies{v4}, nil, v4},
		{"v4, v6", []Policies{v4, v6}, nil, v6},
		{"v6, v4", []Policies{v6, v4}, nil, v6},
		{"v7, v4", []Policies{v7, v4}, nil, v7},
		{"v6, v7, v4", []Policies{v6, v7, v4}, nil, v7},
		{"v4, v7, v6", []Policies{v4, v7, v6}, nil, v7},
		{"v6 twice", []Policies{v6, v6}, nil, v6},
		{"v6 twice, first with declarative defaults", []Policies{declarativeV6, v6}, nil, declarativeV6},
		{"v6 twice, last with declarative defaults", []Policies{v6, declarativeV6}, nil, declarativeV6},
		{"v6 twice, each with policies of its own", []Policies{declarativeV6, otherV6}, nil, bothV6},
		{"v6 twice, in the other order", []Policies{otherV6, declarativeV6}, nil, bothV6},
		{"v6, v4, v6", []Policies{otherV6, v4, declarativeV6}, nil, bothV6},
		{"v4, v6: the policies of v4 do not count", []Policies{v4, {}}, nil, Policies{}},
		{"v6, v4: the policies of v4 do not count", []Policies{{}, v4}, nil, Policies{}},
		{"v4, v6, v6", []Policies{v4, {}, {ZeroKeysUnset: true}}, nil, Policies{ZeroKeysUnset: true}},
		{"v7, then the program selects v4", []Policies{v7}, &v4, v4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			check := func(order string) {
				t.Helper()
				got := policies(process.policies.Load())
				if got != tc.want.set() || process.sharing.Load() != tc.want.ShareTypes || !edition.Edition(tc.want.Version).Is() {
					t.Errorf("%s: the policies are %v, want those of version %d", order, got, tc.want.Version.major())
				}
			}
			reset()
			for _, p := range tc.calls {
				SetInitialPolicies(p)
			}
			if tc.explicit == nil {
				check("initial policies")
				return
			}
			SetProcessPolicies(*tc.explicit)
			check("SetProcessPolicies last")
			reset()
			SetProcessPolicies(*tc.explicit)
			for _, p := range tc.calls {
				SetInitialPolicies(p)
			}
			check("SetProcessPolicies first")
		})
	}
}
