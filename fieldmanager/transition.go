// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// transition is a live object and what is to take its place.
type transition struct {
	typ          typed.ParseableType
	live, object *typed.TypedValue
	// sent is what the author of the request wrote, for verb.
	sent   map[string]any
	verb   string
	forced bool
	// was is the live object as it was compared, wrote what was sent; find finds in
	// them.
	was, wrote *typed.TypedValue
	find       place.Finders
}

// check returns an *ImmutableError if object may not take the place of live.
func (u *transition) check(o typed.TransitionOptions) error {
	was, err := asRead(u.live)
	if err != nil {
		return fmt.Errorf("the live object (%s): %w", document.Describe(plainOf(u.live)), err)
	}
	is, err := asRead(u.object)
	if err != nil {
		return fmt.Errorf("the new object (%s): %w", document.Describe(plainOf(u.object)), err)
	}
	err = was.CheckTransition(is, o)
	var found typed.TransitionErrors
	if !errors.As(err, &found) {
		return err
	}
	e := &ImmutableError{cause: found, object: nameOf(plainOf(u.object))}
	var removed *fieldpath.Set
	if compared, err := was.Compare(is); err == nil {
		removed = compared.Removed
	}
	u.find = place.Finders{}
	u.was, u.wrote = was, place.TypedOf(u.typ, u.sent)
	for i := range found {
		e.Fields = append(e.Fields, ImmutableField{TransitionError: found[i], Hint: u.hint(&found[i], removed), KEP: markersKEP})
	}
	return e
}

// asRead is an object as an API server reads it from its store: pruned, and with
// its defaults.
func asRead(object *typed.TypedValue) (*typed.TypedValue, error) {
	pruned, err := object.Prune()
	if err != nil {
		return nil, err
	}
	return pruned.Default()
}

func plainOf(object *typed.TypedValue) map[string]any {
	plain, _ := object.AsValue().Unstructured().(map[string]any) // it was made of one
	return plain
}

// nameOf names an object as the API server's errors about its fields do.
func nameOf(object map[string]any) string {
	apiVersion, kind := document.TypeOf(object)
	if group, _, ok := strings.Cut(apiVersion, "/"); ok {
		kind += "." + group
	}
	return fmt.Sprintf("%s %q", kind, document.MetaString(object, "name"))
}

// hint tells what makes the change. removed is what the object loses, nil if that
// is not known.
func (u *transition) hint(f *typed.TransitionError, removed *fieldpath.Set) string {
	switch {
	case f.Old == nil && f.Type == typed.TransitionInvalid:
		return "it has no value, and what is immutable cannot be set later"
	case f.Old == nil:
		return ""
	}
	def, ok := u.find.DefaultOf(u.was, f.Path)
	if ok && f.New != nil && document.Equal(def, f.New.Unstructured()) && !u.sends(f.Path) {
		return fmt.Sprintf("un-setting returns %v to its default %s; immutable value is %s", f.Path, inYAML(f.New), inYAML(f.Old))
	}
	if dropped := u.dropped(f.Path, removed); len(dropped) > 0 {
		what := "part of an immutable field"
		switch {
		case f.Type == typed.TransitionForbidden:
			what = "an item that has to stay"
		case f.New == nil:
			what = "an immutable field"
		}
		return fmt.Sprintf("you no longer send %s; %s would remove %s", strings.Join(dropped, ", "), u.verb, what)
	}
	if u.forced {
		return "force does not override it"
	}
	return ""
}

// inYAML is v in one line: a string as YAML writes it, anything else as JSON.
func inYAML(v value.Value) string {
	if v.IsString() {
		text, err := value.ToYAML(v)
		if line := strings.TrimSuffix(string(text), "\n"); err == nil && !strings.Contains(line, "\n") {
			return line
		}
	}
	return value.ToString(v)
}

// sends says whether what was sent has a value at path.
func (u *transition) sends(path fieldpath.Path) bool {
	_, ok := u.find.Value(u.wrote, path)
	return ok
}

// dropped names what goes at path or below because it is not sent any more.
func (u *transition) dropped(path fieldpath.Path, removed *fieldpath.Set) []string {
	if !u.sends(path) {
		return []string{path.String()}
	}
	if removed == nil {
		return nil
	}
	const most = 3
	var names []string
	more := 0
	below := removed
	for _, element := range path {
		below = below.WithPrefix(element)
	}
	for p := range below.All() {
		p = append(path[:len(path):len(path)], p...)
		switch {
		case u.sends(p):
		case len(names) == most:
			more++
		default:
			names = append(names, p.String())
		}
	}
	if more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return names
}
