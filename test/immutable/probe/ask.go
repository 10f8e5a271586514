// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/test/immutable/server"
)

// Verdict is the result of a change.
type Verdict int

// These are the results of a change. The server stores it, or accepts it but stores the old
// value. Or it rejects it because of the new object alone, rejects it as a change, or cannot
// decode it.
const (
	Accepted Verdict = iota
	Ignored
	Invalid
	Refused
	Unreadable
)

// Asked is a change and its result.
type Asked struct {
	Object *Object
	Change Change
	Verdict
	// Why has the errors that the new object alone does not cause.
	Why []server.Complaint
	// Before and After are the two objects as a server has them, with all defaults.
	Before, After map[string]any
}

func (a *Asked) String() string {
	return fmt.Sprintf("%v: %s %v", a.Object, a.Change.How, a.Change.Place)
}

// Ask makes a change of an object and returns the result.
func Ask(o *Object, c Change) *Asked {
	a := &Asked{Object: o, Change: c, Verdict: Unreadable}
	old, err := o.Kind.Read(c.Old)
	if err != nil {
		return a
	}
	next, err := o.Kind.Read(c.Next)
	if err != nil {
		return a
	}
	if a.Before, err = o.Kind.Write(old); err != nil {
		return a
	}
	if a.After, err = o.Kind.Write(next); err != nil {
		return a
	}
	answer, err := o.Kind.Update(old, next)
	switch {
	case err != nil:
	case answer.Unchanged:
		a.Verdict = Ignored
	case !answer.Refused:
		a.Verdict = Accepted
	case len(answer.Update) > 0:
		a.Verdict, a.Why = Refused, answer.Update
	default:
		a.Verdict = Invalid
	}
	return a
}
