// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// checkValid holds a default to the validation markers beside it and of what is in
// it.
func (s *Source) checkValid(d *Default, all []Marker, name string, t types.Type) {
	s.eachProblem(d.Value, all, t, "", func(path, problem string, m *Marker) {
		what := fmt.Sprintf("the default %s of %s is not valid", d, name)
		if path != "" {
			problem = path + ": " + problem
		}
		s.findings.add(d.Marker.pos, DefaultInvalid, what, problem+" by "+m.String(), "change one of the two").Warning = d.Marker.kubebuilder()
	})
}

// eachProblem calls found for what is wrong with a value of a type that has these
// markers.
func (s *Source) eachProblem(v any, all []Marker, t types.Type, path string, found func(path, problem string, m *Marker)) {
	for i := range all {
		m := &all[i]
		bound, err := m.Decode()
		if err != nil || m.Name == "default" || strings.HasPrefix(m.Name, ItemsPrefix) {
			continue
		}
		if problem := violated(v, m.Name, bound, all); problem != "" {
			found(path, problem, m)
		}
	}
	t = Deref(t)
	switch x := v.(type) {
	case []any:
		if s.Shape(t) != List {
			return
		}
		elem, _ := Elem(t)
		of := append(itemMarkers(all), s.NamedMarkers(elem)...)
		for i, item := range x {
			s.eachProblem(item, of, elem, fmt.Sprintf("%s[%d]", path, i), found)
		}
	case map[string]any:
		switch s.Shape(t) {
		case Map:
			elem, _ := Elem(t)
			for _, k := range sortedKeys(x) {
				s.eachProblem(x[k], s.NamedMarkers(elem), elem, path+"."+k, found)
			}
		case Struct:
			for _, f := range s.Flat(t.Underlying().(*types.Struct), NameOf(t)) {
				if inner, ok := x[f.Name]; ok {
					s.eachProblem(inner, s.allMarkers(f), f.Type, path+"."+f.Name, found)
				} else if m, ok := Find(f.Markers, "required"); ok && s.Default(f) == nil {
					found(path+"."+f.Name, "it is missing and required", m)
				}
			}
		}
	}
}

// itemMarkers returns the markers that are of the items of a list.
func itemMarkers(all []Marker) (of []Marker) {
	for _, m := range all {
		if rest, ok := strings.CutPrefix(m.Name, ItemsPrefix); ok {
			m.Name = "kubebuilder:validation:" + rest
			of = append(of, m)
		}
	}
	return of
}

// violated returns what is wrong with a value by a validation marker.
func violated(v any, name string, bound any, all []Marker) string {
	size, kind := -1, ""
	switch x := v.(type) {
	case string:
		size, kind = utf8.RuneCountInString(x), "Length"
	case []any:
		size, kind = len(x), "Items"
	case map[string]any:
		size, kind = len(x), "Properties"
	}
	limit, _ := bound.(int64)
	exclusive := func(marker string) bool {
		m, ok := Find(all, "kubebuilder:validation:"+marker)
		return ok && m.Value != "false"
	}
	switch name {
	case "kubebuilder:validation:Enum":
		list, _ := bound.([]any)
		if !slices.ContainsFunc(list, func(e any) bool { return JSON(e) == JSON(v) }) {
			return "it is none of the values"
		}
	case "kubebuilder:validation:Min" + kind:
		if size >= 0 && int64(size) < limit {
			return "it is too short"
		}
	case "kubebuilder:validation:Max" + kind:
		if int64(size) > limit {
			return "it is too long"
		}
	case "kubebuilder:validation:Pattern":
		text, isText := v.(string)
		pattern, _ := bound.(string)
		if re, err := regexp.Compile(pattern); err == nil && isText && !re.MatchString(text) {
			return "it does not match"
		}
	case "kubebuilder:validation:Minimum", "kubebuilder:validation:Maximum":
		n, isNumber := float(v)
		most, _ := float(bound)
		switch {
		case !isNumber:
		case name == "kubebuilder:validation:Minimum" && (n < most || n == most && exclusive("ExclusiveMinimum")):
			return "it is too small"
		case name == "kubebuilder:validation:Maximum" && (n > most || n == most && exclusive("ExclusiveMaximum")):
			return "it is too large"
		}
	}
	return ""
}
