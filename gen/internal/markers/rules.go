// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"errors"
	"fmt"
	"go/types"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// Check checks the packages that match the patterns of Load, and returns the findings sorted by
// position. In imported packages, it checks only the default markers on types that the checked
// packages use, because generated code depends on these defaults.
func (s *Source) Check() []*Finding {
	for _, p := range s.Packages {
		before := len(s.findings.all)
		for _, t := range p.Types() {
			s.checkType(t)
		}
		s.checkFunctions(p)
		s.checkPackage(p, s.findings.all[before:])
	}
	return s.findings.sorted()
}

// Type is a type declaration of a package.
type Type struct {
	Object  *types.TypeName
	Package *Package
	Doc     []string
	Markers []Marker
	refused []Marker
}

// Place returns the file and line of the declaration.
func (t *Type) Place() string { return t.Package.src.at(t.Object.Pos()) }

// Types returns the types that a package declares, sorted by name.
func (p *Package) Types() (all []*Type) {
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		if o, ok := scope.Lookup(name).(*types.TypeName); ok {
			all = append(all, p.src.Type(o))
		}
	}
	return all
}

// Type returns the declaration of a type.
func (s *Source) Type(o *types.TypeName) *Type {
	c := s.typeComments(o)
	return &Type{Object: o, Package: s.packageOf(o), Doc: c.doc, Markers: c.markers, refused: c.refused}
}

func (s *Source) checkType(t *Type) {
	name := t.Object.Name()
	api := len(t.Markers) > 0
	s.checkMarkers(slices.Concat(t.Markers, t.refused), onType, name, t.Object.Type(), t.Package)
	if t.Object.IsAlias() {
		return
	}
	if d, err := s.ownDefault(t.Markers, t.Package, nil); err != nil {
		s.badDefault(t.Markers, name, err)
	} else if d != nil {
		if err := s.Fits(d.Value, t.Object.Type()); err != nil {
			s.misfit(d, name, t.Object.Type(), err)
		} else {
			s.checkDefaultFormat(d, t.Markers, name, t.Object.Type())
		}
		s.checkValid(d, t.Markers, name, t.Object.Type())
	}
	s.checkLists(t.Markers, name, t.Object.Type(), nil)
	s.checkTypeImmutable(t)
	s.checkUnion(t)
	if s.onlyContainsItself(t.Object.Type()) {
		s.findings.add(t.Object.Pos(), Unsupported, fmt.Sprintf("%s is a list or map of itself", name), "schemas cannot express that", "put a struct in between")
		return
	}
	if named, ok := t.Object.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
		// Check the fields of a generic type, but not their types, which depend on the type
		// arguments.
		if st, ok := named.Underlying().(*types.Struct); ok {
			s.checkFields(st, t.Object, api)
		}
		return
	}
	s.checkStructs(t.Object.Type().Underlying(), t.Object, api)
}

// checkStructs checks a struct, including the anonymous structs inside it. t may also be a pointer,
// list or map that contains an anonymous struct.
func (s *Source) checkStructs(t types.Type, owner *types.TypeName, api bool) {
	switch t := t.(type) {
	case *types.Struct:
		s.checkFields(t, owner, api)
	case *types.Pointer:
		s.checkStructs(t.Elem(), owner, api)
	case *types.Slice:
		s.checkStructs(t.Elem(), owner, api)
	case *types.Array:
		s.checkStructs(t.Elem(), owner, api)
	case *types.Map:
		s.checkStructs(t.Elem(), owner, api)
	}
}

// checkFields checks a struct if it is serialised as JSON. A struct counts as serialised if api is
// true, or if one of its fields has a json tag or a known marker. checkFields ignores all other
// structs.
func (s *Source) checkFields(t *types.Struct, owner *types.TypeName, api bool) {
	fields := s.Fields(t, owner)
	for i := range t.NumFields() {
		v := t.Field(i)
		if v.Exported() || v.Embedded() {
			continue
		}
		c := s.fieldComments(v)
		for _, m := range slices.Concat(c.markers, c.refused) {
			if _, ok := known[m.Spelled]; ok {
				s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s is on the field %s, which is not exported", m.String(), v.Name()),
					"encoding/json ignores the field", "export the field, or remove the marker").warning()
			}
		}
	}
	for _, f := range fields {
		api = api || f.Tagged || slices.ContainsFunc(f.Markers, func(m Marker) bool { _, ok := known[m.Spelled]; return ok })
	}
	if !api {
		return
	}
	for _, f := range fields {
		s.checkField(f)
		s.checkStructs(f.Type, owner, true)
	}
	s.checkStructOmitempty(fields, owner)
}

// checkStructOmitempty reports struct fields that have omitempty. A single finding lists all
// such fields.
func (s *Source) checkStructOmitempty(fields []*Field, owner *types.TypeName) {
	var names []string
	var edits []*edit
	var first *Field
	for _, f := range fields {
		if f.Name == "" || isPointer(f.Type) || s.Shape(f.Type) != Struct || !f.OmitEmpty || f.OmitZero {
			continue
		}
		if first == nil {
			first = f
		}
		names = append(names, f.Go)
		edits = append(edits, s.withoutOmitempty(f)...)
	}
	if first == nil {
		return
	}
	what, how := fmt.Sprintf("%s is a struct with omitempty", first), "use omitzero or a pointer, or remove omitempty and mark the field +optional"
	if s.isMetadata(first) {
		how = "write omitzero instead"
	}
	if len(names) > 1 {
		name := "a struct"
		if owner != nil {
			name = owner.Name()
		}
		what = fmt.Sprintf("%d fields of %s are structs with omitempty: %s", len(names), name, strings.Join(names, ", "))
		how = "use omitzero or pointers, or remove omitempty and mark the fields +optional"
	}
	s.findings.add(first.Var.Pos(), StructOmitempty, what, "Go always sends a struct, so omitempty has no effect", how).warning().fix(edits...)
}

// isMetadata reports whether a field is the embedded metadata of an API object or list.
func (s *Source) isMetadata(f *Field) bool {
	o := NameOf(f.Type)
	return f.Name == "metadata" && o != nil && (PathName(o) == meta+"ObjectMeta" || PathName(o) == meta+"ListMeta") && f.Embedded
}

// onlyContainsItself reports whether a type consists only of lists, maps and pointers that lead
// back to the type.
func (s *Source) onlyContainsItself(t types.Type) bool {
	seen := map[string]bool{}
	for {
		t = Deref(t)
		if o := NameOf(t); o != nil {
			if seen[PathName(o)] {
				return true
			}
			seen[PathName(o)] = true
		}
		elem, ok := Elem(t)
		if !ok {
			return false
		}
		t = elem
	}
}

func (f *Field) String() string {
	if f.Owner == nil {
		return f.Go
	}
	return f.Owner.Name() + "." + f.Go
}

// allMarkers returns the markers of a field, followed by the markers of its named types.
func (s *Source) allMarkers(f *Field) []Marker {
	return append(slices.Clone(f.Markers), s.NamedMarkers(f.Type)...)
}

// NamedMarkers returns the markers on the declaration of type t. If t is an alias or a pointer,
// they include the markers on the type to which it refers.
func (s *Source) NamedMarkers(t types.Type) (all []Marker) {
	for range maxPointers {
		switch x := t.(type) {
		case *types.Alias:
			all = append(all, s.typeComments(x.Obj()).markers...)
			t = x.Rhs()
		case *types.Pointer:
			t = x.Elem()
		case *types.Named:
			all = append(all, s.typeComments(x.Obj()).markers...)
			p, ok := x.Underlying().(*types.Pointer)
			if !ok {
				return all
			}
			t = p.Elem()
		default:
			return all
		}
	}
	return all
}

// Elem returns the type of the items of a list or the values of a map.
func Elem(t types.Type) (types.Type, bool) {
	switch u := Deref(t).Underlying().(type) {
	case *types.Slice:
		return u.Elem(), true
	case *types.Array:
		return u.Elem(), true
	case *types.Map:
		return u.Elem(), true
	}
	return nil, false
}

func (s *Source) checkField(f *Field) {
	name := f.String()
	s.checkMarkers(slices.Concat(f.Markers, f.refused), onField, name, f.Type, s.packageOf(f.Var))
	s.checkTag(f)
	s.checkImmutable(f)
	s.checkRequired(f)
	s.checkLists(f.Markers, name, f.Type, f)
	if f.Name == "" {
		s.checkEmbeddedDefault(f)
		return
	}
	switch s.Shape(f.Type) {
	case Unfit:
		if _, generic := types.Unalias(Deref(f.Type)).(*types.TypeParam); !generic {
			s.findings.add(f.Var.Pos(), Unsupported, fmt.Sprintf("%s is of type %s", name, types.TypeString(f.Type, shortPackage)),
				"the type cannot be represented in JSON", `change the type, or use the tag json:"-"`).warning()
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
		if !f.Quoted {
			s.checkDefaultFormat(d, f.Markers, name, f.Type)
		}
		s.checkEndless(f, d)
	}
	s.checkOmitempty(f, d)
}

// checkEmbeddedDefault checks a default marker on an embedded field. An embedded field has no value
// of its own, so the marker has no effect, with one exception: like controller-gen, the generator
// uses +kubebuilder:default as a default of the outer struct.
func (s *Source) checkEmbeddedDefault(f *Field) {
	m, ok := Find(f.Markers, "default")
	if !ok {
		return
	}
	what := fmt.Sprintf("%s has a default and is embedded", f)
	if !m.kubebuilder() || f.Owner == nil {
		if m.Value != "{}" {
			s.findings.add(m.pos, MarkerPlace, what, "its fields are inlined, so there is no value that could get the default", "put defaults on the fields of "+f.Go)
		}
		return
	}
	d, err := s.ownDefault(f.Markers, s.packageOf(f.Var), nil)
	if err != nil {
		s.badDefault(f.Markers, f.String(), err)
		return
	}
	s.findings.add(m.pos, MarkerPlace, what, "like controller-gen, the generator sets this default on fields of type "+f.Owner.Name(),
		fmt.Sprintf("put the default on these fields, or put defaults on the fields of %s", f.Go)).warning()
	if err := s.Fits(d.Value, f.Owner.Type()); err != nil {
		s.misfit(d, f.Owner.Name(), f.Owner.Type(), err)
		return
	}
	s.checkValid(d, s.Type(f.Owner).Markers, f.Owner.Name(), f.Owner.Type())
}

// foreignDefault reports an invalid default marker on the type of a field. The finding has the
// position of the field, because the type may be in a package that Check does not check.
// foreignDefault reports nothing if Check already reports the marker at the type.
func (s *Source) foreignDefault(f *Field, err error) {
	var e *typeDefaultError
	if errors.As(err, &e) && !e.of.IsAlias() && slices.Contains(s.Packages, s.packageOf(e.of)) {
		return
	}
	s.findings.add(f.Var.Pos(), DefaultSyntax, fmt.Sprintf("the default of the type of %s cannot be read", f), err.Error(), "give the field its own default")
}

func (s *Source) badDefault(all []Marker, name string, err error) {
	m, _ := Find(all, "default")
	s.findings.add(m.pos, DefaultSyntax, fmt.Sprintf("the default of %s cannot be read", name), err.Error(), "").fix(s.quoteFix(m))
}

func (s *Source) misfit(d *Default, name string, t types.Type, err error) {
	m := d.Marker
	s.findings.add(m.pos, DefaultType, fmt.Sprintf("the default %s of %s does not fit its type %s", d, name, types.TypeString(t, shortPackage)), err.Error(), "").fix(s.requoteFix(m, d, t, s))
}

// checkOmitempty checks the rules of KEP-1929 about omitempty, which ensure that typed objects
// and plain data get the same defaults. For controller-gen's markers, the findings are only
// warnings, because controller-gen does not have these rules.
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
	hasDefault := func() string {
		text := fmt.Sprintf("%s has the default %s", f, JSON(d.Value))
		if d.OfType != nil {
			text += " of its type " + d.OfType.Name()
		}
		return text
	}
	switch shape := s.Shape(f.Type); {
	case shape == Struct:
		if d != nil && JSON(d.Value) != "{}" {
			add(StructDefault, hasDefault()+" but is a struct, not a pointer",
				"a Go client always sends at least {}, so the default never applies",
				"make it a pointer, or put defaults on the fields of "+types.TypeString(f.Type, shortPackage))
		}
	case d == nil:
	case f.optional() && s.hidesZero(f, d, shape):
		how := "make it a pointer"
		if shape == Boolean {
			how += ", or invert its meaning so that the default is false"
		}
		zero := JSON(zeroOf(shape))
		add(HiddenZero, hasDefault()+" and is omitted when it is "+zero,
			"a Go client cannot send "+zero+", so the server sets the default instead", how).warning()
	case f.optional():
	case shape == Custom && isStruct(f.Type) && !IsZero(d.Value):
		add(DefaultOmitempty, hasDefault()+" but is a struct, not a pointer",
			"a Go client always sends at least the zero value, so the server never applies the default, but generated Go code does",
			"make it omitzero or a pointer").fix(f.withOmitzero())
	case shape == String || shape == Boolean || shape == Integer || shape == Number || shape == Custom && !isStruct(f.Type):
		zero, _ := s.implied(f)
		if !IsZero(d.Value) && (zero == nil || JSON(zero) != JSON(d.Value)) {
			add(DefaultOmitempty, hasDefault()+" but lacks omitempty",
				"a Go client always sends at least "+zeroText(zero)+", so the server never applies the default, but generated Go code does",
				"add omitempty to its json tag, or make it a pointer").fix(f.withTagOption("omitempty"))
		}
	}
}

// zeroOf returns the zero value of a scalar.
func zeroOf(shape Shape) any {
	switch shape {
	case Boolean:
		return false
	case String:
		return ""
	}
	return int64(0)
}

// hidesZero reports whether users may want the zero value of a field but get the default d
// instead. For a boolean, this is true if the default is true. For a number or a string, it is
// true only if the markers explicitly allow the zero value, by a minimum of zero or less or by
// an enum.
func (s *Source) hidesZero(f *Field, d *Default, shape Shape) bool {
	if shape != Boolean && shape != String && shape != Integer && shape != Number || IsZero(d.Value) {
		return false
	}
	if shape == Boolean {
		return d.Value == true
	}
	zero, allowed := zeroOf(shape), false
	all := s.allMarkers(f)
	for i := range all {
		bound, err := all[i].Decode()
		if err != nil {
			continue
		}
		switch all[i].Name {
		case "kubebuilder:validation:Minimum":
			n, ok := float(bound)
			allowed = allowed || ok && n <= 0
		case "kubebuilder:validation:Enum":
			list, _ := bound.([]any)
			allowed = allowed || slices.ContainsFunc(list, func(e any) bool { return JSON(e) == JSON(zero) })
		}
	}
	if allowed {
		s.eachProblem(zero, all, f.Type, "", func(string, string, *Marker) { allowed = false })
	}
	return allowed
}

func zeroText(zero any) string {
	if zero == nil {
		return "its zero value"
	}
	return JSON(zero)
}

// checkTag checks the json tag of a field.
func (s *Source) checkTag(f *Field) {
	switch {
	case f.Name != "" && !f.Tagged:
		s.findings.add(f.Var.Pos(), JSONName, fmt.Sprintf("%s has no json tag", f),
			fmt.Sprintf("encoding/json names it %s, but some generators use another name", f.Name), fmt.Sprintf("add `json:\"%s\"`", lowerFirst(f.Go))).warning()
	case slices.Contains(f.options, "inline") && !f.Embedded:
		s.findings.add(f.Var.Pos(), JSONName, fmt.Sprintf("%s has the option inline but is not embedded", f),
			"encoding/json does not inline it", "embed it, or remove the option").warning()
	}
}

func lowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// checkMarkers checks the values of markers, and whether each marker is allowed where it is.
func (s *Source) checkMarkers(all []Marker, on places, name string, t types.Type, p *Package) {
	count := map[string]*Marker{}
	for i := range all {
		m := &all[i]
		k, ok := known[m.Spelled]
		if !ok {
			if !s.checkSpelling(m, name) && declarativeTag(m.Spelled) {
				s.checkUnexpressed(m, all, name)
			}
			continue
		}
		if m.trailing {
			s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s is on the same line as the field %s", m, name), "it has no effect, because markers are only read above a field", "move it above the field").warning()
			continue
		}
		if m.detached && on == onField {
			s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("a blank line separates %s from the field %s", m, name),
				"some generators ignore such a marker", "remove the blank line").warning()
		}
		if k.on&on == 0 && on == onType && m.Name == "immutable" {
			s.findings.add(m.pos, Immutable, fmt.Sprintf("%s is on the type %s", m, name), "it is only allowed on fields: every use of the type would be immutable", "put it on the fields that are immutable, or use +"+typeImmutable+" to make every use immutable")
			continue
		}
		if k.on&on == 0 {
			if k.on != onPackage {
				how := ""
				if m.Name == "default" {
					how = "write +default=<JSON>, which is allowed on types, or put it on the fields of the type"
				}
				s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s is on %s", m, name), "it is only allowed on "+k.on.String()+", so it has no effect", how).warning()
			}
			continue
		}
		if other := count[m.Name]; other != nil && !k.many {
			s.reportTwice(other, m, name, p)
			continue
		}
		count[m.Name] = m
		if m.Name == "default" {
			s.checkNull(m, name, t)
		} else {
			if err := m.checkValue(k); err != nil {
				rule := MarkerValue
				if m.immutable() {
					rule = Immutable
				}
				f := s.findings.add(m.pos, rule, fmt.Sprintf("%s of %s", m, name), err.Error(), "")
				f.Warning = m.Spelled != m.Name && m.kubebuilder()
				continue
			}
		}
		s.checkBare(m, k, name)
		s.checkOn(m, k, all, name, t)
		s.checkBound(m, all, name, t)
	}
	s.checkAgreement(all, name, t)
	if a, b := count["optional"], count["required"]; a != nil && b != nil {
		s.findings.add(b.pos, MarkerValue, fmt.Sprintf("%s is marked %s and %s", name, a, b), "the two are mutually exclusive", "remove one of the markers").Warning =
			a.kubebuilder() || b.kubebuilder() || !declarativeTag(a.Spelled) && !declarativeTag(b.Spelled)
	}
}

// checkNull warns about a string with the default null, which controller-gen reads as the text
// "null".
func (s *Source) checkNull(m *Marker, name string, t types.Type) {
	if v, err := m.Decode(); err == nil && v == nil && m.kubebuilder() && s.Shape(t) == String {
		s.findings.add(m.pos, DefaultSyntax, fmt.Sprintf("the default %s of %s is the string %q", m.Value, name, m.Value),
			"controller-gen reads it as a string without quotes", fmt.Sprintf("write +%s=%q, or remove the marker if the field has no default", m.Spelled, m.Value)).warning()
	}
}

// checkBare warns about an unquoted argument that contains brackets or quotes.
func (s *Source) checkBare(m *Marker, k kind, name string) {
	if k.form != arguments {
		return
	}
	p := loosely{rest: m.Value}
	if _, err := p.arguments(); err != nil {
		return
	}
	for _, b := range p.bare {
		quoted := "`" + b.text + "`"
		if strings.Contains(b.text, "`") {
			quoted = strconv.Quote(b.text)
		}
		s.findings.add(m.pos, MarkerValue, fmt.Sprintf("the argument %s of +%s of %s is %s without quotes", b.name, m.Spelled, name, b.text),
			"like controller-gen, the generator reads it only up to the next comma", fmt.Sprintf("write %s=%s", b.name, quoted)).warning()
	}
}

// checkValue returns an error if the value of the marker is invalid. A regular expression
// must have Go syntax, because API servers compile it with Go.
func (m *Marker) checkValue(k kind) error {
	v, err := m.Decode()
	if err != nil || k.form != regular {
		return err
	}
	text, _ := v.(string)
	_, err = regexp.Compile(text)
	if bad := (*syntax.Error)(nil); errors.As(err, &bad) {
		return fmt.Errorf("expected a Go regular expression, got %q: %s", bad.Expr, bad.Code)
	}
	return err
}

// reportTwice reports that a declaration has two markers with the same name. The two do not
// conflict if they are different spellings with the same value.
func (s *Source) reportTwice(a, b *Marker, name string, p *Package) {
	x, _ := a.Decode()
	y, _ := b.Decode()
	same := a.Spelled != b.Spelled && (JSON(x) == JSON(y) || known[a.Spelled].form == anything)
	if b.Name == "default" && a.Spelled != b.Spelled {
		// Different generators read the two spellings. Compare the values, because one marker can name
		// a constant whose value the other marker contains.
		x, xerr := s.ownDefault([]Marker{*a}, p, nil)
		y, yerr := s.ownDefault([]Marker{*b}, p, nil)
		same = xerr == nil && yerr == nil && x != nil && y != nil && JSON(x.Value) == JSON(y.Value)
	}
	switch {
	case b.Name == "default" && !same:
		s.findings.add(b.pos, DefaultTwice, fmt.Sprintf("%s has two defaults, %s and %s", name, a, b), "", "remove one of the markers")
	case b.Name == "immutable" && !same:
		s.findings.add(b.pos, Immutable, fmt.Sprintf("%s is marked %s and %s", name, a, b), "the two are mutually exclusive", "remove one of the markers")
	case a.Spelled != b.Spelled && (declarativeTag(a.Spelled) || declarativeTag(b.Spelled)) && !same:
		s.findings.add(b.pos, MarkerValue, fmt.Sprintf("%s is marked %s and %s", name, a, b), "the two contradict each other", "remove one of the markers")
	case a.Spelled == b.Spelled && a.Value != b.Value && known[a.Spelled].form != anything:
		s.findings.add(b.pos, MarkerValue, fmt.Sprintf("%s is marked %s and %s", name, a, b), "", "remove one of the markers").warning()
	}
}

// checkOn checks that a marker is allowed for values of type t.
func (s *Source) checkOn(m *Marker, k kind, all []Marker, name string, t types.Type) {
	if len(k.jsonTypes) == 0 || Has(all, "kubebuilder:validation:Type") || Has(all, "kubebuilder:validation:Schemaless") {
		return
	}
	if strings.HasPrefix(m.Name, ItemsPrefix) || strings.HasPrefix(m.Name, EachPrefix) {
		elem, ok := Elem(t)
		if !ok {
			containers := "lists"
			if strings.HasPrefix(m.Name, EachPrefix) {
				containers = "lists and maps"
			}
			s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s is on %s of type %s", m, name, types.TypeString(t, shortPackage)), "it is only allowed on "+containers, "").warning()
			return
		}
		t = elem
	}
	got := s.jsonType(t)
	if got == "" || slices.Contains(k.jsonTypes, got) || got == "integer" && slices.Contains(k.jsonTypes, "number") {
		return
	}
	s.findings.add(m.pos, MarkerPlace, fmt.Sprintf("%s is on %s, which is of type %s in JSON", m, name, got), "it is only allowed on values of type "+alternatives(k.jsonTypes), "").warning()
}

// jsonType returns the JSON type of the values of a Go type. It returns "" if the values
// can have different JSON types.
func (s *Source) jsonType(t types.Type) string {
	switch s.Shape(t) {
	case String, Bytes:
		return "string"
	case Boolean:
		return "boolean"
	case Integer:
		return "integer"
	case Number:
		return "number"
	case List:
		return "array"
	case Map, Struct:
		return "object"
	case Custom:
		if k, ok := s.Known(t); ok && !k.IntOrString {
			return k.Type
		}
	}
	return ""
}

func (p places) String() string {
	var words []string
	for i, w := range []string{"fields", "types", "packages"} {
		if p&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return alternatives(words)
}
