// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

func (s *Source) checkField(f *Field) {
	name := f.String()
	s.checkMarkers(f.Markers, onField, name, f.Type)
	s.checkTag(f)
	s.checkImmutable(f)
	s.checkLists(f.Markers, name, f.Type, f)
	if f.Name == "" {
		if m, ok := Find(f.Markers, "default"); ok && m.Value != "{}" {
			s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s has a default and is embedded", name),
				"its fields stand among those of the struct, so that there is nothing that could take it", "put defaults on the fields of "+f.Go)
		}
		return
	}
	switch s.Shape(f.Type) {
	case Unfit:
		if _, generic := types.Unalias(Deref(f.Type)).(*types.TypeParam); !generic {
			s.findings.add(f.Var.Pos(), Unsupported, fmt.Sprintf("%s is of type %s", name, types.TypeString(f.Type, shortPackage)),
				"it has no form in JSON", `give it another type, or the tag json:"-"`).warning()
		}
		return
	}
	d, err := s.ownDefault(f.Markers, s.packageOf(f.Var), f)
	if err != nil {
		s.badDefault(f.Markers, name, err)
		return
	}
	own := d != nil
	if !own {
		if d, err = s.typeDefault(f.Type); err != nil {
			s.foreignDefault(f, err)
			return
		}
	}
	if own {
		if err := s.FitsField(d.Value, f); err != nil {
			s.misfit(d, name, f.Type, err)
			return
		}
		s.checkValid(d, s.allMarkers(f), name, f.Type)
		s.checkEndless(f, d)
	}
	s.checkOmitempty(f, d)
}

// foreignDefault reports that the marker of a type cannot be read, where the type
// is of a package that was not asked for.
func (s *Source) foreignDefault(f *Field, err error) {
	s.findings.add(f.Var.Pos(), DefaultSyntax, fmt.Sprintf("the default of the type of %s cannot be read", f), err.Error(), "give the field a default of its own")
}

func (s *Source) badDefault(all []Marker, name string, err error) {
	m, _ := Find(all, "default")
	s.findings.add(m.pos, DefaultSyntax, fmt.Sprintf("the default of %s cannot be read", name), err.Error(), "").fix(s.quoteFix(m))
}

func (s *Source) misfit(d *Default, name string, t types.Type, err error) {
	m := d.Marker
	s.findings.add(m.pos, DefaultType, fmt.Sprintf("the default %s of %s does not fit its type %s", d, name, types.TypeString(t, shortPackage)), err.Error(), "").fix(s.requoteFix(m, d, t, s))
}

// checkOmitempty holds a field to the rules that make the defaults of typed
// objects and of plain data one. Where the marker is controller-gen's, which has
// no such rules, they are warnings.
func (s *Source) checkOmitempty(f *Field, d *Default) {
	if isPointer(f.Type) {
		return
	}
	at, soft := f.Var.Pos(), false
	if d != nil {
		if d.OfType == nil {
			at = d.Marker.pos
		}
		soft = d.Marker.kubebuilder()
	}
	add := func(rule Rule, what, why, how string) *Finding {
		found := s.findings.add(at, rule, what, why, how)
		found.Warning = soft
		return found
	}
	source := func() string {
		if d.OfType != nil {
			return fmt.Sprintf("%s, by the marker of type %s,", f, d.OfType.Name())
		}
		return f.String()
	}
	switch shape := s.Shape(f.Type); {
	case shape == Struct:
		if d != nil && JSON(d.Value) != "{}" {
			add(StructDefault, fmt.Sprintf("%s has the default %s and is a struct that is no pointer", source(), JSON(d.Value)),
				"a Go client always sends it, as {} at least, so that the default is never taken",
				"make it a pointer, or put defaults on the fields of "+types.TypeString(f.Type, shortPackage))
		}
		if f.OmitEmpty && !f.OmitZero {
			s.findings.add(f.Var.Pos(), StructOmitempty, fmt.Sprintf("%s is omitempty and a struct that is no pointer", f),
				"Go sends it all the same", "remove omitempty, or use omitzero or a pointer").warning().fix(f.without("omitempty"))
		}
	case d == nil:
	case shape == Boolean && f.Optional() && d.Value == true:
		add(HiddenZero, fmt.Sprintf("%s has the default true and is left out when it is false", source()),
			"no Go client can say false: the default takes its place", "make it a pointer, or turn its meaning around, so that false is the default").warning()
	case f.Optional():
	case shape == Custom && isStruct(f.Type) && !IsZero(d.Value):
		add(DefaultOmitempty, fmt.Sprintf("%s has the default %s and is a struct that is no pointer", source(), JSON(d.Value)),
			"a Go client sends its zero value, so that the default is never taken, whereas typed objects take it",
			"make it omitzero or a pointer").fix(f.with("omitzero"))
	case shape == String || shape == Boolean || shape == Integer || shape == Number || shape == Custom && !isStruct(f.Type):
		zero, _ := s.implied(f)
		if !IsZero(d.Value) && (zero == nil || JSON(zero) != JSON(d.Value)) {
			add(DefaultOmitempty, fmt.Sprintf("%s has the default %s and is not omitempty", source(), JSON(d.Value)),
				"a Go client always sends it, as "+zeroText(zero)+" at least, so that the default is never taken, whereas typed objects take it",
				"add omitempty to its json tag, or make it a pointer").fix(f.with("omitempty"))
		}
	}
}

func zeroText(zero any) string {
	if zero == nil {
		return "its zero value"
	}
	return JSON(zero)
}

// checkTag looks at the json tag.
func (s *Source) checkTag(f *Field) {
	switch {
	case f.Name != "" && !f.Tagged:
		s.findings.add(f.Var.Pos(), JSONName, fmt.Sprintf("%s has no json tag", f),
			fmt.Sprintf("its name in JSON is %s, and generators differ on such fields", f.Name), fmt.Sprintf("add `json:\"%s\"`", lowerFirst(f.Go))).warning()
	case slices.Contains(f.options, "inline") && !f.Embedded:
		s.findings.add(f.Var.Pos(), JSONName, fmt.Sprintf("%s has the option inline and is not embedded", f),
			"Go does not inline it", "embed it, or remove the option").warning()
	}
}

func lowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }
