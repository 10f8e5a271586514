// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"encoding/json"
	"errors"
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

// Default is the value that an absent field, list item or map value gets.
type Default struct {
	// Value is the default as ParseJSON returns it.
	Value any
	// Marker is the marker that sets the default, or nil if the default follows from the Go
	// type.
	Marker *Marker
	// OfType is the named type that has the marker, or nil if the field has the marker.
	OfType *types.TypeName
	// Const is the constant that the marker names, or nil if the marker contains JSON.
	Const *types.Const
}

// ownDefault returns the default that the markers of a field or type set, or nil if they
// set none. Its error has no position.
func (s *Source) ownDefault(all []Marker, p *Package, f *Field) (*Default, error) {
	m, ok := Find(all, "default")
	if !ok {
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
		return nil, fmt.Errorf("expected +default=<JSON>, got %s", m)
	}
	v, err := m.Decode()
	if err != nil {
		got := m.Value
		if got == "" {
			got = "nothing"
		}
		return nil, fmt.Errorf("expected one line of JSON, got %s: %w%s", got, err, jsonHint(m))
	}
	if v == nil && m.kubebuilder() && f != nil && s.Shape(f.Type) == String {
		// For a string, controller-gen reads null as the text "null".
		v = m.Value
	}
	if v == nil {
		return nil, errors.New("expected a value, got null, which means no default; remove the marker")
	}
	if m, ok := v.(map[string]any); ok && len(m) == 0 && d.Marker.kubebuilder() && f != nil && s.Shape(f.Type) == List {
		// For a list, controller-gen reads {} as an empty list.
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
			return "; write it on one line"
		}
	}
	switch {
	case len(text) > 1 && strings.HasPrefix(text, "'") && strings.HasSuffix(text, "'"):
		return "; write strings in double quotes: " + strconv.Quote(text[1:len(text)-1])
	case strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}"):
		list := "[" + text[1:len(text)-1] + "]"
		if _, err := ParseJSON(list); err == nil {
			return "; write lists in brackets: " + list
		}
	case text != "" && !strings.ContainsAny(text, " \"{}[]"):
		return "; write strings in double quotes: " + strconv.Quote(text)
	}
	return ""
}

// typeDefault returns the default that a marker on a named type sets. The marker can be on t
// itself, or on a type to which t leads through aliases and pointers.
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

// typeDefaultError is an error in the default marker on a named type.
type typeDefaultError struct {
	of *types.TypeName
	error
}

func (s *Source) declaredDefault(o *types.TypeName) (*Default, error) {
	p := s.packageOf(o)
	if p == nil {
		return nil, nil
	}
	d, err := s.ownDefault(s.typeComments(o).markers, p, nil)
	if err != nil {
		return nil, &typeDefaultError{o, err}
	}
	if d == nil {
		d = s.embeddedDefault(o, map[*types.TypeName]bool{})
	}
	if d != nil {
		d.OfType = o
	}
	return d, err
}

// embeddedDefault searches the embedded fields of the struct o for a +kubebuilder:default
// marker. In controller-gen, such a default applies to the embedding struct. embeddedDefault
// returns nil if it finds no marker. visited contains the structs that it has already searched.
func (s *Source) embeddedDefault(o *types.TypeName, visited map[*types.TypeName]bool) *Default {
	t, ok := o.Type().Underlying().(*types.Struct)
	if !ok || visited[o] {
		return nil
	}
	visited[o] = true
	for _, f := range s.Fields(t, o) {
		if f.Name != "" {
			continue
		}
		if m, ok := Find(f.Markers, "default"); ok && m.kubebuilder() {
			if d, err := s.ownDefault(f.Markers, s.packageOf(o), nil); err == nil {
				return d
			}
		}
		if inner := NameOf(Deref(f.Type)); inner != nil {
			if d := s.embeddedDefault(inner, visited); d != nil {
				return d
			}
		}
	}
	return nil
}

// Default returns the default of a field. A marker on the field takes precedence over a marker on
// its type. Without a marker, the Go type can imply a default: the zero value for a scalar that Go
// clients always send, and {} for a struct that is not a pointer. A struct with omitzero has the
// implied default {} only if setting defaults changes its zero value. Default returns nil if there
// is no default, or if the marker is invalid. Check reports invalid markers.
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

// marked returns the default that a marker on the field or on its type sets.
func (s *Source) marked(f *Field) (*Default, error) {
	d, err := s.ownDefault(f.Markers, s.packageOf(f.Var), f)
	if d != nil || err != nil {
		return d, err
	}
	return s.typeDefault(f.Type)
}

// TypeDefault returns the default of list items and map values of type t. It returns nil
// if there is none.
func (s *Source) TypeDefault(t types.Type) *Default {
	d, err := s.typeDefault(t)
	if err != nil {
		return nil
	}
	return d
}

// implied returns the default that a field gets from its Go type alone.
func (s *Source) implied(f *Field) (any, bool) {
	if f.Name == "" || isPointer(f.Type) {
		return nil, false
	}
	if s.Shape(f.Type) == Struct {
		return map[string]any{}, !f.OmitZero || s.changesZero(f.Type)
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

// changesZero reports whether setting defaults changes a zero struct of type t. If it does not, a
// field of type t with omitzero must not have the default {}. Go would omit the zero struct, so the
// default would appear in plain data but not in typed objects.
func (s *Source) changesZero(t types.Type) bool {
	yes, known := s.cache.nonzero[t]
	if !known {
		yes = s.defaultsChange(t)
		s.cache.nonzero[t] = yes
	}
	return yes
}

func (s *Source) defaultsChange(t types.Type) bool {
	for _, f := range s.Flat(t.Underlying().(*types.Struct), NameOf(t)) {
		d := s.Default(f)
		switch {
		case d == nil:
		case isPointer(f.Type):
			return true
		case s.Shape(f.Type) == Struct:
			if JSON(d.Value) != "{}" || s.changesZero(f.Type) {
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

// IsZero reports whether v is the zero value of a scalar type.
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

// String returns the default as written in the marker. If the default comes from a constant or from
// the Go type, String returns it as JSON.
func (d *Default) String() string {
	if d.Marker == nil || d.Const != nil {
		return JSON(d.Value)
	}
	return d.Marker.Value
}

// reference returns the name of the constant if the value of a marker is ref(NAME).
func reference(m *Marker) (string, bool) {
	name, ok := strings.CutPrefix(m.Value, "ref(")
	if !ok || m.kubebuilder() {
		return "", false
	}
	return strings.TrimSuffix(name, ")"), true
}

// constant finds the constant with the given name in package p. The name can have a prefix that
// selects another package: its import path, or the name under which p imports it.
func (s *Source) constant(name string, p *Package) (*types.Const, error) {
	name = strings.TrimSpace(name)
	i := strings.LastIndexByte(name, '.')
	pkg, where := p, ""
	if i >= 0 {
		where, name = name[:i], name[i+1:]
		if pkg = s.named(where, p); pkg == nil {
			return nil, fmt.Errorf("ref(%s.%s): the package does not import %s; import it, or write the full import path", where, name, where)
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
			hint = "; did you mean " + near[0] + "?"
		}
		return nil, fmt.Errorf("ref(%s): package %s has no constant of that name%s", name, pkg.Path, hint)
	}
	return nil, fmt.Errorf("ref(%s): package %s declares this name, but not as a constant", name, pkg.Path)
}

// named returns a package by its import path, or by the name under which a file of p
// imports it.
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
	return nil, fmt.Errorf("ref(%s): expected a string, number or boolean", c.Name())
}

// maxDefaults limits the number of values that the default of one field may add.
const maxDefaults = 100_000

// checkEndless reports a default that contains itself, or that becomes very large once the
// defaults of its own fields are filled in.
func (s *Source) checkEndless(f *Field, d *Default) {
	e := &expansion{src: s, making: map[*types.Var]bool{f.Var: true}}
	count := e.values(d.Value, f.Type)
	switch {
	case e.loop != nil:
		s.findings.add(d.Marker.pos, DefaultEndless, fmt.Sprintf("the default %s of %s contains itself", JSON(d.Value), f),
			fmt.Sprintf("setting the defaults inside this value reaches the field %s again", e.loop), "set that field in the default, or remove one of the defaults")
	case count > maxDefaults:
		s.findings.add(d.Marker.pos, DefaultEndless, fmt.Sprintf("the default %s of %s adds more than %d values", JSON(d.Value), f, maxDefaults),
			"its fields have defaults, the fields of these defaults have defaults, and so on", "remove some of the defaults")
	}
}

// expansion counts the values in a default, including the values that nested defaults add. It
// also detects defaults that contain themselves.
type expansion struct {
	src    *Source
	making map[*types.Var]bool
	loop   *Field
}

// values returns the number of values in v, which has type t, including the defaults
// inside it.
func (e *expansion) values(v any, t types.Type) float64 {
	count := 1.0
	if e.loop != nil || v == nil {
		return count
	}
	t = Deref(t)
	entries, _ := v.(map[string]any)
	switch e.src.Shape(t) {
	case List:
		elem, _ := Elem(t)
		items, _ := v.([]any)
		for _, item := range items {
			count += e.values(item, elem)
		}
	case Map:
		elem, _ := Elem(t)
		for _, k := range sortedKeys(entries) {
			count += e.values(entries[k], elem)
		}
	case Struct:
		for _, f := range e.src.Flat(t.Underlying().(*types.Struct), NameOf(t)) {
			if v, ok := entries[f.Name]; ok && v != nil {
				count += e.values(v, f.Type)
			} else if d := e.src.Default(f); d != nil {
				count += e.added(f, d)
			}
		}
	}
	return count
}

// added returns the number of values that the default d adds to a field, including nested defaults.
// If no default contains itself, it caches the result.
func (e *expansion) added(f *Field, d *Default) float64 {
	if count, ok := e.src.cache.added[f.Var]; ok {
		return count
	}
	if e.making[f.Var] {
		e.loop = f
		return 0
	}
	e.making[f.Var] = true
	count := e.values(d.Value, f.Type)
	delete(e.making, f.Var)
	if e.loop == nil {
		e.src.cache.added[f.Var] = count
	}
	return count
}

// checkValid checks a default against the validation markers of its field or type. It also checks
// each value inside the default against the markers of this value.
func (s *Source) checkValid(d *Default, all []Marker, name string, t types.Type) {
	s.eachProblem(d.Value, all, t, "", func(path, problem string, m *Marker) {
		what := fmt.Sprintf("the default %s of %s is not valid", d, name)
		if path != "" {
			problem = path + ": " + problem
		}
		s.findings.add(d.Marker.pos, DefaultInvalid, what, problem+", see "+m.String(), "change one of the markers").Warning = d.Marker.kubebuilder()
	})
}

// eachProblem checks v, a value of type t, and all values inside v against validation markers. The
// parameter all has the markers for v itself. For each violation, eachProblem calls the function
// found.
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
					found(path+"."+f.Name, "it is required but missing", m)
				}
			}
		}
	}
}

// partMarkers returns the markers whose names start with one of the prefixes. They apply to the
// items of a list or the values of a map. In the result, their names are those of ordinary
// validation markers, so each:Minimum becomes kubebuilder:validation:Minimum.
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

// violated describes how a value violates a validation marker. It returns "" if the value
// is valid.
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
			if len(list) == 1 && strings.Contains(fmt.Sprint(list[0]), ",") {
				return "it is not one of the allowed values (the separator is a semicolon, not a comma)"
			}
			return "it is not one of the allowed values"
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
			return "it does not match the pattern"
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
	case "listType":
		items, _ := v.([]any)
		return sameItems(items, bound, all)
	}
	return ""
}

// sameItems describes two items of a list that have the same identity. It returns "" if there are
// none. The parameter all contains the markers of the list.
func sameItems(items []any, listType any, all []Marker) string {
	var keys []string
	for _, m := range Each(all, "listMapKey") {
		keys = append(keys, unquoted(m.Value))
	}
	first := map[string]int{}
	for i, item := range items {
		identity, what := item, "equal"
		switch fields, isMap := item.(map[string]any); {
		case listType == "map" && isMap && len(keys) > 0:
			values := make([]any, len(keys))
			for j, k := range keys {
				values[j] = fields[k]
			}
			identity, what = values, "the same in all keys"
		case listType != "set":
			continue
		}
		text := JSON(identity)
		if j, ok := first[text]; ok {
			return fmt.Sprintf("items %d and %d are %s", j, i, what)
		}
		first[text] = i
	}
	return ""
}
