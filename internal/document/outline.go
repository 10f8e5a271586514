// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package document

// Outline is a decoded value with its maps as lists, for comparing it with many others:
// to go through a map costs more than to look up all that it has to have.
type Outline struct {
	fields []outlined
	isMap  bool
	// rest is the value if it is no map.
	rest any
}

type outlined struct {
	name  string
	value Outline
}

// OutlineOf is that of v, which nobody writes to.
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

// Equal is Equal of what o is of and v.
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
