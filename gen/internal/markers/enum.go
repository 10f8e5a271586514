// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// Enum describes a string type that has the marker +enum. The constants of the type are the
// allowed values. If the type has +k8s:enum, constants with +k8s:enumExclude are not allowed.
type Enum struct {
	values []enumValue
	// sometimes lists constants whose +k8s:enumExclude tag applies only under a condition, such as
	// a feature gate. The enum allows them.
	sometimes []string
}

const enumExclude = "+k8s:enumExclude"

type enumValue struct{ name, value, comment string }

// Enum returns the Enum of a type that has the marker +enum, or nil for any other type. It
// considers only constants that are declared in the package of the type.
func (s *Source) Enum(t types.Type) *Enum {
	o := NameOf(Deref(t))
	if o == nil {
		return nil
	}
	all := s.typeComments(o).markers
	if !Has(all, "enum") {
		return nil
	}
	tagged := IsTagged(all, "k8s:enum")
	b, ok := o.Type().Underlying().(*types.Basic)
	if !ok || b.Kind() != types.String {
		return nil
	}
	p := s.packageOf(o)
	e := &Enum{}
	for _, c := range p.constantsOf(o) {
		name := c.Name()
		v := enumValue{name, constant.StringVal(c.Val()), p.constComment(name)}
		if tagged {
			words := strings.Fields(v.comment)
			if slices.Contains(words, enumExclude) {
				continue
			}
			if slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(w, "="+enumExclude) }) {
				e.sometimes = append(e.sometimes, name)
			}
		}
		if i := slices.IndexFunc(e.values, func(x enumValue) bool { return x.value == v.value }); i >= 0 {
			if old := e.values[i].comment; len(old) < len(v.comment) || len(old) == len(v.comment) && old > v.comment {
				e.values[i] = v
			}
			continue
		}
		e.values = append(e.values, v)
	}
	return e
}

// Sorted returns the values in alphabetical order.
func (e *Enum) Sorted() []any {
	var out []any
	for _, v := range e.values {
		out = append(out, v.value)
	}
	slices.SortFunc(out, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	return out
}

// Lines returns lines that list the values, to be added to a description.
func (e *Enum) Lines() []string {
	if len(e.values) == 0 {
		return nil
	}
	var lines []string
	for _, v := range e.values {
		comment := strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(v.comment), v.name)), " ")
		lines = append(lines, fmt.Sprintf(" - `%q` %s", v.value, comment))
	}
	slices.Sort(lines)
	return append([]string{"", "Possible enum values:"}, lines...)
}

// constantsOf returns the constants of type o that p declares, sorted by name.
func (p *Package) constantsOf(o *types.TypeName) []*types.Const {
	if p.constants == nil {
		p.constants = map[*types.TypeName][]*types.Const{}
		for _, name := range p.types.Scope().Names() {
			if c, ok := p.types.Scope().Lookup(name).(*types.Const); ok {
				if t := NameOf(c.Type()); t != nil {
					p.constants[t] = append(p.constants[t], c)
				}
			}
		}
	}
	return p.constants[o]
}

// constComment returns the comment above a constant.
func (p *Package) constComment(name string) string {
	doc := p.indexed().consts[name]
	if doc == nil {
		return ""
	}
	return strings.ReplaceAll(doc.Text(), "\n", " ")
}

// OneOf returns the OpenAPI v3 types that the OpenAPIV3OneOfTypes method of a type returns.
func (s *Source) OneOf(t types.Type) []string {
	o := NameOf(Deref(t))
	if o == nil {
		return nil
	}
	names, _ := s.returned(o, "OpenAPIV3OneOfTypes")
	return names
}

// Is reports whether a field has a marker with the given name and value.
func (f *Field) Is(name, value string) bool {
	return slices.ContainsFunc(f.Markers, func(m Marker) bool { return m.Name == name && m.Value == value })
}
