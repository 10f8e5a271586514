// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package operand

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestDepthIsCheckedOnce checks that an operation does not check the depth of a value again
// after a validation or another operation. The same must be true for results of operations.
func TestDepthIsCheckedOnce(t *testing.T) {
	s := &schema.Schema{Types: []schema.TypeDef{{Name: "any"}}}
	text := schema.Untyped
	name := "any"
	ref := schema.TypeRef{NamedType: &name}
	s.Types[0].Atom = schema.Atom{Scalar: &text, Map: &schema.Map{ElementType: ref}}
	unvalidated := func(leaf string) *Value {
		return New(value.NewValueInterface(map[string]any{"a": map[string]any{"b": leaf}, "c": leaf}), s, ref)
	}
	known := func(what string, o *Value) {
		t.Helper()
		if o.memo.facts.Load()&bounded == 0 {
			t.Errorf("%s: the depth would be checked again", what)
		}
	}
	o, p := unvalidated("x"), unvalidated("y")
	if o.memo.facts.Load()&bounded != 0 {
		t.Error("nobody has checked the depth of a new value")
	}
	out, findings := o.Merge(p)
	if findings != nil {
		t.Fatal(findings)
	}
	known("left operand of Merge", o)
	known("config of Merge", p)
	known("result of Merge", out)
	if out, _, findings = o.Overlay(p); findings != nil {
		t.Fatal(findings)
	}
	known("result of Overlay", out)
	set, findings := o.FieldSet(nil)
	if findings != nil {
		t.Fatal(findings)
	}
	part := fieldpath.NewSet(fieldpath.MakePathOrDie("a", "b"))
	known("Without", o.Without(part))
	known("Only", o.Only(set))
	known("WithoutGivenUp", o.WithoutGivenUp(part))
	known("With", o.With(map[string]any{}))
	known("Writable", o.Writable())
	q := unvalidated("x")
	if _, findings := q.FieldSet(nil); findings != nil {
		t.Fatal(findings)
	}
	known("FieldSet", q)
	q, r := unvalidated("x"), unvalidated("x")
	if _, findings := q.Compare(r); findings != nil {
		t.Fatal(findings)
	}
	known("left operand of Compare", q)
	known("right operand of Compare", r)
	q = unvalidated("x")
	if findings := q.Validate(false); findings != nil {
		t.Fatal(findings)
	}
	known("Validate", q)
}
