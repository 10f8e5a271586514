// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"strconv"
)

// Shape classifies Go types by how encoding/json encodes them.
type Shape int

const (
	// Unfit types cannot be represented in JSON. These are channels, functions, complex
	// numbers, and maps whose keys are not strings, integers or text marshalers.
	Unfit Shape = iota
	String
	Boolean
	Integer
	Number
	// Bytes are encoded as a base64 string.
	Bytes
	List
	Map
	Struct
	// Any is an interface type.
	Any
	// Custom types have their own JSON methods.
	Custom
)

// Known describes how a type that has its own JSON methods is encoded.
type Known struct {
	// Type and Format are the OpenAPI type and format. Both are empty if every JSON value is
	// allowed.
	Type, Format string
	// IntOrString is true if a value can be an integer or a string.
	IntOrString bool
	// Pattern is the pattern that controller-gen adds to the schema, or "".
	Pattern string
	// Preserve is true for objects with arbitrary fields.
	Preserve bool
}

const (
	meta       = "k8s.io/apimachinery/pkg/apis/meta/v1."
	quantityRE = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
)

// knownTypes describes well-known types of Kubernetes and Go that have their own JSON
// methods.
var knownTypes = map[string]Known{
	"time.Time":        {Type: "string", Format: "date-time"},
	meta + "Time":      {Type: "string", Format: "date-time"},
	meta + "MicroTime": {Type: "string", Format: "date-time"},
	meta + "Duration":  {Type: "string"},
	meta + "FieldsV1":  {Type: "object", Preserve: true},
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                    {Type: "string", Format: "int-or-string", IntOrString: true},
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                      {Type: "string", IntOrString: true, Pattern: quantityRE},
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                       {Type: "object", Preserve: true},
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":      {Preserve: true},
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1.JSON": {Preserve: true},
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.Unstructured":     {Type: "object", Preserve: true},
	"encoding/json.Number":     {Type: "number"},
	"encoding/json.RawMessage": {Preserve: true},
}

// PathName returns the name of a type, prefixed with the path of its package.
func PathName(o *types.TypeName) string {
	if o.Pkg() == nil {
		return o.Name()
	}
	return o.Pkg().Path() + "." + o.Name()
}

// Shape returns the Shape of a type. A pointer has the Shape of the type to which it points.
func (s *Source) Shape(t types.Type) Shape {
	t = Deref(t)
	named, ok := t.(*types.Named)
	if !ok {
		return s.shape(t)
	}
	shape, known := s.cache.shapes[named]
	if !known {
		shape = s.shape(t)
		s.cache.shapes[named] = shape
	}
	return shape
}

func (s *Source) shape(t types.Type) Shape {
	if s.converts(t) {
		return Custom
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		// An invalid type, such as a pointer to itself, matches none of these cases.
		switch i := u.Info(); {
		case i&types.IsString != 0:
			return String
		case i&types.IsBoolean != 0:
			return Boolean
		case i&types.IsInteger != 0:
			return Integer
		case i&types.IsFloat != 0:
			return Number
		}
	case *types.Slice:
		if isByte(u.Elem()) {
			return Bytes
		}
		return List
	case *types.Array:
		return List
	case *types.Map:
		if s.keyShape(u.Key()) {
			return Map
		}
	case *types.Struct:
		return Struct
	case *types.Interface:
		return Any
	}
	return Unfit
}

// keyShape reports whether values of type t can be keys of a JSON object.
func (s *Source) keyShape(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsString|types.IsInteger) != 0 || hasMethod(t, "MarshalText")
}

func isByte(t types.Type) bool {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8 && !hasMethod(t, "MarshalJSON") && !hasMethod(t, "MarshalText")
}

// converts reports whether a type has its own JSON methods.
func (s *Source) converts(t types.Type) bool {
	if o := NameOf(t); o != nil {
		if IsKnown(PathName(o)) {
			return true
		}
	}
	if _, ok := t.Underlying().(*types.Interface); ok {
		return false
	}
	return hasMethod(t, "MarshalJSON") || hasMethod(t, "UnmarshalJSON") || hasMethod(t, "MarshalText")
}

func hasMethod(t types.Type, name string) bool {
	if NameOf(t) == nil && !isStruct(t) {
		return false
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := o.(*types.Func)
	return ok
}

// IsKnown reports whether name, which includes the package path, is the name of a well-known
// type with its own JSON methods.
func IsKnown(name string) bool {
	_, ok := knownTypes[name]
	return ok
}

// Known returns a description of how a type that has its own JSON methods is encoded. For types
// that are not well known, it reads the constants that the methods OpenAPISchemaType and
// OpenAPISchemaFormat return. It returns false if it finds nothing.
func (s *Source) Known(t types.Type) (Known, bool) {
	o := NameOf(Deref(t))
	if o == nil {
		return Known{}, false
	}
	k, ok := knownTypes[PathName(o)]
	if ok {
		return k, true
	}
	names, found := s.returned(o, "OpenAPISchemaType")
	if !found || len(names) == 0 {
		if hasMethod(Deref(t), "MarshalText") && !hasMethod(Deref(t), "MarshalJSON") {
			return Known{Type: "string"}, true
		}
		return Known{}, false
	}
	format, _ := s.returned(o, "OpenAPISchemaFormat")
	k = Known{Type: names[0]}
	if len(format) > 0 {
		k.Format = format[0]
	}
	return k, true
}

// ModelName returns the OpenAPI name that the OpenAPIModelName method of a type returns. It
// returns false if there is no such method.
func (s *Source) ModelName(o *types.TypeName) (string, bool) {
	names, ok := s.returned(o, "OpenAPIModelName")
	if !ok || len(names) != 1 {
		return "", false
	}
	return names[0], true
}

// HasMethod reports whether a type, or a pointer to it, has a method with the given name.
func (s *Source) HasMethod(t types.Type, name string) bool { return hasMethod(Deref(t), name) }

// returned returns the strings that a method returns. It can read only a method that consists of a
// single return statement with string literals, or with a list of string literals. For any other
// method, ok is false.
func (s *Source) returned(o *types.TypeName, method string) (texts []string, ok bool) {
	p := s.packageOf(o)
	if p == nil {
		return nil, false
	}
	f := p.indexed().funcs[o.Name()+"."+method]
	if f == nil || f.Body == nil || len(f.Body.List) != 1 {
		return nil, false
	}
	r, ok := f.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return nil, false
	}
	elements := []ast.Expr{r.Results[0]}
	if c, ok := r.Results[0].(*ast.CompositeLit); ok {
		elements = c.Elts
	}
	for _, e := range elements {
		l, ok := e.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return nil, ok
		}
		text, err := strconv.Unquote(l.Value)
		if err != nil {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}

// integerBounds returns the minimum and the maximum of an integer type.
func integerBounds(b *types.Basic) (least int64, most uint64) {
	switch b.Kind() {
	case types.Int8:
		return math.MinInt8, math.MaxInt8
	case types.Int16:
		return math.MinInt16, math.MaxInt16
	case types.Int32:
		return math.MinInt32, math.MaxInt32
	case types.Uint8:
		return 0, math.MaxUint8
	case types.Uint16:
		return 0, math.MaxUint16
	case types.Uint32:
		return 0, math.MaxUint32
	case types.Uint, types.Uint64, types.Uintptr:
		return 0, math.MaxUint64
	}
	return math.MinInt64, math.MaxInt64
}
