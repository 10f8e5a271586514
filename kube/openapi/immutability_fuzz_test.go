// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// FuzzImmutability checks transitions with arbitrary CRD schemas and objects. The check
// must end, find no difference between an object and its copy, and return sorted findings.
// Ignoring the order of items must not lead to more findings.
func FuzzImmutability(f *testing.F) {
	text := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		return string(data)
	}
	for _, all := range loadImmutabilityCases(f) {
		for _, c := range all.Cases {
			old, next := c.OldJSON, c.NewJSON
			if old == "" {
				old = text(c.Old)
			}
			if next == "" {
				next = text(c.New)
			}
			f.Add(text(all.Schemas[c.Schema]), old, next)
		}
	}
	f.Fuzz(func(t *testing.T, schema, old, next string) {
		if len(schema)+len(old)+len(next) > 1<<13 {
			return
		}
		parsed, err := parseJSON([]byte(schema))
		if err != nil {
			return
		}
		c := New(Options{})
		if text, err := json.Marshal(parsed); err != nil || c.AddCRD("crd.yaml", crd(string(text))) != nil {
			return
		}
		pt, ok := c.Type("example.com/v1", "Widget")
		if !ok {
			t.Fatal("no Widget")
		}
		read := func(text string) *typed.TypedValue {
			v, err := parseJSON([]byte(text))
			if err != nil {
				return nil
			}
			return typed.AsTypedUnvalidated(value.NewValueInterface(v), pt.Schema, pt.TypeRef)
		}
		a, again, b := read(old), read(old), read(next)
		if a == nil || b == nil {
			return
		}
		if err := a.CheckTransition(again, typed.TransitionOptions{}); err != nil {
			t.Errorf("a copy: %v", err)
		}
		var found, fewer typed.TransitionErrors
		if err := a.CheckTransition(b, typed.TransitionOptions{}); err != nil && (!errors.As(err, &found) || err.Error() == "") {
			t.Fatal(err)
		}
		errors.As(a.CheckTransition(b, typed.TransitionOptions{IgnoreItemOrder: true}), &fewer)
		for _, e := range fewer {
			if !slices.ContainsFunc(found, func(o typed.TransitionError) bool { return o.Field == e.Field && o.Path.Equals(e.Path) }) {
				t.Errorf("found only if the order of items is ignored: %v", e)
			}
		}
		if !slices.IsSortedFunc(found, func(a, b typed.TransitionError) int { return a.Path.Compare(b.Path) }) {
			t.Errorf("not in order: %v", found)
		}
	})
}
