// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// A model is a simplified schema for the laws in gate_test.go. Its methods define the meaning
// of values independently of the engine. The laws compare the engine with the model.
type model struct {
	Root  *shape
	Types map[string]*shape // the named types of the model, which may be recursive
}

// shape is a type of a model.
type shape struct {
	Kind     string  // string, number, struct, map, list (of structs that are identified by Keys), set, anything, or the name of a type
	Atomic   bool    `json:",omitempty"`
	Nullable bool    `json:",omitempty"`
	Fields   []place `json:",omitempty"` // the fields of a struct
	Elem     *shape  `json:",omitempty"` // the type of the values of a map, or of the items of a list or set
	Default  any     `json:",omitempty"` // the default of map values
	Keys     []string
}

// place is a field of a struct.
type place struct {
	Name    string
	Type    *shape
	Default any `json:",omitempty"`
}

func (m *model) clone() *model {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	out := &model{}
	if err := json.Unmarshal(b, out); err != nil {
		panic(err)
	}
	out.each(func(s *shape) {
		s.Default = whole(s.Default)
		for i := range s.Fields {
			s.Fields[i].Default = whole(s.Fields[i].Default)
		}
	})
	return out
}

// whole converts float64 numbers, as JSON decodes them, to integers.
func whole(v any) any {
	switch v := v.(type) {
	case float64:
		return int64(v)
	case map[string]any:
		for k, c := range v {
			v[k] = whole(c)
		}
	case []any:
		for i, c := range v {
			v[i] = whole(c)
		}
	}
	return v
}

func (m *model) each(f func(*shape)) {
	var walk func(*shape)
	walk = func(s *shape) {
		f(s)
		for _, p := range s.Fields {
			walk(p.Type)
		}
		if s.Elem != nil {
			walk(s.Elem)
		}
	}
	walk(m.Root)
	for _, name := range slices.Sorted(maps.Keys(m.Types)) {
		walk(m.Types[name])
	}
}

// resolve returns the type that s names. If s is not the name of a type, it returns s itself.
func (m *model) resolve(s *shape) *shape {
	if t, ok := m.Types[s.Kind]; ok {
		return t
	}
	return s
}

func (s *shape) field(name string) *place {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}

// renamed returns the name of a field in v1, or in v2 if v2 is true.
func renamed(name string, v2 bool) string {
	if v2 {
		return "q" + name
	}
	return name
}

// types converts a model to a type of the engine, in v1 or v2.
func (m *model) types(v2 bool) typed.ParseableType {
	s := &schema.Schema{DeclarativeDefaults: true, Types: []schema.TypeDef{
		{Name: "atom", Atom: anything(schema.Atomic, "atom")},
		{Name: "anything", Atom: anything(schema.Separable, "anything")},
	}}
	for _, name := range slices.Sorted(maps.Keys(m.Types)) {
		s.Types = append(s.Types, schema.TypeDef{Name: name, Atom: m.atom(m.Types[name], v2)})
	}
	s.Types = append(s.Types, schema.TypeDef{Name: "root", Atom: m.atom(m.Root, v2)})
	root := "root"
	return typed.ParseableType{Schema: s, TypeRef: schema.TypeRef{NamedType: &root}}
}

func anything(relation schema.ElementRelationship, element string) schema.Atom {
	untyped, atom := schema.Untyped, "atom"
	return schema.Atom{Scalar: &untyped,
		List: &schema.List{ElementType: schema.TypeRef{NamedType: &atom}, ElementRelationship: schema.Atomic},
		Map:  &schema.Map{ElementType: schema.TypeRef{NamedType: &element}, ElementRelationship: relation}}
}

func (m *model) ref(s *shape, v2 bool) schema.TypeRef {
	if s.Kind == "anything" || m.Types[s.Kind] != nil {
		return schema.TypeRef{NamedType: &s.Kind, Nullable: s.Nullable}
	}
	return schema.TypeRef{Inlined: m.atom(s, v2), Nullable: s.Nullable}
}

func (m *model) atom(s *shape, v2 bool) schema.Atom {
	relation := schema.Separable
	if s.Atomic {
		relation = schema.Atomic
	}
	switch s.Kind {
	case "string", "number":
		scalar := schema.String
		if s.Kind == "number" {
			scalar = schema.Numeric
		}
		return schema.Atom{Scalar: &scalar}
	case "struct":
		out := &schema.Map{ElementRelationship: relation}
		for _, p := range s.Fields {
			out.Fields = append(out.Fields, schema.StructField{Name: renamed(p.Name, v2), Type: m.ref(p.Type, v2), Default: m.converted(p.Type, p.Default, v2)})
		}
		return schema.Atom{Map: out}
	case "map":
		return schema.Atom{Map: &schema.Map{ElementRelationship: relation, ElementType: m.ref(s.Elem, v2), ElementDefault: s.Default}}
	case "list", "set":
		out := &schema.List{ElementRelationship: relation, ElementType: m.ref(s.Elem, v2)}
		if !s.Atomic {
			out.ElementRelationship = schema.Associative
			for _, k := range s.Keys {
				out.Keys = append(out.Keys, renamed(k, v2))
			}
		}
		return schema.Atom{List: out}
	}
	panic(s.Kind)
}

// converted converts v, a value of type s, to the other version: from v1 to v2 if v2 is true,
// otherwise from v2 to v1.
func (m *model) converted(s *shape, v any, v2 bool) any {
	if s == nil {
		return v
	}
	s = m.resolve(s)
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, c := range v {
			if s.Kind != "struct" {
				out[name] = m.converted(s.Elem, c, v2)
				continue
			}
			known := name
			if !v2 {
				known = name[1:]
			}
			to := known
			if v2 {
				to = renamed(known, true)
			}
			var t *shape
			if p := s.field(known); p != nil {
				t = p.Type
			}
			out[to] = m.converted(t, c, v2)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, c := range v {
			out[i] = m.converted(s.Elem, c, v2)
		}
		return out
	}
	return v
}

// canonical returns the normal form of v: it fills in all defaults and removes nulls that have the same
// meaning as an absent field. s is the type of the field and def is its default. The argument has
// reports whether the field is present. The returned bool is false if the field is absent in the normal
// form.
func (m *model) canonical(s *shape, def, v any, has bool) (any, bool) {
	nullable := s.Nullable || s.Kind == "anything"
	s = m.resolve(s)
	if !has || v == nil && !nullable {
		if def == nil {
			return nil, false
		}
		v = def
	}
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, c := range x {
			t, d := s.Elem, s.Default
			switch {
			case s.Kind == "anything":
				t = s
			case s.Kind == "struct":
				p := s.field(name)
				if p == nil {
					out[name] = c
					continue
				}
				t, d = p.Type, p.Default
			}
			if c, ok := m.canonical(t, d, c, true); ok {
				out[name] = c
			}
		}
		for _, p := range s.Fields {
			if _, ok := x[p.Name]; ok {
				continue
			}
			if c, ok := m.canonical(p.Type, p.Default, nil, false); ok {
				out[p.Name] = c
			}
		}
		return out, true
	case []any:
		out := make([]any, len(x))
		for i, c := range x {
			t := s.Elem
			if s.Kind == "anything" {
				t = s
			}
			out[i], _ = m.canonical(t, nil, c, true)
		}
		return out, true
	}
	return v, true
}

// identity returns the name of an item of a list.
func (m *model) identity(s *shape, item any) string {
	x, _ := item.(map[string]any)
	key := map[string]any{}
	for _, k := range s.Keys {
		if p := m.resolve(s.Elem).field(k); x[k] != nil {
			key[k] = x[k]
		} else if p != nil && p.Default != nil {
			key[k] = p.Default
		}
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(key)) {
		parts = append(parts, k+"="+jsonText(key[k]))
	}
	return strings.Join(parts, ",")
}

// within checks that the value got, which is the result of the apply, has every part of the
// config. It returns a description of a missing part, or "" if there is none. s is the type of
// the value, and def is its default. owned reports whether other managers own a path, or any
// path below that path.
func (m *model) within(s *shape, def, config, got any, has bool, at string, owned func(string) bool) string {
	nullable := s.Nullable || s.Kind == "anything"
	s = m.resolve(s)
	if config == nil && !nullable {
		if def == nil {
			return ""
		}
		config = def
	}
	got, has = m.canonicalTop(s, def, got, has, nullable)
	if granular := !s.Atomic && s.Kind != "string" && s.Kind != "number"; config == nil && granular && got != nil && owned(at) {
		// This null means that the applier sets nothing at this path. It must not remove
		// fields of other managers.
		return ""
	}
	missing := fmt.Sprintf("%s: applied %s, got %s (%v)", at, jsonText(config), jsonText(got), has)
	if !has {
		return missing
	}
	switch x := config.(type) {
	case map[string]any:
		if s.Atomic {
			break
		}
		y, ok := got.(map[string]any)
		if !ok {
			return missing
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			t, d := s.Elem, s.Default
			if s.Kind == "anything" {
				t = s
			} else if p := s.field(name); p != nil {
				t, d = p.Type, p.Default
			}
			c, ok := y[name]
			if wrong := m.within(t, d, x[name], c, ok, at+"."+name, owned); wrong != "" {
				return wrong
			}
		}
		return ""
	case []any:
		if s.Atomic || s.Kind == "anything" {
			break
		}
		y, ok := got.([]any)
		if !ok {
			return missing
		}
		for _, item := range x {
			i := slices.IndexFunc(y, func(c any) bool {
				if s.Kind == "set" {
					return c == item
				}
				_, isMap := c.(map[string]any)
				return isMap && m.identity(s, c) == m.identity(s, item)
			})
			if i < 0 {
				return fmt.Sprintf("%s: applied item %s is not in %s", at, jsonText(item), jsonText(got))
			}
			if wrong := m.within(s.Elem, nil, item, y[i], true, at+"["+m.identity(s, item)+"]", owned); wrong != "" {
				return wrong
			}
		}
		return ""
	}
	t := *s
	t.Nullable = nullable
	a, _ := m.canonical(&t, def, config, true)
	b, _ := m.canonical(&t, def, got, true)
	if !reflect.DeepEqual(a, b) {
		return missing
	}
	return ""
}

// part is the value at one path of an object, with its type and default.
type part struct {
	shape     *shape
	def       any
	value     any
	container bool // true for a container whose parts have owners of their own
	loose     bool // true for an item or a map value, which exists only while a manager owns it
}

// parts returns all parts of an object by path.
func (m *model) parts(object any) map[string]part {
	out := map[string]part{}
	var walk func(s *shape, def, v any, at string, loose bool)
	walk = func(s *shape, def, v any, at string, loose bool) {
		t := *m.resolve(s)
		t.Nullable = s.Nullable || s.Kind == "anything"
		p := part{shape: &t, def: def, value: v, loose: loose}
		switch x := v.(type) {
		case map[string]any:
			if t.Atomic {
				break
			}
			p.container = true
			for name, c := range x {
				if f := t.field(name); f != nil {
					walk(f.Type, f.Default, c, at+"."+name, false)
				} else if t.Kind == "anything" {
					walk(&t, nil, c, at+"."+name, true)
				} else if t.Elem != nil {
					walk(t.Elem, t.Default, c, at+"."+name, true)
				}
			}
		case []any:
			if t.Atomic || t.Kind == "anything" {
				break
			}
			p.container = true
			for _, c := range x {
				if t.Kind == "set" {
					walk(t.Elem, nil, c, at+"[="+jsonText(c)+"]", true)
				} else {
					walk(t.Elem, nil, c, at+"["+m.identity(&t, c)+"]", true)
				}
			}
		}
		out[at] = p
	}
	walk(m.Root, nil, object, "", false)
	return out
}

// alike reports whether two parts are equal or equivalent.
func (m *model) alike(p, q part) bool {
	a, had := m.canonical(p.shape, p.def, p.value, true)
	b, has := m.canonical(q.shape, q.def, q.value, true)
	return had == has && reflect.DeepEqual(a, b)
}

// isDefault reports whether removing the part would not change the meaning of the object.
func (m *model) isDefault(p part) bool {
	a, had := m.canonical(p.shape, p.def, p.value, true)
	b, has := m.canonical(p.shape, p.def, nil, false)
	return had == has && reflect.DeepEqual(a, b)
}

func (m *model) canonicalTop(s *shape, def, v any, has, nullable bool) (any, bool) {
	if has && (v != nil || nullable) {
		return v, true
	}
	return def, def != nil
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func deepCopied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, c := range v {
			out[k] = deepCopied(c)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, c := range v {
			out[i] = deepCopied(c)
		}
		return out
	}
	return v
}

// gateRand generates random models and values.
type gateRand struct{ *rand.Rand }

func (r gateRand) oneIn(n int) bool { return r.IntN(n) == 0 }

func (r gateRand) scalar() *shape {
	return &shape{Kind: []string{"string", "number"}[r.IntN(2)]}
}

func (r gateRand) scalarValue(kind string) any {
	if kind == "number" {
		return int64(r.IntN(3))
	}
	return []string{"x", "y", "z"}[r.IntN(3)]
}

func (r gateRand) model() *model {
	m := &model{Types: map[string]*shape{"node": {Kind: "struct"}}}
	m.Types["node"] = r.structure(m, 1)
	m.Types["node"].Atomic = false
	m.Root = r.structure(m, 2)
	m.Root.Atomic = false
	return m
}

func (r gateRand) structure(m *model, depth int) *shape {
	s := &shape{Kind: "struct", Atomic: r.oneIn(8)}
	for _, name := range []string{"a", "b", "c", "d"}[:1+r.IntN(4)] {
		p := place{Name: name, Type: r.shape(m, depth-1)}
		p.Default = r.defaultOf(m, p.Type)
		s.Fields = append(s.Fields, p)
	}
	return s
}

func (r gateRand) defaultOf(m *model, s *shape) any {
	switch {
	case (s.Kind == "string" || s.Kind == "number") && r.oneIn(3):
		return r.scalarValue(s.Kind)
	case (s.Kind == "struct" || s.Kind == "map") && r.oneIn(6):
		return map[string]any{}
	}
	return nil
}

func (r gateRand) shape(m *model, depth int) *shape {
	s := r.scalar()
	switch k := r.IntN(12); {
	case depth < 0 && k > 2, k > 10:
	case k == 0:
		s = &shape{Kind: "anything"}
	case k == 1:
		s = &shape{Kind: "set", Elem: r.scalar(), Atomic: r.oneIn(3)}
	case k == 2:
		s = &shape{Kind: "node"}
	case k < 5:
		s = r.structure(m, depth)
	case k < 7:
		s = &shape{Kind: "map", Elem: r.shape(m, depth-1), Atomic: r.oneIn(4)}
		if s.Elem.Kind == "string" && r.oneIn(3) {
			s.Default = r.scalarValue("string")
		}
	default:
		s = r.list(m, depth)
	}
	s.Nullable = r.oneIn(5) && s.Kind != "anything"
	return s
}

func (r gateRand) list(m *model, depth int) *shape {
	item := r.structure(m, depth)
	for i, name := range []string{"k", "l"} {
		p := place{Name: name, Type: r.scalar()}
		if r.oneIn(2) {
			p.Default = r.scalarValue(p.Type.Kind)
		}
		item.Fields = slices.Insert(item.Fields, i, p)
	}
	return &shape{Kind: "list", Elem: item, Keys: [][]string{{"k"}, {"k", "l"}, {"l"}}[r.IntN(3)], Atomic: r.oneIn(8)}
}

// value generates a random value. If the type is not nullable, the value is null with the
// probability 1/nulls.
func (r gateRand) value(m *model, s *shape, depth, nulls int) any {
	if s.Nullable && r.oneIn(4) || r.oneIn(nulls) {
		return nil
	}
	s = m.resolve(s)
	few := func() int { return r.IntN(3) }
	if depth <= 0 {
		few = func() int { return 0 }
	}
	switch s.Kind {
	case "string", "number":
		return r.scalarValue(s.Kind)
	case "anything":
		switch r.IntN(5) {
		case 0:
			return nil
		case 1:
			return r.scalarValue("string")
		case 2:
			return []any{r.scalarValue("string")}[:r.IntN(2)]
		}
		out := map[string]any{}
		for range few() {
			out[r.scalarValue("string").(string)] = r.value(m, s, depth-1, nulls)
		}
		return out
	case "struct":
		out := map[string]any{}
		for _, p := range s.Fields {
			if r.oneIn(2) && depth > 0 {
				out[p.Name] = r.value(m, p.Type, depth-1, nulls)
			}
		}
		return out
	case "map":
		out := map[string]any{}
		for range few() {
			out[r.scalarValue("string").(string)] = r.value(m, s.Elem, depth-1, nulls)
		}
		return out
	case "set":
		out := []any{}
		for range few() {
			if v := r.scalarValue(s.Elem.Kind); s.Atomic || !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
		return out
	}
	out := []any{}
	seen := map[string]bool{}
	for range r.IntN(3) {
		item, ok := r.value(m, s.Elem, depth-1, 1000).(map[string]any)
		if !ok {
			continue
		}
		if !s.Atomic {
			some := false
			for _, k := range s.Keys {
				p := m.resolve(s.Elem).field(k)
				if _, ok := item[k]; !ok && p != nil && (p.Default == nil || r.oneIn(3)) {
					item[k] = r.scalarValue(p.Type.Kind)
				} else if ok && p != nil && r.oneIn(8) {
					item[k] = nil
				}
				some = some || item[k] != nil || p != nil && p.Default != nil
			}
			if id := m.identity(s, item); seen[id] || !some {
				continue
			} else {
				seen[id] = true
			}
		}
		out = append(out, item)
	}
	return out
}

// changed returns m with some changes, and a text that describes them.
func (r gateRand) changed(m *model) (*model, string) {
	for {
		out := m.clone()
		var lists, containers, structs []*shape
		out.each(func(s *shape) {
			switch {
			case s.Kind == "list":
				lists = append(lists, s)
				containers = append(containers, s)
			case s.Kind == "struct":
				structs = append(structs, s)
				containers = append(containers, s)
			case s.Kind == "map" || s.Kind == "set":
				containers = append(containers, s)
			}
		})
		switch k := r.IntN(8); {
		case k < 4 && len(lists) > 0:
			l := lists[r.IntN(len(lists))]
			p := l.Elem.field([]string{"k", "l"}[r.IntN(2)])
			if p == nil {
				continue
			}
			before := p.Default
			if p.Default != nil && r.oneIn(3) {
				p.Default = nil
			} else {
				p.Default = r.scalarValue(p.Type.Kind)
			}
			if reflect.DeepEqual(before, p.Default) {
				continue
			}
			return out, fmt.Sprintf("the default of key %s: %v -> %v", p.Name, before, p.Default)
		case k == 4 && len(lists) > 0:
			l := lists[r.IntN(len(lists))]
			before := l.Keys
			l.Keys = [][]string{{"k"}, {"k", "l"}, {"l"}}[r.IntN(3)]
			if r.oneIn(3) {
				l.Elem.field("k").Default = r.scalarValue(l.Elem.field("k").Type.Kind)
			}
			if slices.Equal(before, l.Keys) {
				continue
			}
			return out, fmt.Sprintf("keys %v -> %v", before, l.Keys)
		case k == 5 && len(containers) > 0:
			c := containers[r.IntN(len(containers))]
			if c == out.Root {
				continue
			}
			c.Atomic = !c.Atomic
			return out, fmt.Sprintf("a %s becomes atomic: %v", c.Kind, c.Atomic)
		case k == 6:
			s := structs[r.IntN(len(structs))]
			p := &s.Fields[r.IntN(len(s.Fields))]
			before := p.Default
			p.Default = r.defaultOf(out, p.Type)
			if reflect.DeepEqual(before, p.Default) {
				continue
			}
			return out, fmt.Sprintf("the default of field %s: %v -> %v", p.Name, before, p.Default)
		case k == 7:
			s := structs[r.IntN(len(structs))]
			p := place{Name: "e", Type: r.shape(out, 1)}
			if s.field("e") != nil {
				continue
			}
			p.Default = r.defaultOf(out, p.Type)
			s.Fields = append(s.Fields, p)
			return out, "a field is new"
		}
	}
}
