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

// Violation is a change that an API server rejects.
type Violation struct {
	// TransitionError contains the path, the old value and the new value.
	typed.TransitionError
	// Hint describes how to avoid the error. It may be empty. Deleting and recreating the object
	// always works, so hints do not mention it.
	Hint string
}

// Check returns the changes in an update from live to object that an API server rejects, sorted by
// path. Both objects must have the same kind and version, and t must be the type of this kind.
// Check does not modify the objects.
//
// If the kind is not a built-in kind, or if live is nil, Check returns nil. If a value does not
// match its type, Check returns an error.
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
		c.old, c.next = withStringData(live), withStringData(object)
	case "Pod":
		c.old, c.next = withServiceAccountName(live, "spec"), withServiceAccountName(object, "spec")
	case "Job.batch":
		c.old, c.next = withServiceAccountName(live, "spec", "template", "spec"), withServiceAccountName(object, "spec", "template", "spec")
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

// check compares the stored object with the object that replaces it.
type check struct {
	release   *Release
	t         typed.ParseableType
	kind      *kindRules
	old, next map[string]any
	found     []Violation
}

// transitions checks the rules that restrict changes, for example that a field is immutable. It
// ignores differences between values that are equal after Kubernetes decodes the objects into Go
// types.
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
		case at.filledByServer(c.old, c.next):
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

// report adds a violation for a changed value.
func (c *check) report(d changedValue, rule schema.Transition, message, hint string) {
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

// fieldIsImmutable is Kubernetes' message for a field that may never change.
const fieldIsImmutable = "field is immutable"

// requireUnchanged rejects changes of the value at a path, and of all values inside it. It ignores the
// values at the paths in except. All paths are written as in the table of rules.
func (c *check) requireUnchanged(pattern, message, hint string, except ...string) {
	at, old, next := c.valuesAt(pattern)
	d := &difference{check: c, except: except}
	d.value(at, old, next)
	for _, f := range d.found {
		c.report(f, schema.Immutable, message, hint)
	}
}

// valuesAt returns the location that a path leads to, and its values in the live and in the new
// object. A missing value is nil. The path must consist only of field names.
func (c *check) valuesAt(pattern string) (at location, old, next any) {
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

// oldValue and newValue return the value at a path in the live and in the new object. The path must
// consist only of field names, such as ".spec.volumeName".
func (c *check) oldValue(pattern string) any { _, v, _ := c.valuesAt(pattern); return v }
func (c *check) newValue(pattern string) any { _, _, v := c.valuesAt(pattern); return v }

// reject adds a violation for the value at a path, such as ".spec.type".
func (c *check) reject(pattern, message, hint string) {
	at, old, next := c.valuesAt(pattern)
	c.report(changedValue{at, old, next}, schema.NoTransition, message, hint)
}

// equalAt reports whether both objects have the same value at a path. The path must consist only of
// field names.
func (c *check) equalAt(pattern string) bool {
	at, old, next := c.valuesAt(pattern)
	d := &difference{check: c}
	d.value(at, old, next)
	return len(d.found) == 0
}

// at returns the location that a path leads to, with the values on the path in both objects.
func (c *check) at(path fieldpath.Path) location {
	at := c.root()
	old, next := any(c.old), any(c.next)
	for _, e := range path {
		if e.FieldName != nil {
			at = at.child(c.t.Schema, *e.FieldName)
			at.ancestors = append(slices.Clip(at.ancestors), ancestor{child(old, *e.FieldName), child(next, *e.FieldName), at.facts})
			old, next = child(old, *e.FieldName), child(next, *e.FieldName)
			continue
		}
		at = at.item(c.t.Schema, e)
		old, next = itemOf(c.t.Schema, at.list, old, e), itemOf(c.t.Schema, at.list, next, e)
	}
	return at
}
