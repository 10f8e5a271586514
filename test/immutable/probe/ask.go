// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/test/immutable/server"
)

// Verdict is the server's reaction to a change.
type Verdict int

// These are the verdicts. Accepted means that the server stores the change. Ignored means that
// the server accepts the update, but keeps the old value. Refused means that the server rejects
// the change itself. Invalid means that the server rejects the update only for other reasons, for
// example because a client could not create the new object either. Unreadable means that the
// server cannot process one of the objects.
const (
	Accepted Verdict = iota
	Ignored
	Invalid
	Refused
	Unreadable
)

// Asked is a change with the server's decision.
type Asked struct {
	Object *Object
	Change Change
	Verdict
	// Why lists the errors about the change. Errors that would also occur when the new object
	// is created are not included.
	Why []server.Complaint
	// Before and After are the old and the new object after the server has decoded them and
	// set all defaults.
	Before, After map[string]any
}

func (a *Asked) String() string {
	return fmt.Sprintf("%v: %s %v", a.Object, a.Change.How, a.Change.Place)
}

// Ask makes a change to an object and returns the server's verdict.
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
