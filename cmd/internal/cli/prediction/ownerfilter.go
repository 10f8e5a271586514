// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// OwnsNothing explains why the selected manager owns nothing in an object. Managers lists the
// managers of the object. Why is set if the selected manager owns fields only through a
// different operation or subresource. Only the command migrate sets Applies: it is true if the
// manager that gets the fields already applies the object.
type OwnsNothing struct {
	Managers []string
	Why      string
	Applies  bool
}

// OwnerFilter leaves out objects in which the selected manager owns nothing. It prints a note
// that counts these objects. If the manager owns nothing in any object, OwnerFilter reports an
// error, because the manager's name may be misspelled.
type OwnerFilter[T any] struct {
	Files   input.Files
	Manager string
	// Convert converts an outcome to a value that Next accepts.
	Convert func(*Outcome) T
	Next    func(T)
	// Total is the number of outcomes that were added.
	Total int

	// ownsAny is set when the manager owns something in an object without errors.
	ownsAny bool
	// skipped counts the objects that were left out. reasons explains why they were left out.
	skipped int
	reasons OwnsNothing
	// first is the first skipped outcome. It becomes an error if the filter skips no other
	// object and the manager owns nothing in the rest. pending holds the results after first
	// until this is decided.
	first   *Outcome
	pending []T
}

// Add passes v to Next, unless the manager owns nothing in the object of o. v is the result of
// Convert for o.
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

// End reports the objects that were left out, as a note or as an error. Call it after the last
// Add.
func (f *OwnerFilter[T]) End(r *command.Run) {
	switch {
	case f.skipped == 0:
	case f.ownsAny:
		r.Notef("skipped %[2]d of %[3]d objects, in which %[1]s owns nothing", words.OneLine(words.Flow(f.Manager)), f.skipped, f.Total)
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

// add adds the managers in o.OwnsNothing to n. If n has no reason yet, it also adds
// the reason.
func (n *OwnsNothing) add(o *Outcome) {
	n.Managers = append(n.Managers, o.OwnsNothing.Managers...)
	slices.Sort(n.Managers)
	n.Managers = slices.Compact(n.Managers)
	if n.Why == "" && o.OwnsNothing.Why != "" {
		n.Why = fmt.Sprintf("%v: %s", o.Object.Identity(), o.OwnsNothing.Why)
	}
}

func (n *OwnsNothing) reason(manager string) string {
	if n.Why != "" {
		return n.Why
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
