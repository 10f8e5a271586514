// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

// Transition is a transition rule: it forbids some changes of a value. The numbers are those
// of package schema.
type Transition uint8

// These are the transition rules. Free allows all changes. Package schema documents the
// others.
const (
	Free Transition = iota
	Immutable
	ImmutableKeys
	AdditionOnly
	DeletionOnly
	SetOnce
)

// TransitionRule is one row of the table of transition rules, which the engine and every front
// end read. A rule applies either to a whole value, or to the set of entries of a map or an
// associative list.
type TransitionRule struct {
	// Name is the spelling in schemas of package schema.
	Name string
	// Extension is the keyword in OpenAPI documents and CRDs. Its only value is true.
	Extension string
	// Marker is the text after +immutable in Go comments.
	Marker string
	// NoMarker reports that there is no Go comment for the rule.
	NoMarker bool

	// Whole forbids changing or removing the value or any part of it. MaySet allows setting it
	// if it is absent or null.
	Whole, MaySet bool
	// NoneAdded forbids adding entries, and NoneRemoved forbids removing entries.
	NoneAdded, NoneRemoved bool
	// Sets reports that the rule can also apply to the items of a set.
	Sets bool
}

// transitionRules is the table. Two slow reference implementations also have every rule:
// typed/transition_reference_test.go, and the cases of spec/testdata/immutability.yaml. Tests
// fail if a rule is missing there.
var transitionRules = [...]TransitionRule{
	Free:          {NoMarker: true},
	Immutable:     {Name: "immutable", Extension: "x-kubernetes-immutable", Whole: true},
	ImmutableKeys: {Name: "immutableKeys", Extension: "x-kubernetes-immutable-keys", Marker: "keys", NoneAdded: true, NoneRemoved: true},
	AdditionOnly:  {Name: "additionOnly", Extension: "x-kubernetes-addition-only", Marker: "additionOnly", NoneRemoved: true, Sets: true},
	DeletionOnly:  {Name: "deletionOnly", Extension: "x-kubernetes-deletion-only", Marker: "deletionOnly", NoneAdded: true, Sets: true},
	SetOnce:       {Name: "setOnce", Extension: "x-kubernetes-set-once", Marker: "setOnce", Whole: true, MaySet: true},
}

// Transitions returns all transition rules except Free, in their order.
func Transitions() []Transition {
	all := make([]Transition, len(transitionRules)-1)
	for i := range all {
		all[i] = Transition(i + 1)
	}
	return all
}

// Rule returns the row of t in the table. For an unknown rule, it returns the row of Free.
func (t Transition) Rule() *TransitionRule {
	if int(t) >= len(transitionRules) {
		t = Free
	}
	return &transitionRules[t]
}
