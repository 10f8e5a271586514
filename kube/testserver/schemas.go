// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
)

// schemas converts types of package openapi to OpenAPI schemas. It also converts
// CustomResourceDefinitions.
type schemas struct {
	refs string // the prefix of references
	made map[string]any
}

// add adds all types of a merge schema.
func (d *schemas) add(s *schema.Schema) {
	for i := range s.Types {
		t := &s.Types[i]
		if _, there := d.made[t.Name]; !there && !strings.HasPrefix(t.Name, "__untyped") {
			d.made[t.Name] = d.atom(&t.Atom, goStructs()[t.Name])
			if text := d.text(t.Name); text != nil {
				d.made[t.Name] = text
			}
		}
	}
}

// text returns the schema of a few types that are strings or numbers in JSON, although merge
// schemas declare them as untyped. For any other type, it returns nil.
func (d *schemas) text(name string) map[string]any {
	or := func(kind, format string) map[string]any {
		s := map[string]any{"type": "string"}
		if d.isV3() {
			s = map[string]any{"oneOf": []any{map[string]any{"type": kind}, map[string]any{"type": "string"}}}
		}
		if format != "" {
			s["format"] = format
		}
		return s
	}
	switch name {
	case "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", "io.k8s.apimachinery.pkg.apis.meta.v1.Time":
		return map[string]any{"type": "string", "format": "date-time"}
	case "io.k8s.apimachinery.pkg.util.intstr.IntOrString":
		return or("integer", "int-or-string")
	case "io.k8s.apimachinery.pkg.api.resource.Quantity":
		return or("number", "")
	}
	return nil
}

// atom returns the OpenAPI schema of a type. Details such as number formats come from the
// corresponding Go type. goType is nil if the Go type is not known.
func (d *schemas) atom(a *schema.Atom, goType reflect.Type) map[string]any {
	s := map[string]any{}
	switch {
	case a.Map != nil && a.List == nil && a.Scalar == nil:
		d.object(s, a.Map, goType)
	case a.List != nil && a.Map == nil && a.Scalar == nil:
		s["type"] = "array"
		s["items"] = d.ref(a.List.ElementType, a.List.ElementDefault, elementOf(goType))
		switch {
		case a.List.ElementRelationship.IsAtomic():
			s["x-kubernetes-list-type"] = "atomic"
		case len(a.List.Keys) > 0:
			s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"] = "map", a.List.Keys
		default:
			s["x-kubernetes-list-type"] = "set"
		}
	case a.Scalar != nil && a.Map == nil && a.List == nil:
		scalar(s, *a.Scalar, goType)
	}
	return s
}

func (d *schemas) object(s map[string]any, m *schema.Map, goType reflect.Type) {
	s["type"] = "object"
	properties := map[string]any{}
	for i := range m.Fields {
		f := &m.Fields[i]
		of, tags := fieldOf(goType, f.Name)
		p := d.ref(f.Type, f.Default, of)
		if strategy := tags.Get("patchStrategy"); strategy != "" {
			p["x-kubernetes-patch-strategy"] = strategy
		}
		if key := tags.Get("patchMergeKey"); key != "" {
			p["x-kubernetes-patch-merge-key"] = key
		}
		properties[f.Name] = p
	}
	if len(properties) > 0 {
		s["properties"] = properties
	}
	if len(m.Required) > 0 {
		s["required"] = m.Required
	}
	if m.ElementType.NamedType != nil || m.ElementType.Inlined != (schema.Atom{}) {
		s["additionalProperties"] = d.ref(m.ElementType, m.ElementDefault, elementOf(goType))
	}
	if m.ElementRelationship.IsAtomic() {
		s["x-kubernetes-map-type"] = "atomic"
	}
}

// scalar sets the type of a scalar in the schema s. The number format comes from the Go type. goType
// is nil if the Go type is not known.
func scalar(s map[string]any, kind schema.Scalar, goType reflect.Type) {
	for goType != nil && goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	of := reflect.Invalid
	if goType != nil {
		of = goType.Kind()
	}
	switch kind {
	case schema.Numeric:
		s["type"] = "number"
		switch {
		case of == reflect.Int32:
			s["type"], s["format"] = "integer", "int32"
		case reflect.Int <= of && of <= reflect.Uint64:
			s["type"], s["format"] = "integer", "int64"
		case of == reflect.Float64:
			s["format"] = "double"
		}
	case schema.String, schema.Boolean:
		s["type"] = string(kind)
		if kind == schema.String && of == reflect.Slice {
			s["format"] = "byte"
		}
	}
}

// refTo returns a reference to a type.
func (d *schemas) refTo(name string) map[string]any {
	to := map[string]any{"$ref": d.refs + name}
	if d.isV3() { // in OpenAPI v3, other fields are not allowed next to $ref
		return map[string]any{"allOf": []any{to}}
	}
	return to
}

// ref returns the schema of a field or item of the type r. The argument standard is the default of the
// field or item, or nil.
func (d *schemas) ref(r schema.TypeRef, standard any, goType reflect.Type) map[string]any {
	var s map[string]any
	switch {
	case r.NamedType == nil:
		s = d.atom(&r.Inlined, goType)
	case strings.HasPrefix(*r.NamedType, "__untyped"):
		s = map[string]any{}
	default:
		s = d.refTo(*r.NamedType)
	}
	if standard != nil && d.isV3() { // API servers publish no defaults in OpenAPI v2
		s["default"] = standard
	}
	if rel := r.ElementRelationship; rel != nil && rel.IsAtomic() {
		s["x-kubernetes-map-type"] = "atomic"
	}
	return s
}

// goStructs maps definition names to the Go structs of built-in types.
var goStructs = sync.OnceValue(func() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return
		}
		name := definitionOf(t)
		if _, there := all[name]; there || !openapi.IsKubernetes(name) {
			return
		}
		all[name] = t
		for i := range t.NumField() {
			add(t.Field(i).Type)
		}
	}
	for _, t := range goTypes().AllKnownTypes() {
		add(t)
	}
	return all
})

// definitionOf returns the name of a Go type's definition. For k8s.io/api/core/v1.Pod, it
// is io.k8s.api.core.v1.Pod.
func definitionOf(t reflect.Type) string {
	rest, ok := strings.CutPrefix(t.PkgPath(), "k8s.io/")
	if !ok {
		return ""
	}
	return "io.k8s." + strings.ReplaceAll(rest, "/", ".") + "." + t.Name()
}

// elementOf returns the element type of a list or map type. It returns nil if t is nil or has
// another type.
func elementOf(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map) {
		return t.Elem()
	}
	return nil
}

// fieldOf returns the type and the tags of the struct field with the given JSON name.
func fieldOf(t reflect.Type, name string) (reflect.Type, reflect.StructTag) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil, ""
	}
	for i := range t.NumField() {
		f := t.Field(i)
		called, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if called == name {
			return f.Type, f.Tag
		}
		if called == "" && f.Anonymous {
			if goType, tags := fieldOf(f.Type, name); goType != nil {
				return goType, tags
			}
		}
	}
	return nil, ""
}

// The following functions create the OpenAPI schemas of custom resources. Such a schema is the
// schema in the CustomResourceDefinition, plus the fields that every object has. In OpenAPI v2, API
// servers omit the parts that kubectl cannot read.

// isV3 reports whether these are schemas of OpenAPI v3.
func (d *schemas) isV3() bool { return strings.HasPrefix(d.refs, "#/components") }

// custom returns the schema of a custom resource.
func (d *schemas) custom(r *resource) map[string]any {
	var s map[string]any
	spec, _ := r.custom.Object().Content["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	for _, v := range versions {
		if v, _ := v.(map[string]any); v["name"] == r.version {
			s, _ = at(v, "schema", "openAPIV3Schema").(map[string]any)
		}
	}
	preserves := s["x-kubernetes-preserve-unknown-fields"] == true || spec["preserveUnknownFields"] == true
	if s == nil || preserves && !d.isV3() {
		return map[string]any{"type": "object"}
	}
	s = runtime.DeepCopyJSON(s)
	d.publish(s)
	d.addObject(s)
	return s
}

// addObject adds fields to a schema: apiVersion, kind and metadata, which every object has.
func (d *schemas) addObject(s map[string]any) {
	properties, _ := s["properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
		s["properties"] = properties
	}
	properties["apiVersion"] = map[string]any{"type": "string", "description": "The version of the API that the object is written in."}
	properties["kind"] = map[string]any{"type": "string", "description": "The kind of the object."}
	metadata := d.refTo("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
	metadata["description"] = "The metadata that every object has."
	properties["metadata"] = metadata
}

// publish changes a schema, and all schemas inside it, to the form in which API servers publish
// them.
func (d *schemas) publish(s map[string]any) {
	preserves := s["x-kubernetes-preserve-unknown-fields"] == true
	if !d.isV3() {
		forVersion2(s, preserves)
	} else if s["x-kubernetes-int-or-string"] == true {
		allowBoth(s)
	}
	for _, below := range []any{s["items"], s["additionalProperties"]} {
		if below, ok := below.(map[string]any); ok {
			d.publish(below)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for _, p := range properties {
		if p, ok := p.(map[string]any); ok {
			d.publish(p)
		}
	}
	if s["x-kubernetes-embedded-resource"] != true || preserves && !d.isV3() {
		return
	}
	d.addObject(s)
	required, _ := s["required"].([]any)
	for _, name := range []any{"kind", "apiVersion"} {
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	s["required"] = required
}

// allowBoth makes a schema allow both integers and strings. If the schema already declares this,
// allowBoth changes nothing.
func allowBoth(s map[string]any) {
	both := []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}}
	allOf, _ := s["allOf"].([]any)
	switch {
	case reflect.DeepEqual(s["anyOf"], both):
	case len(allOf) > 0 && reflect.DeepEqual(allOf[0], map[string]any{"anyOf": both}):
	case s["anyOf"] == nil:
		s["anyOf"] = both
	default:
		s["allOf"] = append([]any{map[string]any{"anyOf": both}}, allOf...)
	}
}

// forVersion2 removes the parts of a schema that OpenAPI v2 does not have or that kubectl cannot
// read. preserves is true if the schema allows unknown fields.
func forVersion2(s map[string]any, preserves bool) {
	for _, name := range []string{"allOf", "anyOf", "oneOf", "not", "default"} {
		delete(s, name)
	}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	required = slices.DeleteFunc(required, func(name any) bool {
		text, _ := name.(string)
		return at(properties, text, "nullable") == true
	})
	if len(required) > 0 {
		s["required"] = required
	} else {
		delete(s, "required")
	}
	nullable := s["nullable"] == true
	if nullable {
		delete(s, "nullable")
		delete(s, "type")
	}
	if nullable || preserves {
		delete(s, "items")
		delete(s, "properties")
	}
	if preserves && s["type"] == "object" || s["items"] == nil && s["type"] == "array" {
		delete(s, "type")
	}
}
