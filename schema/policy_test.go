// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import "testing"

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
