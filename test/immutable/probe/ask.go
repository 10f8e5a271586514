// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/test/immutable/server"
)

// Verdict is what becomes of a change.
type Verdict int

// What a server makes of a change: it stores it; it accepts it, and stores what there was; it
// refuses it for a reason that the new object alone gives; it refuses it as a change; it cannot
// read it.
const (
	Accepted Verdict = iota
	Ignored
	Invalid
	Refused
	Unreadable
)

// Asked is a change and what became of it.
type Asked struct {
	Object *Object
	Change Change
	Verdict
	// Why are the errors that the new object alone does not raise.
	Why []server.Complaint
	// Before and After are both objects as a server has them, with all defaults.
	Before, After map[string]any
}

func (a *Asked) String() string {
	return fmt.Sprintf("%v: %s %v", a.Object, a.Change.How, a.Change.Place)
}

// Ask asks for a change of an object.
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
