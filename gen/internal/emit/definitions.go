// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Definitions holds the OpenAPI definitions of some types, and of all types to which they refer.
type Definitions struct {
	src  *markers.Source
	all  map[string]*Definition
	todo []*types.Named
	// pinned contains the structs that pinKeys is copying at the moment. It stops the recursion
	// in recursive types.
	pinned map[*types.Struct]bool
	// copied counts the definitions that were copied to make list keys immutable.
	copied int
	// depth is the current nesting of lists and maps.
	depth int
	err   error
	// lists contains the fields that are lists of type map, if the definitions were requested with
	// implied defaults.
	lists []*markers.Field
	DefinitionOptions
}

// DefinitionOptions are options for NewDefinitions.
type DefinitionOptions struct {
	// Implied adds defaults for fields that Go always sends: {} for structs, and the zero value
	// for scalars. openapi-gen does the same, even for the keys of lists.
	Implied bool
}

// maxCopies limits the number of copied definitions.
const maxCopies = 20_000

// maxDepth limits the nesting of lists and maps. A limit is needed, because a type may be a list
// of itself.
const maxDepth = 50

// Definition is the definition of one type.
type Definition struct {
	Name   string
	Type   *types.Named
	Schema *Schema
	// V2 is the schema for OpenAPI v2, or nil if it is the same as Schema.
	V2 *Schema
}

// NewDefinitions returns the definitions of all types that have the marker
// +k8s:openapi-gen=true. On a package, the marker applies to all types of the package. API
// objects do not need the marker, but +k8s:openapi-gen=false excludes them. If a definition
// would be too large, Document and Go return an error.
func NewDefinitions(src *markers.Source, packages []*markers.Package, o DefinitionOptions) *Definitions {
	d := &Definitions{src: src, all: map[string]*Definition{}, pinned: map[*types.Struct]bool{}, DefinitionOptions: o}
	for _, p := range packages {
		for _, t := range openAPITypes(p) {
			d.want(t)
		}
	}
	for len(d.todo) > 0 {
		t := d.todo[0]
		d.todo = d.todo[1:]
		d.define(t)
	}
	return d
}

// DefaultRoots sets the default {} on structs to which no other definition refers. A null value
// then counts as an empty object, as in the examples of KEP-1929. API objects get no default,
// because they are never null.
func (d *Definitions) DefaultRoots() {
	used := map[string]bool{}
	for _, def := range d.all {
		def.Schema.refs(used)
	}
	for name, def := range d.all {
		if !used[name] && !isKind(def.Type) && def.Schema.Type == "object" && def.Schema.Default == nil {
			def.Schema.Default = map[string]any{}
		}
	}
}

// KeyedLists returns the fields that are lists of type map, from all definitions. Their keys may
// have implied defaults, which markers.Source.CheckImpliedKeys reports. Without
// DefinitionOptions.Implied, it returns nil.
func (d *Definitions) KeyedLists() []*markers.Field { return d.lists }

// Sorted returns the definitions sorted by name.
func (d *Definitions) Sorted() (all []*Definition) {
	for _, name := range sortedKeys(d.all) {
		all = append(all, d.all[name])
	}
	return all
}

// openAPITypes returns the struct types of a package that get a definition.
func openAPITypes(p *markers.Package) (all []*types.Named) {
	whole, off := false, false
	for _, m := range markers.Each(p.Markers(), "k8s:openapi-gen") {
		whole, off = whole || m.Value == "true", off || m.Value == "false"
	}
	for _, t := range p.Types() {
		named, ok := t.Object.Type().(*types.Named)
		if !ok || t.Object.IsAlias() || !t.Object.Exported() || named.TypeParams().Len() > 0 || !isStruct(named) {
			continue
		}
		asked, refused := false, false
		for _, m := range markers.Each(t.Markers, "k8s:openapi-gen") {
			asked, refused = asked || m.Value == "true", refused || m.Value == "false"
		}
		if asked || !refused && (whole || !off && isKind(named)) {
			all = append(all, named)
		}
	}
	return all
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

const (
	metaPath = "k8s.io/apimachinery/pkg/apis/meta/v1"
	typeMeta = metaPath + ".TypeMeta"
)

// embeds reports whether a struct embeds the type with the given name. The name may include the
// package path.
func embeds(t types.Type, name string) bool {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		f := st.Field(i)
		if o := markers.NameOf(markers.Deref(f.Type())); f.Embedded() && o != nil && (markers.PathName(o) == name || o.Name() == name) {
			return true
		}
	}
	return false
}

// isKind reports whether a type is an API object: a struct that embeds TypeMeta.
func isKind(t types.Type) bool { return embeds(t, typeMeta) }

// want adds the definition of a type to the list of definitions to generate, and returns the
// name of the definition.
func (d *Definitions) want(t *types.Named) string {
	name := typeName(d.src, t)
	if _, ok := d.all[name]; !ok {
		d.all[name] = &Definition{Name: name, Type: t}
		d.todo = append(d.todo, t)
	}
	return name
}

func (d *Definitions) define(t *types.Named) {
	def := d.all[typeName(d.src, t)]
	in := d.src.Type(t.Obj())
	if d.src.Shape(t) == markers.Custom {
		def.Schema, def.V2 = d.custom(t)
		def.Schema.Description = openAPIText(in.Doc)
		if def.V2 != nil {
			def.V2.Description = def.Schema.Description
		}
		return
	}
	def.Schema = d.object(t.Underlying().(*types.Struct), t.Obj())
	def.Schema.Description = openAPIText(in.Doc)
	topology(def.Schema, in.Markers)
	d.unions(def.Schema, t)
	if td := d.src.TypeDefault(t); td != nil {
		def.Schema.Default = td.Value
	}
}

// unions sets the extension x-kubernetes-unions if a type has unions.
func (d *Definitions) unions(s *Schema, t *types.Named) {
	var all []any
	for _, u := range d.src.Unions(t.Underlying().(*types.Struct), t.Obj()) {
		members := map[string]any{}
		for name, value := range u.Members {
			members[name] = value
		}
		union := map[string]any{"fields-to-discriminateBy": members}
		if u.Discriminator != "" {
			union["discriminator"] = u.Discriminator
		}
		all = append(all, union)
	}
	if len(all) > 0 {
		s.set("x-kubernetes-unions", all)
	}
}

// custom returns the schema of a type that has its own JSON methods. v2 is the schema for
// OpenAPI v2, or nil if it is the same.
func (d *Definitions) custom(t types.Type) (s, v2 *Schema) {
	k, ok := d.src.Known(t)
	if !ok && isStruct(t) {
		return d.object(t.Underlying().(*types.Struct), markers.NameOf(t)), nil
	}
	if !ok {
		return &Schema{}, nil
	}
	s = &Schema{Type: k.Type, Format: k.Format}
	if of := d.src.OneOf(t); len(of) > 0 {
		v2 = s.clone()
		s.Type = ""
		for _, name := range of {
			s.OneOf = append(s.OneOf, &Schema{Type: name})
		}
	}
	return s, v2
}

// object returns the schema of a struct.
func (d *Definitions) object(t *types.Struct, owner *types.TypeName) *Schema {
	s := &Schema{Type: "object"}
	for _, f := range d.src.Flat(t, owner) {
		if f.Is("k8s:openapi-gen", "false") {
			continue
		}
		if s.Properties == nil {
			s.Properties = map[string]*Schema{}
		}
		s.Properties[f.Name] = d.property(f)
		if required(f) {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// required reports whether a field is required. The markers optional and required decide. If a
// field has both, a marker without the prefix kubebuilder or k8s takes precedence. If the field has
// neither marker, it is optional if its json tag has omitempty or omitzero, and otherwise required.
func required(f *markers.Field) bool {
	for _, spelled := range []bool{true, false} {
		for _, name := range []string{"optional", "required"} {
			if slices.ContainsFunc(f.Markers, func(m markers.Marker) bool { return m.Name == name && (!spelled || m.Spelled == name) }) {
				return name == "required"
			}
		}
	}
	return !f.OmitEmpty && !f.OmitZero
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Document returns the definitions as an OpenAPI v3 document. API objects also get their
// group, version and kind if the package has +groupName.
func (d *Definitions) Document(title string) (map[string]any, error) {
	if d.err != nil {
		return nil, d.err
	}
	schemas := map[string]any{}
	for _, def := range d.Sorted() {
		s := def.Schema.Plain(func(ref string) string { return "#/components/schemas/" + friendly(ref) })
		s = wrapRefs(s).(map[string]any)
		if g, ok := GroupVersionOf(d.src, def.Type.Obj()); ok && isKind(def.Type) {
			s["x-kubernetes-group-version-kind"] = []any{map[string]any{"group": g.Group, "version": g.Version, "kind": def.Type.Obj().Name()}}
		}
		schemas[friendly(def.Name)] = s
	}
	return map[string]any{
		"openapi":    "3.0.0",
		"info":       map[string]any{"title": title, "version": "unversioned"},
		"paths":      map[string]any{},
		"components": map[string]any{"schemas": schemas},
	}, nil
}

// wrapRefs moves references that have sibling keywords into an allOf, because OpenAPI v3
// ignores siblings of a reference. It changes v in place.
func wrapRefs(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k, c := range x {
			if k != "default" && k != "enum" {
				x[k] = wrapRefs(c)
			}
		}
		if ref, ok := x["$ref"].(string); ok && len(x) > 1 {
			delete(x, "$ref")
			x["allOf"] = []any{map[string]any{"$ref": ref}}
		}
	case []any:
		for i := range x {
			x[i] = wrapRefs(x[i])
		}
	}
	return v
}

// AsksForOpenAPI reports whether a package, or one of its types, has the marker
// +k8s:openapi-gen=true.
func AsksForOpenAPI(p *markers.Package) bool {
	yes := func(all []markers.Marker) bool {
		return slices.ContainsFunc(markers.Each(all, "k8s:openapi-gen"), func(m *markers.Marker) bool { return m.Value == "true" })
	}
	return yes(p.Markers()) || slices.ContainsFunc(p.Types(), func(t *markers.Type) bool { return yes(t.Markers) })
}

func (d *Definitions) property(f *markers.Field) *Schema {
	s := d.schemaOf(f.Type)
	lines := f.Doc
	if e := d.src.Enum(f.Type); e != nil {
		lines = append(slices.Clone(lines), e.Lines()...)
	}
	if f.Quoted {
		s = &Schema{Type: "string"}
	}
	s.Description = openAPIText(lines)
	s.Default = nil
	if def := d.src.Default(f); def != nil && (def.Marker != nil || d.Implied) {
		s.Default = def.Value
	}
	all := append(slices.Clone(f.Markers), d.src.NamedMarkers(f.Type)...)
	if s.Ref != "" {
		// The schema is only a reference, and the referenced definition already has the markers of
		// the type. Apply only the markers of the field.
		topology(s, f.Markers)
	} else {
		topology(s, all)
	}
	s.Nullable = markers.Has(f.Markers, "nullable")
	transitions(d.src, s, f)
	if d.Implied && s.X["x-kubernetes-list-type"] == "map" {
		d.lists = append(d.lists, f)
	}
	if pinsKeys(s) {
		d.pinKeys(s, f, all)
	}
	return s
}

// pinKeys makes the key fields of list items immutable. If the schema of the items is a
// reference, pinKeys replaces it with a reference to a copy of the definition, so that other
// uses of the type do not change. In a recursive type, it changes only the first level.
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
		if d.pinned[st] {
			return // the type is recursive; deeper levels refer to the unchanged definition
		}
		if d.copied++; d.copied > maxCopies {
			if d.err == nil {
				d.err = fmt.Errorf("%s: the list %s needs more than %d copies of definitions, because its items have lists whose keys are immutable, too: remove +immutable=keys or a similar marker from some of these lists", d.src.PlaceOf(f.Var), f, maxCopies)
			}
			return
		}
		d.pinned[st] = true
		defer delete(d.pinned, st)
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

// formats maps basic Go types to their OpenAPI type and format.
var formats = map[types.BasicKind][2]string{
	types.String: {"string", ""}, types.Bool: {"boolean", ""},
	types.Int: {"integer", "int32"}, types.Int8: {"integer", "byte"}, types.Int16: {"integer", "int32"},
	types.Int32: {"integer", "int32"}, types.Int64: {"integer", "int64"},
	types.Uint: {"integer", "int32"}, types.Uint8: {"integer", "byte"}, types.Uint16: {"integer", "int32"},
	types.Uint32: {"integer", "int64"}, types.Uint64: {"integer", "int64"}, types.Uintptr: {"integer", "int64"},
	types.Float32: {"number", "float"}, types.Float64: {"number", "double"},
}

// schemaOf returns the schema of a type, without regard to markers on a field.
func (d *Definitions) schemaOf(t types.Type) *Schema {
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
	s := d.schemaOf(t)
	if def := d.src.TypeDefault(t); def != nil {
		s.Default = def.Value
	}
	return s
}

// transitions sets the transition rules of a field, and of its items or values, in the schema s.
// It first copies the schema of the items or values, because other fields may share it.
func transitions(src *markers.Source, s *Schema, f *markers.Field) {
	if t := src.Transition(f); t != schema.NoTransition {
		s.set(t.Extension(), true)
	}
	if t := src.EachTransition(f); t != schema.NoTransition {
		if each := s.copyElement(); each != nil {
			each.set(t.Extension(), true)
		}
	}
}

// copyElement replaces the schema of the items or values with a copy, and returns the copy. If
// there is no such schema, it returns nil.
func (s *Schema) copyElement() *Schema {
	switch {
	case s.Items != nil:
		s.Items = s.Items.clone()
		return s.Items
	case s.Additional != nil:
		s.Additional = s.Additional.clone()
		return s.Additional
	}
	return nil
}

// pinsKeys reports whether s is a list of type map with a rule that forbids adding or removing
// items. In such a list, the key fields of the items must be immutable too.
func pinsKeys(s *Schema) bool {
	for _, t := range schema.Transitions() {
		if s.X[t.Extension()] == true && t != schema.Immutable && t != schema.SetOnce {
			return s.X["x-kubernetes-list-type"] == "map"
		}
	}
	return false
}

// topology sets the extensions for list types, map types and patch strategies.
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
			continue // markers.Check reports this marker
		}
		var values []any
		for _, m := range markers.Each(all, e.marker) {
			v, err := m.Decode()
			if err != nil || slices.Contains(values, v) {
				continue
			}
			if m.Spelled == "k8s:listMapKey" && s.X["x-kubernetes-list-type"] != "map" {
				continue // this key belongs to +k8s:unique=map
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
