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

// Lacks is why the manager that was asked for owns nothing in an object: which
// managers there are, and, if it is among them, what it owns otherwise.
type Lacks struct {
	Managers []string
	Why      string
}

// OnlyOwned leaves out the outcomes of objects in which the manager owns nothing, with
// a note of how many they are. If that is all of them, it is an error: the name may be
// misspelt.
type OnlyOwned[T any] struct {
	Files   input.Files
	Manager string
	// Told makes of an outcome what Then gets.
	Told func(*Outcome) T
	Then func(T)
	// All is how many outcomes there were.
	All int

	owned bool
	// left is how many are left out; one is the first of them, all what they lack.
	left int
	one  *Outcome
	all  Lacks
	// waiting came behind one, as long as it may be the only one and an error.
	waiting []T
}

// Add passes an outcome on, and what was made of it, unless it is to be left out.
func (f *OnlyOwned[T]) Add(o *Outcome, v T) {
	f.All++
	if o.Lacks != nil {
		if f.left++; f.left == 1 {
			f.one = o
		} else {
			f.settle()
		}
		f.all.add(o)
		return
	}
	f.owned = f.owned || len(o.Errors) == 0
	if f.owned {
		f.settle()
	}
	if f.one != nil {
		f.waiting = append(f.waiting, v)
		return
	}
	f.Then(v)
}

// settle passes on what waits.
func (f *OnlyOwned[T]) settle() {
	f.one = nil
	for _, v := range f.waiting {
		f.Then(v)
	}
	f.waiting = nil
}

// End tells of what was left out.
func (f *OnlyOwned[T]) End(r *command.Run) {
	switch {
	case f.left == 0:
	case f.owned:
		r.Notef("%s owns nothing in %d of %d objects, which are passed over", words.OneLine(words.Flow(f.Manager)), f.left, f.All)
	case f.left == 1:
		o := f.one
		o.Errors = manifest.Errors{o.Object.Errorf(".metadata.managedFields", "%s", o.Lacks.reason(f.Manager))}
		f.Then(f.Told(o))
		f.settle()
	default:
		message := fmt.Sprintf("in none of %d objects: %s", f.left, f.all.reason(f.Manager))
		f.Then(f.Told(&Outcome{Errors: manifest.Errors{{File: words.ShortList(f.Files.Names), Message: message}}}))
	}
}

// add adds what o lacks.
func (l *Lacks) add(o *Outcome) {
	l.Managers = append(l.Managers, o.Lacks.Managers...)
	slices.Sort(l.Managers)
	l.Managers = slices.Compact(l.Managers)
	if l.Why == "" && o.Lacks.Why != "" {
		l.Why = fmt.Sprintf("%v: %s", o.Object.Identity(), o.Lacks.Why)
	}
}

func (l *Lacks) reason(manager string) string {
	if l.Why != "" {
		return l.Why
	}
	return NoManager(manager, l.Managers)
}

// NoManager says that nobody of a name is among the managers.
func NoManager(name string, managers []string) string {
	if len(managers) == 0 {
		return "no manager " + words.Flow(name) + ": there are none"
	}
	slices.Sort(managers)
	hint := words.DidYouMean(suggest.Nearest(name, managers))
	return "no manager " + words.Flow(name) + "; there are " + words.ShortList(slices.Compact(managers)) + hint
}
