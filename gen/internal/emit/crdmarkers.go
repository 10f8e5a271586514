// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/gen/markers"
)

// admits says whether a zero value is surely valid: defaults that follow from a
// type are left out where the API server would refuse them.
func admits(s *Schema, v any) bool {
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return markers.JSON(e) == markers.JSON(v) }) {
		return false
	}
	if s.X["x-kubernetes-validations"] != nil || s.X["x-kubernetes-embedded-resource"] != nil || len(s.AllOf)+len(s.OneOf) > 0 {
		return false
	}
	m, isObject := v.(map[string]any)
	if !isObject {
		// An empty text has to match a pattern and a format; zero has its bounds.
		for name := range s.Bounds {
			if name != "maxLength" {
				return false
			}
		}
		switch s.Format {
		case "", "int32", "int64", "byte", "float", "double":
			return true
		}
		return false
	}
	if s.Bounds["minProperties"] != nil {
		return false
	}
	for _, name := range s.Required {
		if _, there := m[name]; !there {
			return false
		}
	}
	return true
}

// bounds are the markers that set what has the same name in the schema.
var bounds = map[string]string{}

func init() {
	for _, name := range []string{"Minimum", "Maximum", "ExclusiveMinimum", "ExclusiveMaximum", "MultipleOf", "MinLength", "MaxLength",
		"Pattern", "MinItems", "MaxItems", "UniqueItems", "MinProperties", "MaxProperties"} {
		bounds["kubebuilder:validation:"+name] = strings.ToLower(name[:1]) + name[1:]
	}
}

// apply does what markers say. Bounds that differ from those that the type has
// are in force both, as branches of an allOf.
func (b *structural) apply(s *Schema, all []markers.Marker, t types.Type) {
	added := &Schema{}
	for _, first := range []bool{true, false} {
		for i := range all {
			m := &all[i]
			early := m.Name == "kubebuilder:validation:Type" || m.Name == "kubebuilder:validation:XIntOrString"
			if early != first || strings.HasPrefix(m.Name, markers.ItemsPrefix) {
				continue
			}
			b.one(s, added, m.Name, m)
		}
	}
	merge(s, added)
	topology(s, all)
	b.oneOf(s, all)
	b.items(s, all)
}

func (b *structural) items(s *Schema, all []markers.Marker) {
	var added *Schema
	for i := range all {
		rest, ok := strings.CutPrefix(all[i].Name, markers.ItemsPrefix)
		if !ok || s.Items == nil {
			continue
		}
		if added == nil {
			added = &Schema{}
			s.Items = s.Items.clone()
		}
		b.one(s.Items, added, "kubebuilder:validation:"+rest, &all[i])
	}
	if added != nil {
		merge(s.Items, added)
	}
}

// one does what one marker says: to the schema itself, or to what is added to it.
func (b *structural) one(s, added *Schema, name string, m *markers.Marker) {
	v, err := m.Decode()
	if err != nil {
		return
	}
	if bound, ok := bounds[name]; ok {
		if s.takes(bound) {
			added.bound(bound, v)
		}
		return
	}
	switch name {
	case "nullable":
		s.Nullable = true
	case "kubebuilder:title":
		s.Title, _ = v.(string)
	case "kubebuilder:example":
		s.Example = v
	case "kubebuilder:validation:Enum":
		added.Enum, _ = v.([]any)
	case "kubebuilder:validation:Format":
		s.Format, _ = v.(string)
	case "kubebuilder:validation:Type":
		if text, _ := v.(string); text != s.Type {
			*s = Schema{Type: text, Description: s.Description}
			if text == "array" || text == "object" {
				s.set("x-kubernetes-preserve-unknown-fields", true)
			}
		}
	case "kubebuilder:validation:XIntOrString":
		description := s.Description
		*s = *intOrString()
		s.Description = description
	case "kubebuilder:pruning:PreserveUnknownFields", "kubebuilder:validation:XPreserveUnknownFields":
		s.set("x-kubernetes-preserve-unknown-fields", true)
	case "kubebuilder:validation:EmbeddedResource", "kubebuilder:validation:XEmbeddedResource":
		s.set("x-kubernetes-embedded-resource", true)
	case "kubebuilder:validation:XValidation":
		s.rule(v.(map[string]any))
	}
}

// takes says whether a bound means something for values of the schema.
func (s *Schema) takes(bound string) bool {
	of := ""
	switch bound {
	case "minLength", "maxLength", "pattern":
		of = "string"
	case "minItems", "maxItems", "uniqueItems":
		of = "array"
	case "minProperties", "maxProperties":
		of = "object"
	default:
		return s.Type == "" || s.Type == "integer" || s.Type == "number"
	}
	return s.Type == "" || s.Type == of
}

func (s *Schema) rule(r map[string]any) {
	old, _ := s.X["x-kubernetes-validations"].([]any)
	s.set("x-kubernetes-validations", append(slices.Clone(old), r))
}

// oneOf adds the rules for fields of which so many may be set.
func (b *structural) oneOf(s *Schema, all []markers.Marker) {
	for _, c := range []struct{ name, compare, message string }{
		{"AtMostOneOf", "<= 1", "at most one of the fields in %v may be set"},
		{"ExactlyOneOf", "== 1", "exactly one of the fields in %v must be set"},
		{"AtLeastOneOf", ">= 1", "at least one of the fields in %v must be set"},
	} {
		for _, m := range markers.Each(all, "kubebuilder:validation:"+c.name) {
			v, err := m.Decode()
			if err != nil {
				continue
			}
			var has []string
			names := v.([]any)
			for _, n := range names {
				has = append(has, fmt.Sprintf("has(self.%v)", n))
			}
			s.rule(map[string]any{
				"rule":    fmt.Sprintf("[%s].filter(x,x==true).size() %s", strings.Join(has, ","), c.compare),
				"message": fmt.Sprintf(c.message, names),
			})
		}
	}
}

// merge adds bounds and values to a schema. Where it has others, both are in
// force.
func merge(s, added *Schema) {
	mine, theirs := &Schema{}, &Schema{}
	for _, name := range sortedKeys(added.Bounds) {
		v := added.Bounds[name]
		old, there := s.Bounds[name]
		switch {
		case !there:
			s.bound(name, v)
		case old != v:
			mine.bound(name, old)
			theirs.bound(name, v)
			delete(s.Bounds, name)
		}
	}
	switch {
	case added.Enum == nil:
	case len(s.Enum) == 0:
		s.Enum = added.Enum
	case markers.JSON(s.Enum) != markers.JSON(added.Enum):
		mine.Enum, theirs.Enum = s.Enum, added.Enum
		s.Enum = nil
	}
	if len(mine.Bounds) > 0 || len(mine.Enum) > 0 {
		s.AllOf = append(s.AllOf, mine, theirs)
	}
}
