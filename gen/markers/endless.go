// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"slices"
)

// maxDefaults bounds how many values the defaults of one field may add.
const maxDefaults = 100_000

// checkEndless reports a default of a field that, with the defaults of what is in
// it, comes to itself or to more than anybody means.
func (s *Source) checkEndless(f *Field, d *Default) {
	e := &expansion{src: s, making: []*types.Var{f.Var}}
	e.value(d.Value, f.Type)
	switch {
	case e.loop != nil:
		s.findings.add(d.Marker.pos, DefaultEndless, fmt.Sprintf("the default %s of %s contains itself", JSON(d.Value), f),
			fmt.Sprintf("what it makes has a field %s, which takes it again", e.loop), "set that field in the default, or remove one of the two")
	case e.count > maxDefaults:
		s.findings.add(d.Marker.pos, DefaultEndless, fmt.Sprintf("the default %s of %s adds more than %d values", JSON(d.Value), f, maxDefaults),
			"what it makes has fields with defaults in turn", "remove some")
	}
}

// expansion fills a default with the defaults of what is in it, to see whether it
// ends.
type expansion struct {
	src    *Source
	making []*types.Var
	count  int
	loop   *Field
}

func (e *expansion) value(v any, t types.Type) {
	e.count++
	if e.loop != nil || e.count > maxDefaults || v == nil {
		return
	}
	t = Deref(t)
	switch e.src.Shape(t) {
	case List:
		elem, _ := Elem(t)
		items, _ := v.([]any)
		for _, item := range items {
			e.value(item, elem)
		}
	case Map:
		elem, _ := Elem(t)
		entries, _ := v.(map[string]any)
		for _, k := range sortedKeys(entries) {
			e.value(entries[k], elem)
		}
	case Struct:
		entries, _ := v.(map[string]any)
		for _, f := range e.src.Flat(t.Underlying().(*types.Struct), NameOf(t)) {
			if v, ok := entries[f.Name]; ok && v != nil {
				e.value(v, f.Type)
				continue
			}
			d := e.src.Default(f)
			if d == nil {
				continue
			}
			if slices.Contains(e.making, f.Var) {
				e.loop = f
				return
			}
			e.making = append(e.making, f.Var)
			e.value(d.Value, f.Type)
			e.making = e.making[:len(e.making)-1]
		}
	}
}
