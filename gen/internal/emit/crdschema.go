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

// structural generates schemas for CRDs. Unlike OpenAPI definitions, these schemas contain
// validations and no references.
type structural struct {
	src *markers.Source
	// made caches the schemas of named types. A nil entry means that the schema is being
	// generated.
	made map[string]*Schema
	// recursive contains the recursive types found so far. A structural schema cannot express
	// them.
	recursive map[string]bool
	CRDOptions
}

func newStructural(src *markers.Source, o CRDOptions) *structural {
	return &structural{src: src, made: map[string]*Schema{}, recursive: map[string]bool{}, CRDOptions: o}
}

// root returns the schema of a custom resource.
func (b *structural) root(t *types.Named) *Schema {
	s := b.schemaOf(t).clone()
	s.Default = nil
	s.Nullable = false // an object is never null, and the API server rejects nullable here
	if p := s.Properties["metadata"]; p != nil {
		s.Properties["metadata"] = &Schema{Type: "object"}
		for _, f := range b.src.Flat(t.Underlying().(*types.Struct), t.Obj()) {
			if f.Name == "metadata" && b.required(f) && !slices.Contains(s.Required, f.Name) {
				s.Required = append(s.Required, f.Name) // until here, its default made it optional
				slices.Sort(s.Required)
			}
		}
	}
	for _, name := range []string{"apiVersion", "kind"} {
		if p := s.Properties[name]; p != nil {
			p = p.clone()
			p.Default = nil
			s.Properties[name] = p
		}
	}
	return s
}

// schemaOf returns the schema of a type, with the markers of its named types applied. Uses
// of the same named type share one schema, so callers must clone it before changing it.
func (b *structural) schemaOf(t types.Type) *Schema {
	switch x := t.(type) {
	case *types.Pointer:
		return b.schemaOf(x.Elem())
	case *types.Alias:
		s := b.schemaOf(x.Rhs())
		if in := b.src.Type(x.Obj()); len(in.Markers) > 0 || len(in.Doc) > 0 {
			s = s.clone()
			b.describeType(s, in)
			b.apply(s, in.Markers, x)
		}
		return s
	case *types.Named:
		if p, ok := x.Underlying().(*types.Pointer); ok {
			return b.schemaOf(p.Elem())
		}
		k := key(x)
		s, known := b.made[k]
		if s != nil {
			return s
		}
		if known {
			b.recursive[k] = true
			return &Schema{Type: "object", X: map[string]any{"x-kubernetes-preserve-unknown-fields": true}}
		}
		b.made[k] = nil
		in := b.src.Type(x.Obj())
		if as := b.src.DeclaredAs(x.Obj()); as != nil && x.TypeArgs().Len() == 0 && b.src.Shape(x) == b.src.Shape(as.Type()) {
			// Markers on the original type also apply to this type.
			s = b.schemaOf(as.Type()).clone()
			s.Default = nil
		} else {
			s = b.shaped(x)
		}
		b.describeType(s, in)
		embedded := s.rules()
		delete(s.X, celRules)
		b.apply(s, in.Markers, x)
		for _, r := range embedded {
			s.rule(r.(map[string]any))
		}
		if d := b.src.TypeDefault(x); d != nil && !isStruct(x) {
			s.Default = d.Value
		}
		b.made[k] = s
		return s
	}
	return b.shaped(t)
}

func (b *structural) describe(s *Schema, doc []string) {
	if text := crdText(doc); text != "" {
		s.Description = shortened(text, b.MaxDescription)
	}
}

// describeType sets the description of a schema to the comment of its type. It skips well-known
// Kubernetes types, such as Quantity, because their comments describe Go code.
func (b *structural) describeType(s *Schema, in *markers.Type) {
	if name := markers.PathName(in.Object); name != objectMeta && !markers.IsKnown(name) {
		b.describe(s, in.Doc)
	}
}

const objectMeta = metaPath + ".ObjectMeta"

// shaped returns the schema of a type without regard to the markers on the type.
func (b *structural) shaped(t types.Type) *Schema {
	if o := markers.NameOf(t); o != nil && markers.PathName(o) == objectMeta {
		return embeddedMeta(b.BareMetadata)
	}
	switch b.src.Shape(t) {
	case markers.Custom:
		return b.custom(t)
	case markers.Struct:
		return b.object(t.Underlying().(*types.Struct), t)
	case markers.Bytes:
		return &Schema{Type: "string", Format: "byte"}
	case markers.List:
		elem, _ := markers.Elem(t)
		return &Schema{Type: "array", Items: b.item(elem)}
	case markers.Map:
		elem, _ := markers.Elem(t)
		return &Schema{Type: "object", Additional: b.item(elem)}
	case markers.Any:
		return &Schema{X: map[string]any{"x-kubernetes-preserve-unknown-fields": true}}
	}
	u, ok := t.Underlying().(*types.Basic)
	if !ok {
		return &Schema{X: map[string]any{"x-kubernetes-preserve-unknown-fields": true}}
	}
	s := &Schema{Type: formats[u.Kind()][0]}
	switch u.Kind() {
	case types.Int32, types.Uint32:
		s.Format = "int32"
	case types.Int64, types.Uint64:
		s.Format = "int64"
	}
	return s
}

func (b *structural) item(t types.Type) *Schema {
	s := b.schemaOf(t)
	d := b.src.TypeDefault(t)
	switch {
	case d == nil && s.Default == nil:
		return s
	case d == nil:
		s = s.clone()
		s.Default = nil
	default:
		s = s.clone()
		s.Default = d.Value
	}
	return s
}

func (b *structural) object(t *types.Struct, named types.Type) *Schema {
	s := &Schema{Type: "object"}
	owner := markers.NameOf(named)
	for _, f := range b.src.FlatExcept(t, owner, schemaless) {
		if s.Properties == nil {
			s.Properties = map[string]*Schema{}
		}
		p := b.property(f)
		s.Properties[f.Name] = p
		// With Implied, a field that has a default is required only if a marker requires it. If the
		// field were required without a marker, the struct around it could not have the default {}:
		// the API server checks required fields before it fills in nested defaults, so it would
		// reject {}.
		if b.required(f) && (p.Default == nil || !b.Implied || markers.Has(f.Markers, "required")) {
			s.Required = append(s.Required, f.Name)
		}
	}
	slices.Sort(s.Required)
	b.embedded(s, t, owner)
	return s
}

// schemaless reports whether the schema of a field comes only from markers on the field.
func schemaless(f *markers.Field) bool {
	return markers.Has(f.Markers, "kubebuilder:validation:Schemaless")
}

// embedded copies rules and markers from embedded structs to the struct that embeds them, as
// controller-gen does. It also orders CEL rules like controller-gen. The rules of the struct itself
// come first. The rules of the embedded structs follow, beginning with the last embedded struct. It
// drops the titles, examples and links of embedded fields.
func (b *structural) embedded(s *Schema, t *types.Struct, owner *types.TypeName) {
	for _, f := range b.src.Fields(t, owner) {
		if f.Name != "" {
			continue
		}
		inner := &Schema{}
		if !schemaless(f) {
			inner = b.schemaOf(f.Type)
		}
		if all := append(slices.Clone(inner.rules()), s.rules()...); len(all) > 0 {
			s.set(celRules, all)
		}
		for _, name := range []string{"x-kubernetes-preserve-unknown-fields", "x-kubernetes-map-type"} {
			if v, ok := inner.X[name]; ok {
				s.set(name, v)
			}
		}
		merge(s, &Schema{Bounds: inner.Bounds})
		title, example, link := s.Title, s.Example, s.X["externalDocs"]
		b.apply(s, f.Markers, f.Type)
		s.Title, s.Example = title, example
		if delete(s.X, "externalDocs"); link != nil {
			s.set("externalDocs", link)
		}
	}
}

// required reports whether a field is required according to the rules of controller-gen. A
// marker on the field takes precedence over a marker on the package. If there is no marker, a
// field is required if Go always sends it.
func (b *structural) required(f *markers.Field) bool {
	for _, own := range []bool{true, false} {
		for _, name := range []string{"optional", "required"} {
			if slices.ContainsFunc(f.Markers, func(m markers.Marker) bool {
				return m.Name == name && own == strings.HasPrefix(m.Spelled, "kubebuilder:")
			}) {
				return name == "required"
			}
		}
	}
	if f.Var.Pkg() != nil {
		if p, ok := b.src.Package(f.Var.Pkg().Path()); ok && markers.Has(p.Markers(), "optional") {
			return false
		}
	}
	return !f.OmitEmpty && !f.OmitZero
}

func (b *structural) property(f *markers.Field) *Schema {
	var s *Schema
	switch {
	case schemaless(f):
		s = &Schema{}
	case f.Quoted:
		s = &Schema{Type: "string"}
	default:
		s = b.schemaOf(f.Type).clone()
	}
	s.Default, s.Implied = nil, false
	b.describe(s, f.Doc)
	b.apply(s, f.Markers, f.Type)
	b.notEmpty(s, f)
	transitions(b.src, s, f)
	all := append(slices.Clone(f.Markers), b.src.NamedMarkers(f.Type)...)
	keys := markers.Each(all, "listMapKey")
	if s.X["x-kubernetes-list-type"] == "map" && s.Items != nil {
		b.keys(s, keys, f.Type)
	}
	d := b.src.Default(f)
	switch {
	case d == nil:
	case d.Marker != nil:
		s.Default = d.Value
	case !b.Implied || markers.Has(f.Markers, "required") || !admits(s, d.Value):
		// Drop an implied default that may be invalid, or that would make a field optional
		// although a marker requires it.
	default:
		s.Default, s.Implied = d.Value, true
	}
	return s
}

// notEmpty sets a minimum length of 1 for a string, list or map with +k8s:required that is
// not a pointer. Declarative validation treats empty values of such a field as absent.
func (b *structural) notEmpty(s *Schema, f *markers.Field) {
	bound, ok := b.src.NotEmpty(f)
	if !ok || !s.allowsBound(bound) {
		return
	}
	if least, ok := s.Bounds[bound].(int64); !ok || least < 1 && !markers.Has(f.Markers, "kubebuilder:validation:"+strings.ToUpper(bound[:1])+bound[1:]) {
		s.bound(bound, int64(1))
	}
}

// keys adapts the key fields in the items of a list. It replaces the schema of the items with a
// changed copy. Key fields lose their implied defaults, because an item without a key would
// otherwise silently get the default key. Key fields become immutable if the rules of the list
// forbid adding or removing items. Items of a recursive type get at least their key fields,
// because the API server rejects a list without them.
func (b *structural) keys(s *Schema, keys []*markers.Marker, list types.Type) {
	items := s.Items.clone()
	if items.Properties == nil {
		b.keysAlone(items, keys, list)
	}
	for _, k := range keys {
		name := strings.Trim(k.Value, `"`)
		p := items.Properties[name]
		if p == nil {
			continue
		}
		p = p.clone()
		if p.Implied {
			p.Default, p.Implied = nil, false
			items.Required = append(items.Required, name)
			slices.Sort(items.Required)
		}
		if pinsKeys(s) {
			p.set(schema.Immutable.Extension(), true)
		}
		items.Properties[name] = p
	}
	s.Items = items
}

// keysAlone adds the key fields to items that have no fields.
func (b *structural) keysAlone(items *Schema, keys []*markers.Marker, list types.Type) {
	elem, _ := markers.Elem(list)
	st, ok := markers.Deref(elem).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for _, f := range b.src.FlatExcept(st, markers.NameOf(markers.Deref(elem)), schemaless) {
		if !slices.ContainsFunc(keys, func(k *markers.Marker) bool { return strings.Trim(k.Value, `"`) == f.Name }) {
			continue
		}
		if items.Properties == nil {
			items.Properties = map[string]*Schema{}
		}
		p := b.property(f)
		items.Properties[f.Name] = p
		if b.required(f) && (p.Default == nil || !b.Implied) {
			items.Required = append(items.Required, f.Name)
		}
	}
	slices.Sort(items.Required)
}

// admits reports whether the schema certainly accepts the zero value v. If admits returns false,
// the field gets no implied default, although the schema may still accept v.
func admits(s *Schema, v any) bool {
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return markers.JSON(e) == markers.JSON(v) }) {
		return false
	}
	if s.X[celRules] != nil || s.X["x-kubernetes-embedded-resource"] != nil || len(s.AllOf)+len(s.OneOf) > 0 {
		return false
	}
	m, isObject := v.(map[string]any)
	if !isObject {
		// An empty string may violate a pattern or format, and zero may violate a minimum. maxLength is
		// the only bound that no zero value violates.
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

// bounds maps validation markers to the schema keywords that they set.
var bounds = map[string]string{}

func init() {
	for _, name := range []string{"Minimum", "Maximum", "ExclusiveMinimum", "ExclusiveMaximum", "MultipleOf", "MinLength", "MaxLength",
		"Pattern", "MinItems", "MaxItems", "UniqueItems", "MinProperties", "MaxProperties"} {
		bounds["kubebuilder:validation:"+name] = strings.ToLower(name[:1]) + name[1:]
	}
}

// apply applies markers to a schema. If the schema already has a bound with the same
// keyword but a different value, both bounds go into an allOf.
func (b *structural) apply(s *Schema, all []markers.Marker, t types.Type) {
	added := &Schema{}
	for _, first := range []bool{true, false} {
		for i := range all {
			m := &all[i]
			early := m.Name == "kubebuilder:validation:Type" || m.Name == "kubebuilder:validation:XIntOrString"
			if early != first || strings.HasPrefix(m.Name, markers.ItemsPrefix) || strings.HasPrefix(m.Name, markers.EachPrefix) {
				continue
			}
			b.applyMarker(s, added, m.Name, m)
		}
	}
	if markers.IsTagged(all, "k8s:enum") && added.Enum == nil {
		if e := b.src.Enum(t); e != nil {
			added.Enum = e.Sorted()
		}
	}
	merge(s, added)
	topology(s, all)
	delete(s.X, "x-kubernetes-patch-strategy") // allowed only for built-in types, not in CRDs
	delete(s.X, "x-kubernetes-patch-merge-key")
	if s.X["x-kubernetes-list-type"] != "map" {
		delete(s.X, "x-kubernetes-list-map-keys") // the API server allows list keys only on lists of type map
	}
	b.oneOf(s, all)
	b.items(s, all)
}

// items applies the markers that apply to the items of a list or the values of a map.
func (b *structural) items(s *Schema, all []markers.Marker) {
	var each, added *Schema
	for i := range all {
		rest, ok := strings.CutPrefix(all[i].Name, markers.ItemsPrefix)
		if ok && s.Items == nil {
			continue // markers.Check reports this marker
		}
		if !ok {
			rest, ok = strings.CutPrefix(all[i].Name, markers.EachPrefix)
		}
		if !ok || rest == "immutable" {
			continue
		}
		if added == nil {
			added, each = &Schema{}, s.copyElement()
		}
		if each != nil {
			b.applyMarker(each, added, "kubebuilder:validation:"+rest, &all[i])
		}
	}
	if each != nil {
		merge(each, added)
	}
}

// applyMarker applies one marker to the schema s. It collects bounds and enum values in added,
// which the caller then merges into s. All other markers change s directly.
func (b *structural) applyMarker(s, added *Schema, name string, m *markers.Marker) {
	v, err := m.Decode()
	if err != nil {
		return
	}
	if bound, ok := bounds[name]; ok {
		if s.allowsBound(bound) {
			added.bound(bound, v)
		}
		return
	}
	switch name {
	case "nullable":
		s.Nullable = true
	case "kubebuilder:title":
		s.Title, _ = v.(string)
	case "kubebuilder:externalDocs":
		link := v.(map[string]any)
		if link["description"] == "" {
			delete(link, "description")
		}
		s.set("externalDocs", link)
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

// allowsBound reports whether the type of the schema can have the given bound.
func (s *Schema) allowsBound(bound string) bool {
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

const celRules = "x-kubernetes-validations"

func (s *Schema) rules() []any {
	all, _ := s.X[celRules].([]any)
	return all
}

func (s *Schema) rule(r map[string]any) { s.set(celRules, append(slices.Clone(s.rules()), r)) }

// oneOf adds the CEL rules for +kubebuilder:validation:AtMostOneOf, ExactlyOneOf and
// AtLeastOneOf.
func (b *structural) oneOf(s *Schema, all []markers.Marker) {
	for _, c := range []struct{ name, each, between, compare, message string }{
		{"AtMostOneOf", "(has(self.%v)?1:0)", "+", " <= 1", "at most one of the fields in %v may be set"},
		{"ExactlyOneOf", "(has(self.%v)?1:0)", "+", " == 1", "exactly one of the fields in %v must be set"},
		{"AtLeastOneOf", "has(self.%v)", "||", "", "at least one of the fields in %v must be set"},
	} {
		for _, m := range markers.Each(all, "kubebuilder:validation:"+c.name) {
			v, err := m.Decode()
			if err != nil {
				continue
			}
			var has []string
			names := v.([]any)
			for _, n := range names {
				has = append(has, fmt.Sprintf(c.each, n))
			}
			s.rule(map[string]any{
				"rule":    strings.Join(has, c.between) + c.compare,
				"message": fmt.Sprintf(c.message, names),
			})
		}
	}
}

// merge copies the bounds and enum values of added into s. If s already has a different value
// for a keyword, both values become branches of an allOf.
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
