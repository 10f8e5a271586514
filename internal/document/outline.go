// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package document

// Outline is a copy of a decoded value in which maps are stored as lists. Use it to compare one
// value with many others, because iterating over a list is faster than iterating over a map.
type Outline struct {
	fields []outlined
	isMap  bool
	// The field rest has the value itself, if it is not a map.
	rest any
}

type outlined struct {
	name  string
	value Outline
}

// OutlineOf returns the outline of v. The outline shares data with v, so v must not
// change afterwards.
func OutlineOf(v any) Outline {
	m, ok := v.(map[string]any)
	if !ok || m == nil {
		return Outline{rest: v}
	}
	o := Outline{isMap: true}
	if len(m) > 0 {
		o.fields = make([]outlined, 0, len(m))
	}
	for name, c := range m {
		o.fields = append(o.fields, outlined{name, OutlineOf(c)})
	}
	return o
}

// Equal reports whether v equals the value that was passed to OutlineOf. The result is the same
// as that of the function Equal.
func (o *Outline) Equal(v any) bool {
	if !o.isMap {
		return Equal(o.rest, v)
	}
	m, ok := v.(map[string]any)
	if !ok || m == nil || len(m) != len(o.fields) {
		return false
	}
	for i := range o.fields {
		f := &o.fields[i]
		if c, ok := m[f.name]; !ok || !f.value.Equal(c) {
			return false
		}
	}
	return true
}
