// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// OwnsNothing explains why the selected manager owns nothing in an object. Managers lists the
// managers that own something. If the selected manager does own fields, but with another operation
// or subresource, Why says so. Only the command migrate uses Applies, which is true if the manager
// that receives the fields already applies the object.
type OwnsNothing struct {
	Managers []string
	Why      string
	Applies  bool
	// unmanaged is the field Unmanaged of one of the outcomes. It is used in the result for several
	// objects, which leaves out the warnings of each object.
	unmanaged string
}

// OwnerFilter filters the results of a command that is limited to one manager. It removes the
// objects in which this manager owns nothing, and adds a note with their number. If the manager
// owns nothing in all objects, this is an error, because its name is probably misspelled.
type OwnerFilter[T any] struct {
	Files   input.Files
	Manager string
	// Convert converts an outcome to a value for Next.
	Convert func(*Outcome) T
	Next    func(T)
	// Total is the number of outcomes that were added.
	Total int

	// ownsAny is set when the manager owns something in an object without errors.
	ownsAny bool
	// skipped counts the removed objects.
	skipped int
	// reasons says why objects were removed.
	reasons OwnsNothing
	// first is the first removed outcome. End turns it into an error if no other outcome was
	// removed and the manager owns nothing in the other objects.
	first *Outcome
	// pending holds the results that follow first, until it is known whether first is an error.
	pending []T
}

// Add passes v to Next if the manager owns fields in the outcome's object. v must be the
// result of Convert for the outcome.
func (f *OwnerFilter[T]) Add(o *Outcome, v T) {
	f.Total++
	if o.OwnsNothing != nil {
		if f.skipped++; f.skipped == 1 {
			f.first = o
		} else {
			f.flush()
		}
		f.reasons.add(o)
		return
	}
	f.ownsAny = f.ownsAny || len(o.Errors) == 0
	if f.ownsAny {
		f.flush()
	}
	if f.first != nil {
		f.pending = append(f.pending, v)
		return
	}
	f.Next(v)
}

// flush passes the pending results to Next.
func (f *OwnerFilter[T]) flush() {
	f.first = nil
	for _, v := range f.pending {
		f.Next(v)
	}
	f.pending = nil
}

// End reports the removed objects, as a note or as an error. Call it after the last Add.
func (f *OwnerFilter[T]) End(r *command.Run) {
	switch {
	case f.skipped == 0:
	case f.ownsAny:
		r.Notef("skipped %[2]d of %[3]d objects, because %[1]s owns nothing in them", words.OneLine(words.Flow(f.Manager)), f.skipped, f.Total)
	case f.skipped == 1:
		o := f.first
		o.Errors = manifest.Errors{o.Object.Errorf(".metadata.managedFields", "%s", o.OwnsNothing.reason(f.Manager))}
		f.Next(f.Convert(o))
		f.flush()
	default:
		message := fmt.Sprintf("none of %d objects matches: %s", f.skipped, f.reasons.reason(f.Manager))
		f.Next(f.Convert(&Outcome{Errors: manifest.Errors{{File: f.Files.Shown(), Message: message}}}))
	}
}

// add combines n with the reasons of another object. It adds the managers of the outcome's
// object, and sets Why if it is not yet set.
func (n *OwnsNothing) add(o *Outcome) {
	n.Managers = append(n.Managers, o.OwnsNothing.Managers...)
	slices.Sort(n.Managers)
	n.Managers = slices.Compact(n.Managers)
	n.unmanaged = cmp.Or(n.unmanaged, o.Unmanaged)
	if n.Why == "" && o.OwnsNothing.Why != "" {
		n.Why = fmt.Sprintf("%v: %s", o.Object.Identity(), o.OwnsNothing.Why)
	}
}

func (n *OwnsNothing) reason(manager string) string {
	if n.Why != "" {
		return n.Why
	}
	if len(n.Managers) == 0 && n.unmanaged != "" {
		return "no manager " + words.Flow(manager) + ": " + n.unmanaged
	}
	return NoManager(manager, n.Managers)
}

// NoManager returns the message that no manager has the given name. The message lists the
// existing managers.
func NoManager(name string, managers []string) string {
	if len(managers) == 0 {
		return "no manager " + words.Flow(name) + ": there are no managers"
	}
	slices.Sort(managers)
	hint := words.DidYouMean(suggest.Nearest(name, managers))
	return "no manager " + words.Flow(name) + "; existing managers: " + words.ShortList(slices.Compact(managers)) + hint
}
