// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/test/immutable/server"
)

// Verdict is the server's decision about a change.
type Verdict int

// These are the possible decisions. The server stores the change, or accepts it but keeps the
// old value. Or it rejects the new object whatever the old object is, rejects the change, or
// cannot decode the object.
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
	// Why has the errors that would not occur if the new object were created.
	Why []server.Complaint
	// Before and After are both objects in the form of the server, with all defaults.
	Before, After map[string]any
}

func (a *Asked) String() string {
	return fmt.Sprintf("%v: %s %v", a.Object, a.Change.How, a.Change.Place)
}

// Ask makes a change to an object and returns the server's decision.
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
