// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package structs

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// Kind is a Go type for test objects.
type Kind struct {
	Name string
	// New returns a pointer to a zero value of the type.
	New func() any
	// Schema returns the schema as YAML data. Type is the name of the object's type in this
	// schema.
	Schema func() any
	Type   string
}

// Kinds lists all kinds except Root, whose name is "".
var Kinds []Kind

func find(kind string) (Kind, bool) {
	for _, k := range Kinds {
		if k.Name == kind {
			return k, true
		}
	}
	return Kind{New: func() any { return new(Root) }}, kind == ""
}

// Forms selects how values are represented in memory. Many values have several representations
// with (nearly) the same JSON: for example, an empty list can be nil or have the length zero.
// With the same number, equal values at the same path have the same representation. Numbers that
// differ only in the lowest three bits select the same representation for most paths. Zero
// selects the simplest representations.
type Forms uint64

// formAt returns a number from 0 to 3, which selects the representation of the value at a
// path.
func (f Forms) formAt(path string) int {
	if f == 0 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(path))
	place := h.Sum64()
	base := (place ^ uint64(f>>3)*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	form := int(base >> 40 & 3)
	if f&7 != 0 && place%8 == uint64(f&7) {
		form ^= 1 + int(base>>50&1)
	}
	return form
}

// Special fills a value whose type has fields that other packages cannot set. Its last argument
// selects one of several representations in memory.
type Special func(dst reflect.Value, v any, form int)

// Specials maps each type that needs a Special function to this function.
var Specials = map[reflect.Type]Special{
	reflect.TypeFor[Amount](): func(dst reflect.Value, v any, form int) {
		s, _ := v.(string)
		dst.Set(reflect.ValueOf(Amount{text: s, cache: []string{"", s, "cached"}[form%3]}))
	},
	reflect.TypeFor[Number](): func(dst reflect.Value, v any, form int) {
		n := Number{n: integer(v)}
		if form%2 == 1 {
			n.cache = &n.n
		}
		dst.Set(reflect.ValueOf(n))
	},
	reflect.TypeFor[Raw](): func(dst reflect.Value, v any, form int) {
		if text, err := json.Marshal(v); err == nil && v != nil {
			if text[0] == '{' || text[0] == '[' {
				text = append(text, []string{"", " ", "\n", ""}[form]...)
			}
			dst.SetBytes(text)
		}
	},
}

// Pool keeps memory that was filled before, so that several objects can share it.
type Pool struct {
	made map[string]reflect.Value
}

const pooled = 512

// Build returns a new value of a kind with the data of a tree. It ignores fields that the type
// does not have. It returns false if the kind does not exist. It does not decode JSON, so it
// can create representations that no decoder creates.
func Build(kind string, v any, forms Forms, pool *Pool) (any, bool) {
	k, ok := find(kind)
	if _, isMap := v.(map[string]any); !ok || !isMap {
		return nil, false
	}
	out := k.New()
	f := filler{forms, pool, kind}
	f.fill(reflect.ValueOf(out).Elem(), v, "")
	return out, true
}

type filler struct {
	forms Forms
	pool  *Pool
	kind  string
}

func (f *filler) fill(dst reflect.Value, v any, path string) {
	if special := Specials[dst.Type()]; special != nil {
		special(dst, v, f.forms.formAt(path))
		return
	}
	switch dst.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		f.shared(dst, v, path)
	case reflect.Struct:
		m, _ := v.(map[string]any)
		f.fields(dst, m, path)
	case reflect.Interface:
		if u := f.plainData(v, path); u != nil {
			dst.Set(reflect.ValueOf(u))
		}
	case reflect.String:
		s, _ := v.(string)
		dst.SetString(s)
	case reflect.Bool:
		b, _ := v.(bool)
		dst.SetBool(b)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		dst.SetInt(integer(v))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		dst.SetUint(uint64(integer(v)) & 0x7f)
	case reflect.Float32, reflect.Float64:
		switch n := v.(type) {
		case int64:
			dst.SetFloat(float64(n))
		case float64:
			dst.SetFloat(n)
		}
	}
}

func integer(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case float64:
		if math.Abs(n) < 1<<62 {
			return int64(n)
		}
	}
	return 0
}

// shared fills a slice, map or pointer. It uses new memory, or memory in the pool that was
// filled from the same data.
func (f *filler) shared(dst reflect.Value, v any, path string) {
	if f.pool == nil || v == nil || f.forms.formAt(path+"!") == 0 {
		f.refer(dst, v, path)
		return
	}
	text := fmt.Sprintf("%s %s %v %d %s", f.kind, path, dst.Type(), f.forms, tree.Text(v))
	if old, ok := f.pool.made[text]; ok {
		dst.Set(old)
		return
	}
	f.refer(dst, v, path)
	if f.pool.made == nil || len(f.pool.made) > pooled {
		f.pool.made = map[string]reflect.Value{}
	}
	made := reflect.New(dst.Type()).Elem()
	made.Set(dst)
	f.pool.made[text] = made
}

func (f *filler) refer(dst reflect.Value, v any, path string) {
	form := f.forms.formAt(path)
	switch dst.Kind() {
	case reflect.Pointer:
		if v == nil {
			return
		}
		p := reflect.New(dst.Type().Elem())
		f.fill(p.Elem(), v, path)
		dst.Set(p)
	case reflect.Map:
		m, ok := v.(map[string]any)
		if !ok && form != 1 {
			return
		}
		out := reflect.MakeMap(dst.Type())
		for _, k := range tree.Keys(m) {
			e := reflect.New(dst.Type().Elem()).Elem()
			f.fill(e, m[k], path+"."+k)
			out.SetMapIndex(reflect.ValueOf(k).Convert(dst.Type().Key()), e)
		}
		dst.Set(out)
	case reflect.Slice:
		if dst.Type().Elem().Kind() == reflect.Uint8 {
			if s, ok := v.(string); ok {
				dst.SetBytes([]byte(s))
			} else if form == 1 {
				dst.SetBytes([]byte{})
			}
			return
		}
		items, ok := v.([]any)
		if !ok && form != 1 {
			return
		}
		out := reflect.MakeSlice(dst.Type(), len(items), len(items)+form)
		for i, item := range items {
			f.fill(out.Index(i), item, path+"[]")
		}
		dst.Set(out)
	}
}

// fields fills a struct from a map. A field that the map does not have stays zero, or becomes an
// empty list or map.
func (f *filler) fields(dst reflect.Value, m map[string]any, path string) {
	t := dst.Type()
	for i := range t.NumField() {
		field := t.Field(i)
		tag, hasTag := field.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case name == "-" || !field.IsExported():
			continue
		case field.Anonymous && (strings.Contains(options, "inline") || name == ""):
			f.embedded(dst.Field(i), m, path)
			continue
		case !hasTag || name == "":
			name = field.Name
		}
		f.fill(dst.Field(i), m[name], path+"."+name)
	}
}

// embedded fills an embedded struct. It may be a pointer, which may stay nil.
func (f *filler) embedded(dst reflect.Value, m map[string]any, path string) {
	if dst.Kind() != reflect.Pointer {
		f.fields(dst, m, path)
		return
	}
	p := reflect.New(dst.Type().Elem())
	f.fields(p.Elem(), m, path)
	if !p.Elem().IsZero() || f.forms.formAt(path+".") == 1 {
		dst.Set(p)
	}
}

// plainData returns plain data, in one of several Go types.
func (f *filler) plainData(v any, path string) any {
	form := f.forms.formAt(path)
	switch v := v.(type) {
	case int64:
		return []any{v, v, int32(v), float64(v)}[form]
	case string:
		if form == 3 {
			return Amount{text: v, cache: v}
		}
	case []any:
		if v == nil {
			return nil
		}
		texts := []string{}
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = f.plainData(item, path+"[]")
			if s, ok := item.(string); ok {
				texts = append(texts, s)
			}
		}
		if len(texts) == len(v) && form == 1 {
			return texts
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		texts := map[string]string{}
		for k, item := range v {
			out[k] = f.plainData(item, path+"."+k)
			if s, ok := item.(string); ok {
				texts[k] = s
			}
		}
		if len(texts) == len(v) && form == 1 {
			return texts
		}
		return out
	}
	return v
}
