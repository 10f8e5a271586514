// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

// Transition is a transition rule: it forbids some changes of a value. The numbers are the
// same as in package schema.
type Transition uint8

// These are the transition rules. Free allows all changes. Package schema documents the other
// rules.
const (
	Free Transition = iota
	Immutable
	ImmutableKeys
	AdditionOnly
	DeletionOnly
	SetOnce
)

// TransitionRule describes a transition rule. A rule applies either to a whole value, or to the
// entries of a map or an associative list.
type TransitionRule struct {
	// Name is the name of the rule in schemas of package schema.
	Name string
	// Extension is the keyword that sets the rule in OpenAPI documents and CRDs. Its only value
	// is true.
	Extension string
	// Marker is the text after "+immutable" in the Go comment that sets the rule.
	Marker string
	// NoMarker is true if no Go comment can set the rule.
	NoMarker bool

	// Whole is true if the rule forbids changing or removing the value or anything inside it.
	// MaySet is true if the rule allows setting a value that is absent or null.
	Whole, MaySet bool
	// NoneAdded is true if the rule forbids adding entries. NoneRemoved is true if it forbids
	// removing entries.
	NoneAdded, NoneRemoved bool
	// Sets is true if the rule can apply to a list that is a set.
	Sets bool
}

// transitionRules describes all transition rules. A test checks that two other files also cover
// every rule: typed/transition_reference_test.go, which has a slow implementation, and
// spec/testdata/immutability.yaml, which has test cases.
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

// Rule returns the description of t. If t is unknown, it returns that of Free.
func (t Transition) Rule() *TransitionRule {
	if int(t) >= len(transitionRules) {
		t = Free
	}
	return &transitionRules[t]
}
