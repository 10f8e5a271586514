package schema

import "fmt"

// Transition says what an update may not do to a value, as the KEP "Immutable
// fields" (KEP-1101) has it. Empty: it may do anything. Only
// [typed.TypedValue.CheckTransition] asks.
//
// A field that is marked is held to it while the value around it stays: that may
// come and go as a whole, if it is not marked itself. So may marked items of a
// list and marked values of a map.
//
// [typed.TypedValue.CheckTransition]: https://pkg.go.dev/github.com/dovetail-ssa/dovetail/typed#TypedValue.CheckTransition
type Transition string

const (
	// Immutable values, with all that is below them, are neither changed, nor
	// removed, nor set.
	Immutable = Transition("immutable")
	// ImmutableKeys fixes which entries a map has, or which items an associative
	// list; what they are may change.
	ImmutableKeys = Transition("immutableKeys")
	// AdditionOnly lets a map or an associative list gain entries but not lose
	// them.
	AdditionOnly = Transition("additionOnly")
	// DeletionOnly lets it lose entries but not gain them.
	DeletionOnly = Transition("deletionOnly")
	// SetOnce values may be set where there is none, or null, and are Immutable
	// from then on.
	SetOnce = Transition("setOnce")
)

// UnmarshalYAML reads a transition and refuses other spellings: one that is not
// understood would let everything change.
func (t *Transition) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	switch read := Transition(text); read {
	case "", Immutable, ImmutableKeys, AdditionOnly, DeletionOnly, SetOnce:
		*t = read
		return nil
	}
	return fmt.Errorf("transition: want immutable, immutableKeys, additionOnly, deletionOnly or setOnce, found %q", text)
}
