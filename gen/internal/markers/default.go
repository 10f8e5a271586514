// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"encoding/json"
	"fmt"
	"go/constant"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Default is what a place takes if it has no value.
type Default struct {
	// Value is the default as ParseJSON returns it.
	Value any
	// Marker is where it is written, nil if it follows from the type.
	Marker *Marker
	// OfType is the named type that the marker is on, nil for a field's own.
	OfType *types.TypeName
	// Const is the constant that the marker refers to, nil if it is JSON.
	Const *types.Const
}

// ownDefault returns the default that the markers at a field or type say, nil if
// there is none. The error has no position.
func (s *Source) ownDefault(all []Marker, p *Package, f *Field) (*Default, error) {
	m, ok := Find(all, "default")
	if !ok {
		return nil, nil
	}
	if m.trailing {
		return nil, nil
	}
	d := &Default{Marker: m}
	if name, ok := reference(m); ok {
		c, err := s.constant(name, p)
		if err != nil {
			return nil, err
		}
		d.Const = c
		if d.Value, err = constantValue(c); err != nil {
			return nil, err
		}
		if f != nil && f.Quoted {
			d.Value = JSON(d.Value)
		}
		return d, nil
	}
	if !m.HasValue {
		return nil, fmt.Errorf("want +default=<JSON>, got %s", m)
	}
	v, err := m.Decode()
	if err != nil {
		got := m.Value
		if got == "" {
			got = "nothing"
		}
		return nil, fmt.Errorf("want one line of JSON, got %s: %w%s", got, err, jsonHint(m))
	}
	if v == nil {
		return nil, fmt.Errorf("want a value, got null, which means that there is none")
	}
	if m, ok := v.(map[string]any); ok && len(m) == 0 && d.Marker.kubebuilder() && f != nil && s.Shape(f.Type) == List {
		// Braces are both there.
		v = []any{}
	}
	d.Value = v
	return d, nil
}

func jsonHint(m *Marker) string {
	text := m.Value
	for _, l := range m.lines {
		text += l
		if _, err := ParseJSON(text); err == nil {
			return "; write all of it on one line"
		}
	}
	switch {
	case len(text) > 1 && strings.HasPrefix(text, "'") && strings.HasSuffix(text, "'"):
		return "; write text in double quotes: " + strconv.Quote(text[1:len(text)-1])
	case text != "" && !strings.ContainsAny(text, " \"{}[]"):
		return "; write text in double quotes: " + strconv.Quote(text)
	}
	return ""
}

// typeDefault returns the default that markers on named types give, from the
// outermost name to what it is made of.
func (s *Source) typeDefault(t types.Type) (*Default, error) {
	for range maxPointers {
		switch x := t.(type) {
		case *types.Alias:
			if d, err := s.declaredDefault(x.Obj()); d != nil || err != nil {
				return d, err
			}
			t = x.Rhs()
		case *types.Pointer:
			t = x.Elem()
		case *types.Named:
			p, ok := x.Underlying().(*types.Pointer)
			if d, err := s.declaredDefault(x.Obj()); d != nil || err != nil || !ok {
				return d, err
			}
			t = p.Elem()
		default:
			return nil, nil
		}
	}
	return nil, nil
}

func (s *Source) declaredDefault(o *types.TypeName) (*Default, error) {
	p := s.packageOf(o)
	if p == nil {
		return nil, nil
	}
	d, err := s.ownDefault(s.typeComments(o).markers, p, nil)
	if d != nil {
		d.OfType = o
	}
	return d, err
}

// Default returns what a field takes that has no value: the default of its own
// marker, or else that of its type's, or else what follows from the type: {} for a
// struct that is no pointer, unless it is omitzero and would stay zero, and the zero value of a scalar that Go clients always
// send. It is nil if there is none, or if the marker cannot be read, which Check
// reports.
func (s *Source) Default(f *Field) *Default {
	d, err := s.marked(f)
	if err != nil {
		return nil
	}
	if d == nil {
		if v, ok := s.implied(f); ok {
			d = &Default{Value: v}
		}
	}
	return d
}

// marked returns the default that a marker gives a field.
func (s *Source) marked(f *Field) (*Default, error) {
	d, err := s.ownDefault(f.Markers, s.packageOf(f.Var), f)
	if d != nil || err != nil {
		return d, err
	}
	return s.typeDefault(f.Type)
}

// TypeDefault returns the default of list items and map values of a type, nil if
// it has none.
func (s *Source) TypeDefault(t types.Type) *Default {
	d, err := s.typeDefault(t)
	if err != nil {
		return nil
	}
	return d
}

// implied returns the default that follows from the type of a field.
func (s *Source) implied(f *Field) (any, bool) {
	if f.Name == "" || isPointer(f.Type) {
		return nil, false
	}
	if s.Shape(f.Type) == Struct {
		return map[string]any{}, !f.OmitZero || s.comesToSomething(f.Type)
	}
	if f.optional() {
		return nil, false
	}
	if f.Quoted {
		zero, ok := s.Zero(f.Type)
		return JSON(zero), ok
	}
	return s.Zero(f.Type)
}

// comesToSomething says whether a struct that is zero is something else once its
// defaults are filled in. One that is omitzero and stays zero is left out by Go, so
// that {} would be a difference between typed objects and plain data.
func (s *Source) comesToSomething(t types.Type) bool {
	for _, f := range s.Flat(t.Underlying().(*types.Struct), NameOf(t)) {
		d := s.Default(f)
		switch {
		case d == nil:
		case isPointer(f.Type):
			return true
		case s.Shape(f.Type) == Struct:
			if JSON(d.Value) != "{}" || s.comesToSomething(f.Type) {
				return true
			}
		default:
			if zero, ok := s.Zero(f.Type); !ok || JSON(zero) != JSON(d.Value) && !f.Quoted || f.Quoted && JSON(d.Value) != JSON(JSON(zero)) {
				return true
			}
		}
	}
	return false
}

// IsZero says whether JSON data is the zero value of its Go type when it is a
// scalar.
func IsZero(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0
	case float64:
		return v == 0
	}
	return false
}

// String returns the default as it is written.
func (d *Default) String() string {
	if d.Marker == nil || d.Const != nil {
		return JSON(d.Value)
	}
	return d.Marker.Value
}

// reference returns the name of the constant that a marker refers to.
func reference(m *Marker) (string, bool) {
	name, ok := strings.CutPrefix(m.Value, "ref(")
	if !ok || m.kubebuilder() {
		return "", false
	}
	return strings.TrimSuffix(name, ")"), true
}

// constant finds a constant: by its name, in package p; by the path of its
// package and its name; or by the name of a package that p imports and its name.
func (s *Source) constant(name string, p *Package) (*types.Const, error) {
	name = strings.TrimSpace(name)
	i := strings.LastIndexByte(name, '.')
	pkg, where := p, ""
	if i >= 0 {
		where, name = name[:i], name[i+1:]
		if pkg = s.named(where, p); pkg == nil {
			return nil, fmt.Errorf("ref(%s.%s): no package %s is imported here; import it, or write its whole path", where, name, where)
		}
	}
	o := pkg.types.Scope().Lookup(name)
	switch o := o.(type) {
	case *types.Const:
		return o, nil
	case nil:
		var names []string
		for _, n := range pkg.types.Scope().Names() {
			if _, ok := pkg.types.Scope().Lookup(n).(*types.Const); ok {
				names = append(names, n)
			}
		}
		hint := ""
		if near := nearest(name, names); len(near) > 0 {
			hint = ": is " + near[0] + " meant?"
		}
		return nil, fmt.Errorf("ref(%s): package %s has no constant of that name%s", name, pkg.Path, hint)
	}
	return nil, fmt.Errorf("ref(%s): want a constant; it is something else in package %s", name, pkg.Path)
}

// named returns a package by its path, or by its name in a file of p.
func (s *Source) named(where string, p *Package) *Package {
	if found, ok := s.byPath[where]; ok {
		return found
	}
	for _, f := range p.files {
		for _, imp := range f.Imports {
			to, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				continue
			}
			found := s.byPath[to]
			if found == nil {
				continue
			}
			if imp.Name != nil && imp.Name.Name == where || imp.Name == nil && (found.Name == where || path.Base(to) == where) {
				return found
			}
		}
	}
	return nil
}

func constantValue(c *types.Const) (any, error) {
	v := c.Val()
	switch v.Kind() {
	case constant.String:
		return constant.StringVal(v), nil
	case constant.Bool:
		return constant.BoolVal(v), nil
	case constant.Int:
		return readNumber(json.Number(v.ExactString())), nil
	case constant.Float:
		f, _ := constant.Float64Val(v)
		return f, nil
	}
	return nil, fmt.Errorf("ref(%s): want a string, number or boolean", c.Name())
}

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
		name := m.Name
		if e := s.Enum(t); e != nil && m.Spelled == "k8s:enum" {
			name, bound = "kubebuilder:validation:Enum", any(e.Sorted())
		}
		if problem := violated(v, name, bound, all); problem != "" {
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
		of := append(partMarkers(all, ItemsPrefix, EachPrefix), s.NamedMarkers(elem)...)
		for i, item := range x {
			s.eachProblem(item, of, elem, fmt.Sprintf("%s[%d]", path, i), found)
		}
	case map[string]any:
		switch s.Shape(t) {
		case Map:
			elem, _ := Elem(t)
			of := append(partMarkers(all, EachPrefix), s.NamedMarkers(elem)...)
			for _, k := range sortedKeys(x) {
				s.eachProblem(x[k], of, elem, path+"."+k, found)
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

// partMarkers returns the markers that begin so: those of the items of a list, or of
// the values of a map. Their names are those that they have on a value itself.
func partMarkers(all []Marker, prefixes ...string) (of []Marker) {
	for _, m := range all {
		for _, prefix := range prefixes {
			if rest, ok := strings.CutPrefix(m.Name, prefix); ok {
				m.Name = "kubebuilder:validation:" + rest
				of = append(of, m)
			}
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
