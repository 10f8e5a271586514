// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"encoding/base64"
	"fmt"
	"go/types"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

// literal returns a Go expression for the JSON value v, which must fit type t. Each evaluation of
// the expression creates a new value. If typed is true, the expression includes its type, as in
// int32(5). This is for places where Go cannot infer the type.
func (g *defaulter) literal(v any, t types.Type, quoted, typed bool) string {
	t = types.Unalias(t)
	if v == nil {
		return "nil"
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		text := g.pointer(v, p.Elem(), quoted)
		if _, named := t.(*types.Named); named {
			return g.f.typeText(t) + "(" + text + ")"
		}
		return text
	}
	if quoted {
		if inner, err := markers.ParseJSON(fmt.Sprint(v)); err == nil {
			v = inner
		}
	}
	convert := func(text string) string {
		if typed {
			return g.f.typeText(t) + "(" + text + ")"
		}
		return text
	}
	switch g.src.Shape(t) {
	case markers.Custom:
		return g.parsedLiteral(v, t)
	case markers.Bytes:
		text, err := base64.StdEncoding.DecodeString(v.(string))
		if err != nil {
			g.fail("%s is not valid base64: %w", v, err)
		}
		return g.f.typeText(t) + "(" + strconv.Quote(string(text)) + ")"
	case markers.List:
		elem, _ := markers.Elem(t)
		var items []string
		for _, item := range v.([]any) {
			items = append(items, g.element(item, elem))
		}
		return g.f.typeText(t) + "{" + strings.Join(items, ", ") + "}"
	case markers.Map:
		return g.mapLiteral(v.(map[string]any), t)
	case markers.Struct:
		return g.structLiteral(v.(map[string]any), t)
	case markers.Any:
		return plainLiteral(v)
	case markers.String:
		return convert(strconv.Quote(v.(string)))
	case markers.Boolean:
		return convert(strconv.FormatBool(v.(bool)))
	}
	if f, ok := v.(float64); ok {
		return convert(strconv.FormatFloat(f, 'g', -1, 64))
	}
	return convert(fmt.Sprint(v))
}

// element returns the literal of a list item or map value, whose type follows from the context.
func (g *defaulter) element(v any, t types.Type) string { return g.literal(v, t, false, false) }

func (g *defaulter) pointer(v any, elem types.Type, quoted bool) string {
	switch g.src.Shape(elem) {
	case markers.Struct, markers.Map, markers.List:
		if _, deeper := elem.Underlying().(*types.Pointer); !deeper {
			return "&" + g.literal(v, elem, quoted, true)
		}
	}
	g.needs.pointer = true
	return fmt.Sprintf("%s[%s](%s)", g.helper("defaultPointer"), g.f.typeText(elem), g.literal(v, elem, quoted, false))
}

func (g *defaulter) mapLiteral(m map[string]any, t types.Type) string {
	u := t.Underlying().(*types.Map)
	b, ok := u.Key().Underlying().(*types.Basic)
	if !ok || g.src.HasMethod(u.Key(), "UnmarshalText") {
		return g.parsedLiteral(m, t)
	}
	var entries []string
	for _, k := range sortedKeys(m) {
		name := strconv.Quote(k)
		if b.Info()&types.IsInteger != 0 {
			name = k
		}
		entries = append(entries, name+": "+g.element(m[k], u.Elem()))
	}
	return g.f.typeText(t) + "{" + strings.Join(entries, ", ") + "}"
}

func (g *defaulter) structLiteral(m map[string]any, t types.Type) string {
	if named, ok := t.(*types.Named); ok && !g.nameable(named) {
		g.fail("a default has a value of type %s, which package %s cannot refer to", key(t), g.pkg.Path)
	}
	var fields []string
	for _, f := range g.src.Fields(t.Underlying().(*types.Struct), markers.NameOf(t)) {
		if f.Name != "" {
			if v, ok := m[f.Name]; ok && v != nil {
				fields = append(fields, f.Go+": "+g.literal(v, f.Type, f.Quoted, false))
			}
			continue
		}
		inner := markers.Deref(f.Type)
		part := map[string]any{}
		for _, e := range g.src.Flat(inner.Underlying().(*types.Struct), markers.NameOf(inner)) {
			if v, ok := m[e.Name]; ok {
				part[e.Name] = v
			}
		}
		if len(part) > 0 {
			fields = append(fields, f.Go+": "+g.literal(part, f.Type, false, true))
		}
	}
	return g.f.typeText(t) + "{" + strings.Join(fields, ", ") + "}"
}

// parsedLiteral returns a Go expression for a value whose type has its own JSON methods. The
// generated program parses the value when it starts, and copies it for each use. If the type
// cannot be copied, the program parses the value each time.
func (g *defaulter) parsedLiteral(v any, t types.Type) string {
	text := markers.JSON(v)
	name := g.f.typeText(t)
	g.needs.parse = true
	parse := fmt.Sprintf("%s[%s](%s)", g.helper("defaultParsed"), name, quote(text))
	copied := ""
	switch {
	case plainCopy(t, 0):
	case copyMethod(t) == 1:
		copied = "%s.DeepCopy()"
	case copyMethod(t) == 2:
		copied = "*%s.DeepCopy()"
	default:
		return parse
	}
	id := name + " " + text
	variable, ok := g.parsed[id]
	if !ok {
		variable = g.unusedName(fmt.Sprintf("default%d", len(g.parsed)+1))
		g.parsed[id] = variable
		g.parsedOrder = append(g.parsedOrder, fmt.Sprintf("%s = %s", variable, parse))
	}
	if copied == "" {
		return variable
	}
	return fmt.Sprintf(copied, variable)
}

func quote(text string) string {
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// plainCopy reports whether an assignment copies a value of type t completely.
func plainCopy(t types.Type, depth int) bool {
	if o := markers.NameOf(t); o != nil && markers.PathName(o) == "time.Time" {
		return true
	}
	if depth > 20 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Array:
		return plainCopy(u.Elem(), depth+1)
	case *types.Struct:
		for i := range u.NumFields() {
			if !plainCopy(u.Field(i).Type(), depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// copyMethod looks for a DeepCopy method. It returns 1 if the method returns a value, 2 if it
// returns a pointer, and 0 if there is no such method.
func copyMethod(t types.Type) int {
	o, _, _ := types.LookupFieldOrMethod(t, true, nil, "DeepCopy")
	f, ok := o.(*types.Func)
	if !ok || f.Signature().Params().Len() != 0 || f.Signature().Results().Len() != 1 {
		return 0
	}
	switch r := f.Signature().Results().At(0).Type(); {
	case types.Identical(r, t):
		return 1
	case types.Identical(r, types.NewPointer(t)):
		return 2
	}
	return 0
}

// helper returns the name of a helper function in the generated file. If the package already has
// a function with this name, it adds an underscore.
func (g *defaulter) helper(name string) string {
	if _, taken := g.pkg.Func(name); taken {
		return name + "_"
	}
	return name
}

// helpers writes the functions and variables that the generated functions use.
func (g *defaulter) helpers() {
	if len(g.parsedOrder) > 0 {
		g.f.printf("\n// Parsed defaults, which are copied for each use.\nvar (\n%s\n)\n", strings.Join(g.parsedOrder, "\n"))
	}
	if g.needs.pointer {
		g.f.printf("\nfunc %s[T any](v T) *T { return &v }\n", g.helper("defaultPointer"))
	}
	if g.needs.zero {
		reflect := g.f.use("reflect", "reflect")
		g.f.printf("\nfunc %s[T any](v T) bool { return %s.ValueOf(&v).Elem().IsZero() }\n", g.helper("defaultIsZero"), reflect)
	}
	if g.needs.parse {
		json := g.f.use("encoding/json", "json")
		g.f.printf("\nfunc %s[T any](text string) (v T) {\nif err := %s.Unmarshal([]byte(text), &v); err != nil {\npanic(\"the default \" + text + \": \" + err.Error())\n}\nreturn v\n}\n", g.helper("defaultParsed"), json)
	}
}
