// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"errors"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// Violation is one thing that an update does and an API server refuses.
type Violation struct {
	// TransitionError says where, what was there and what would be.
	typed.TransitionError
	// Hint is a sentence about what would help, besides to delete the object and to create it anew,
	// which always does; it may be empty.
	Hint string
}

// Check returns what an API server refuses of an update that puts object in the place of
// live, sorted by path: both of one built-in kind, in one version, of which t is the type.
// Neither is modified. Of kinds that are not built in, and of a live object that is nil, it
// says nothing. The error is that of a value that is no value of its type.
func (r *Release) Check(t typed.ParseableType, live, object map[string]any) ([]Violation, error) {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	k := r.find(apiVersion, kind)
	if k == nil || live == nil || object == nil {
		return nil, nil
	}
	c := &check{release: r, t: t, kind: k, old: live, next: object}
	switch groupKind(apiVersion, kind) {
	case "Secret":
		c.old, c.next = withStrings(live), withStrings(object)
	case "Pod":
		c.old, c.next = withAccount(live, "spec"), withAccount(object, "spec")
	case "Job.batch":
		c.old, c.next = withAccount(live, "spec", "template", "spec"), withAccount(object, "spec", "template", "spec")
	}
	if err := c.transitions(); err != nil {
		return nil, err
	}
	for _, f := range conditions[groupKind(apiVersion, kind)] {
		f(c)
	}
	slices.SortStableFunc(c.found, func(a, b Violation) int { return a.Path.Compare(b.Path) })
	c.found = slices.CompactFunc(c.found, func(a, b Violation) bool { return a.Path.Equals(b.Path) })
	return c.found, nil
}

// check is a live object and what is to take its place.
type check struct {
	release   *Release
	t         typed.ParseableType
	kind      *kindRules
	old, next map[string]any
	found     []Violation
}

// transitions asks the engine, and leaves out what Kubernetes' Go types take for the same.
func (c *check) transitions() error {
	t, ok := c.release.Type(c.t, c.kind.apiVersion, c.kind.kind)
	if !ok {
		return nil
	}
	typedOf := func(object map[string]any) *typed.TypedValue {
		return typed.AsTypedUnvalidated(value.NewValueInterface(object), t.Schema, t.TypeRef)
	}
	var broken typed.TransitionErrors
	err := typedOf(c.old).CheckTransition(typedOf(c.next), typed.TransitionOptions{})
	if err != nil && !errors.As(err, &broken) {
		return err
	}
	for i := range broken {
		e := &broken[i]
		at := c.at(e.Path)
		switch {
		case at.filled(c.old, c.next):
		case e.Type == typed.TransitionForbidden:
			c.found = append(c.found, Violation{*e, c.hint(at.pattern)})
		default:
			d := &difference{check: c}
			if e.Transition == schema.SetOnce && d.zero(at, plain(e.Old)) {
				continue
			}
			d.value(at, plain(e.Old), plain(e.New))
			for _, f := range d.found {
				c.report(f, e.Transition, e.Message, c.hint(at.pattern))
			}
		}
	}
	return nil
}

func plain(v value.Value) any {
	if v == nil {
		return nil
	}
	return v.Unstructured()
}

// report adds a finding about two values that differ.
func (c *check) report(d differing, rule schema.Transition, message, hint string) {
	e := typed.TransitionError{
		Path: d.at.path, Field: strings.TrimPrefix(d.at.field, "."), Type: typed.TransitionInvalid, Message: message, Transition: rule,
	}
	if d.old != nil {
		e.Old = value.NewValueInterface(d.old)
	}
	if d.next != nil {
		e.New = value.NewValueInterface(d.next)
	}
	c.found = append(c.found, Violation{e, hint})
}

// fieldIsImmutable is the message of what may not change at all, in the words of Kubernetes.
const fieldIsImmutable = "field is immutable"

// keep is a condition: nothing at pattern or below may change, but for what is at the patterns
// of except and below them. Patterns are written as in the table of rules.
func (c *check) keep(pattern, message, hint string, except ...string) {
	at, old, next := c.both(pattern)
	d := &difference{check: c, except: except}
	d.value(at, old, next)
	for _, f := range d.found {
		c.report(f, schema.Immutable, message, hint)
	}
}

// both are the values of both objects at a pattern of fields, nil where there is none.
func (c *check) both(pattern string) (at spot, old, next any) {
	at, old, next = c.root(), c.old, c.next
	for name := range strings.SplitSeq(strings.TrimPrefix(pattern, "."), ".") {
		if name == "" {
			continue
		}
		at = at.child(c.t.Schema, name)
		old, next = child(old, name), child(next, name)
	}
	return at, old, next
}

func child(v any, name string) any {
	m, _ := v.(map[string]any)
	return m[name]
}

// was and is are what the live object and the new one have at a pattern of fields.
func (c *check) was(pattern string) any { _, v, _ := c.both(pattern); return v }
func (c *check) is(pattern string) any  { _, _, v := c.both(pattern); return v }

// refuse is a condition that is about one value, which was what it was and is not to
// become what it is to be.
func (c *check) refuse(pattern, message, hint string) {
	at, old, next := c.both(pattern)
	c.report(differing{at, old, next}, schema.NoTransition, message, hint)
}

// same says whether both objects have the same at a pattern of fields.
func (c *check) same(pattern string) bool {
	at, old, next := c.both(pattern)
	d := &difference{check: c}
	d.value(at, old, next)
	return len(d.found) == 0
}

// at is the spot that a path leads to.
func (c *check) at(path fieldpath.Path) spot {
	at := c.root()
	old, next := any(c.old), any(c.next)
	for _, e := range path {
		if e.FieldName != nil {
			at = at.child(c.t.Schema, *e.FieldName)
			at.passed = append(slices.Clip(at.passed), passed{child(old, *e.FieldName), child(next, *e.FieldName), at.facts})
			old, next = child(old, *e.FieldName), child(next, *e.FieldName)
			continue
		}
		at = at.item(c.t.Schema, e)
		old, next = itemOf(c.t.Schema, at.list, old, e), itemOf(c.t.Schema, at.list, next, e)
	}
	return at
}
