// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"strconv"
)

// Transition says what an update may not do to a value, as the KEP "Immutable
// fields" (KEP-1101) has it. NoTransition: it may do anything. Only
// [typed.TypedValue.CheckTransition] asks.
//
// A field that is marked is held to it while the value around it stays: that may
// come and go as a whole, if it is not marked itself. So may marked items of a
// list and marked values of a map.
//
// [typed.TypedValue.CheckTransition]: https://pkg.go.dev/github.com/dovetail-ssa/dovetail/typed#TypedValue.CheckTransition
type Transition uint8

const (
	// NoTransition says nothing: an update may do anything.
	NoTransition Transition = iota
	// Immutable values, with all that is below them, are neither changed, nor
	// removed, nor set.
	Immutable
	// ImmutableKeys fixes which entries a map has, or which items an associative
	// list; what they are may change.
	ImmutableKeys
	// AdditionOnly lets a map or an associative list gain entries but not lose
	// them.
	AdditionOnly
	// DeletionOnly lets it lose entries but not gain them.
	DeletionOnly
	// SetOnce values may be set where there is none, or null, and are Immutable
	// from then on.
	SetOnce
)

// transitionNames are the spellings in text.
var transitionNames = [...]string{"", "immutable", "immutableKeys", "additionOnly", "deletionOnly", "setOnce"}

// String returns the spelling, which is empty for NoTransition.
func (t Transition) String() string {
	if int(t) < len(transitionNames) {
		return transitionNames[t]
	}
	return strconv.Itoa(int(t))
}

// MarshalText returns the spelling, for YAML and JSON.
func (t Transition) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a transition and refuses other spellings: one that is not
// understood would let everything change.
func (t *Transition) UnmarshalText(text []byte) error {
	for i, name := range transitionNames {
		if string(text) == name {
			*t = Transition(i)
			return nil
		}
	}
	return fmt.Errorf("transition: want immutable, immutableKeys, additionOnly, deletionOnly or setOnce, found %q", text)
}
