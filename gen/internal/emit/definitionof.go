// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"go/types"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/gen/markers"
	"github.com/dovetail-ssa/dovetail/schema"
)

func (d *Definitions) property(f *markers.Field) *Schema {
	s := d.of(f.Type)
	lines := f.Doc
	if e := d.src.Enum(f.Type); e != nil {
		lines = append(slices.Clone(lines), e.Lines()...)
	}
	if f.Quoted {
		s = &Schema{Type: "string"}
	}
	s.Description = openAPIText(lines)
	if def := d.src.Default(f); def != nil {
		s.Default = def.Value
	} else {
		s.Default = nil
	}
	all := append(slices.Clone(f.Markers), d.src.NamedMarkers(f.Type)...)
	if s.Ref != "" {
		// What the type says is where it is defined.
		topology(s, f.Markers)
	} else {
		topology(s, all)
	}
	s.Nullable = markers.Has(f.Markers, "nullable")
	immutable(s, f.Markers)
	if s.X[schema.ImmutableKeys.Extension()] == true {
		d.pinKeys(s, f, all)
	}
	return s
}

// pinKeys makes the keys of a list immutable. Items that others refer to, too, are
// copied, so that theirs stay as they are.
func (d *Definitions) pinKeys(s *Schema, f *markers.Field, all []markers.Marker) {
	elem, ok := markers.Elem(f.Type)
	if !ok || s.Items == nil {
		return
	}
	st, ok := markers.Deref(elem).Underlying().(*types.Struct)
	if !ok {
		return
	}
	items := s.Items
	if items.Ref != "" {
		full := d.object(st, markers.NameOf(markers.Deref(elem)))
		full.Description, full.Default = items.Description, items.Default
		topology(full, d.src.NamedMarkers(elem))
		items = full
	}
	for _, k := range markers.Each(all, "listMapKey") {
		if p := items.Properties[strings.Trim(k.Value, `"`)]; p != nil {
			p.set(schema.Immutable.Extension(), true)
		}
	}
	s.Items = items
}

// formats are the types of OpenAPI that basic types of Go are.
var formats = map[types.BasicKind][2]string{
	types.String: {"string", ""}, types.Bool: {"boolean", ""},
	types.Int: {"integer", "int32"}, types.Int8: {"integer", "byte"}, types.Int16: {"integer", "int32"},
	types.Int32: {"integer", "int32"}, types.Int64: {"integer", "int64"},
	types.Uint: {"integer", "int32"}, types.Uint8: {"integer", "byte"}, types.Uint16: {"integer", "int32"},
	types.Uint32: {"integer", "int64"}, types.Uint64: {"integer", "int64"}, types.Uintptr: {"integer", "int64"},
	types.Float32: {"number", "float"}, types.Float64: {"number", "double"},
}

// of returns the schema of a type, without what a field adds.
func (d *Definitions) of(t types.Type) *Schema {
	t = markers.Deref(t)
	switch shape := d.src.Shape(t); shape {
	case markers.Custom:
		if o := markers.NameOf(t); o != nil && markers.PathName(o) == "time.Time" {
			return &Schema{Type: "string", Format: "date-time"}
		}
		if named, ok := t.(*types.Named); ok && isStruct(t) {
			return &Schema{Ref: d.want(named)}
		}
		s, _ := d.custom(t)
		return s
	case markers.Struct:
		if named, ok := t.(*types.Named); ok {
			return &Schema{Ref: d.want(named)}
		}
		return d.object(t.Underlying().(*types.Struct), nil)
	case markers.Bytes:
		return &Schema{Type: "string", Format: "byte"}
	case markers.List:
		elem, _ := markers.Elem(t)
		return &Schema{Type: "array", Items: d.item(elem)}
	case markers.Map:
		elem, _ := markers.Elem(t)
		return &Schema{Type: "object", Additional: d.item(elem)}
	case markers.Any:
		if markers.NameOf(t) != nil {
			return &Schema{}
		}
		return &Schema{Type: "object"}
	default:
		b, ok := t.Underlying().(*types.Basic)
		if !ok {
			return &Schema{}
		}
		s := &Schema{Type: formats[b.Kind()][0], Format: formats[b.Kind()][1]}
		if e := d.src.Enum(t); e != nil {
			s.Enum = e.Sorted()
		}
		return s
	}
}

// item returns the schema of list items or map values.
func (d *Definitions) item(t types.Type) *Schema {
	if d.depth++; d.depth > maxDepth {
		d.depth--
		return &Schema{}
	}
	defer func() { d.depth-- }()
	s := d.of(t)
	if def := d.src.TypeDefault(t); def != nil {
		s.Default = def.Value
	}
	return s
}

// immutable sets the extension that a marker asks for.
func immutable(s *Schema, all []markers.Marker) {
	m, ok := markers.Find(all, "immutable")
	if !ok {
		return
	}
	if t := m.Transition(); t != schema.NoTransition {
		s.set(t.Extension(), true)
	}
}

// topology sets the extensions for lists, maps and patches.
func topology(s *Schema, all []markers.Marker) {
	for _, e := range []struct {
		marker, name, of string
		list             bool
	}{
		{"listType", "x-kubernetes-list-type", "array", false},
		{"listMapKey", "x-kubernetes-list-map-keys", "array", true},
		{"mapType", "x-kubernetes-map-type", "object", false},
		{"structType", "x-kubernetes-map-type", "object", false},
		{"patchStrategy", "x-kubernetes-patch-strategy", "", false},
		{"patchMergeKey", "x-kubernetes-patch-merge-key", "", false},
	} {
		if e.of != "" && s.Type != "" && s.Type != e.of {
			continue // which is a finding
		}
		var values []any
		for _, m := range markers.Each(all, e.marker) {
			v, err := m.Decode()
			if err != nil || slices.Contains(values, v) {
				continue
			}
			values = append(values, v)
		}
		switch {
		case len(values) == 0:
		case e.list || len(values) > 1 && strings.HasPrefix(e.marker, "patch"):
			s.set(e.name, values)
		default:
			s.set(e.name, values[0])
		}
	}
}
