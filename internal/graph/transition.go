// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

// Transition is a transition rule: what an update may not do to a value. Numbers are
// those of package schema.
type Transition uint8

// The transition rules; Free allows all. Package schema says what each means.
const (
	Free Transition = iota
	Immutable
	ImmutableKeys
	AdditionOnly
	DeletionOnly
	SetOnce
)

// TransitionRule is a row of the table of transition rules, which every front end reads
// and the engine goes by. A rule is either about a value with all that is in it, or
// about which entries a map or an associative list has.
type TransitionRule struct {
	// Name is the spelling in schemas of package schema.
	Name string
	// Extension is the keyword of OpenAPI documents and CRDs; its one value is true.
	Extension string
	// Marker is what stands behind +immutable in Go comments.
	Marker string
	// NoMarker says that Go comments have no marker for the rule.
	NoMarker bool

	// Whole: the value, with all that is in it, neither changes nor goes. MaySet: it
	// may be set where there is none, or null.
	Whole, MaySet bool
	// NoneAdded and NoneRemoved: no entry may come, none may go.
	NoneAdded, NoneRemoved bool
	// Sets: the entries may also be the items of a set.
	Sets bool
}

// transitionRules is the table. Every rule is in the slow
// twins, too: typed/transition_reference_test.go, and the cases of
// spec/testdata/immutability.yaml; tests fail if one is missing there.
var transitionRules = [...]TransitionRule{
	Free:          {NoMarker: true},
	Immutable:     {Name: "immutable", Extension: "x-kubernetes-immutable", Whole: true},
	ImmutableKeys: {Name: "immutableKeys", Extension: "x-kubernetes-immutable-keys", Marker: "keys", NoneAdded: true, NoneRemoved: true},
	AdditionOnly:  {Name: "additionOnly", Extension: "x-kubernetes-addition-only", Marker: "additionOnly", NoneRemoved: true, Sets: true},
	DeletionOnly:  {Name: "deletionOnly", Extension: "x-kubernetes-deletion-only", Marker: "deletionOnly", NoneAdded: true, Sets: true},
	SetOnce:       {Name: "setOnce", Extension: "x-kubernetes-set-once", Marker: "setOnce", Whole: true, MaySet: true},
}

// Transitions returns all transition rules but Free, in their order.
func Transitions() []Transition {
	all := make([]Transition, len(transitionRules)-1)
	for i := range all {
		all[i] = Transition(i + 1)
	}
	return all
}

// Rule returns the row of t, that of Free for what is no rule.
func (t Transition) Rule() *TransitionRule {
	if int(t) >= len(transitionRules) {
		t = Free
	}
	return &transitionRules[t]
}
