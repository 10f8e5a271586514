// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// immutableCheck checks whether the transition rules allow object to replace live.
type immutableCheck struct {
	typ          typed.ParseableType
	live, object *typed.TypedValue
	// sent is the object in the request. subject is the subject of a sentence about the request,
	// such as "the update". The field forced is true for an apply with force.
	sent    map[string]any
	subject string
	forced  bool
	// leftovers has the union members that the request no longer selects. The request clears those
	// whose field Written is false. It may be nil or empty if there are none.
	leftovers *leftovers
	// liveDefaulted is the pruned and defaulted live object. sentTyped is the sent object with its
	// type. finders caches lookups in both objects. The method run sets these fields only if it
	// finds forbidden changes.
	liveDefaulted, sentTyped *typed.TypedValue
	finders                  place.Finders
}

// run returns an *ImmutableError if the transition rules do not allow object to replace live.
func (c *immutableCheck) run(o typed.TransitionOptions) error {
	// The merge has usually compared the two objects already. If it found that only parts without rules
	// differ, there is no need to prune, default and compare them here.
	if (*operand.Value)(c.live).RulesProven((*operand.Value)(c.object)) {
		return nil
	}
	before, err := pruneAndDefault(c.live)
	if err != nil {
		return fmt.Errorf("the live object (%s): %w", document.Describe(plainObject(c.live)), err)
	}
	after, err := pruneAndDefault(c.object)
	if err != nil {
		return fmt.Errorf("the new object (%s): %w", document.Describe(plainObject(c.object)), err)
	}
	err = before.CheckTransition(after, o)
	var changes typed.TransitionErrors
	if !errors.As(err, &changes) {
		return err
	}
	e := &ImmutableError{cause: changes, object: kindAndName(plainObject(c.object))}
	var removed *fieldpath.Set
	if compared, err := before.Compare(after); err == nil {
		removed = compared.Removed
	}
	c.finders = place.Finders{}
	c.liveDefaulted, c.sentTyped = before, place.TypedOf(c.typ, c.sent)
	for i := range changes {
		e.Fields = append(e.Fields, ImmutableField{TransitionError: changes[i], Hint: c.hint(&changes[i], removed), KEP: transitionsProposal})
	}
	return e
}

// pruneAndDefault returns object as an API server reads it from its store: pruned, and
// with defaults.
func pruneAndDefault(object *typed.TypedValue) (*typed.TypedValue, error) {
	pruned, err := object.Prune()
	if err != nil {
		return nil, err
	}
	return pruned.Default()
}

// kindAndName describes an object by its kind, group and name, as in the API server's errors
// about fields. An object that is not from Kubernetes may lack a name; the text then has no name.
func kindAndName(object map[string]any) string {
	apiVersion, kind := document.TypeOf(object)
	if group, _, ok := strings.Cut(apiVersion, "/"); ok {
		kind += "." + group
	}
	name := document.MetaString(object, "name")
	if name == "" {
		return kind
	}
	return fmt.Sprintf("%s %q", kind, name)
}

// hint explains to the user why the value of f changes, or why it must not change. If there is
// nothing to explain, hint returns "". The exception is a forced apply that changes or removes a
// value: for it, hint says that force does not help. The argument removed has the fields that the
// object loses, or is nil if they are unknown.
func (c *immutableCheck) hint(f *typed.TransitionError, removed *fieldpath.Set) string {
	switch {
	case f.Old == nil && f.Type == typed.TransitionInvalid:
		return "it has no value, and an immutable field cannot be set later"
	case f.Old == nil:
		return ""
	}
	sendsField := c.sends(f.Path)
	def, ok := c.finders.DefaultOf(c.liveDefaulted, f.Path)
	if ok && f.New != nil && document.Equal(def, f.New.Unstructured()) && !sendsField {
		return fmt.Sprintf("the request omits %v, so its default %s would replace the immutable value %s", f.Path, oneLineYAML(f.New), oneLineYAML(f.Old))
	}
	removedThing := "part of an immutable field"
	switch {
	case f.Type == typed.TransitionForbidden:
		removedThing = "an item that must stay"
	case f.New == nil:
		removedThing = "an immutable field"
	}
	unsent, reason := c.removedPaths(f, removed)
	switch {
	case len(unsent) > 0:
		return fmt.Sprintf("you do not send %s; %s would remove %s", joinFirst(unsent), c.subject, removedThing)
	case reason != "":
		return fmt.Sprintf("%s, so %s would clear %s (%s)", reason, c.subject, removedThing, unionsProposal)
	case !sendsField && f.New != nil && removed != nil:
		return fmt.Sprintf("you do not send %v; the server would replace its value", f.Path)
	case c.forced:
		return "forcing the apply does not help"
	}
	return ""
}

// oneLineYAML returns v as YAML on one line. It writes a string as YAML if the result is one
// line. It writes all other values as JSON, which is valid YAML.
func oneLineYAML(v value.Value) string {
	if v.IsString() {
		text, err := value.ToYAML(v)
		if line := strings.TrimSuffix(string(text), "\n"); err == nil && !strings.Contains(line, "\n") {
			return line
		}
	}
	if text, err := value.ToJSON(v); err == nil {
		return string(text)
	}
	return value.ToString(v) // for example a NaN, which JSON does not have
}

// sends reports whether the sent object has a value at path.
func (c *immutableCheck) sends(path fieldpath.Path) bool {
	_, ok := c.finders.Value(c.sentTyped, path)
	return ok
}

// removedPaths returns the paths of removed values that the request does not send. These are the
// path of f if its value is removed, and otherwise paths below it. The result unsent leaves out
// values that the request removes because it clears a member of a union. If there are such values,
// reason explains why the request clears the member.
func (c *immutableCheck) removedPaths(f *typed.TransitionError, removed *fieldpath.Set) (unsent []fieldpath.Path, reason string) {
	add := func(p fieldpath.Path) {
		if text := c.leftovers.clearReason(p); text != "" {
			reason = text
		} else if !c.sends(p) {
			unsent = append(unsent, p)
		}
	}
	if f.New == nil {
		add(f.Path)
		return unsent, reason
	}
	if removed == nil {
		return nil, ""
	}
	below := removed
	for _, element := range f.Path {
		below = below.WithPrefix(element)
	}
	for p := range below.All() {
		add(append(f.Path[:len(f.Path):len(f.Path)], p...))
	}
	return unsent, reason
}

// joinFirst returns paths as text. If there are many paths, the text has only the first few, and ends
// with a text such as "5 more".
func joinFirst(paths []fieldpath.Path) string {
	const most = 3
	var names []string
	for _, p := range paths[:min(len(paths), most)] {
		names = append(names, p.String())
	}
	if more := len(paths) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
