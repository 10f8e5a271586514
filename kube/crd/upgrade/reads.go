// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"k8s.io/apiserver/pkg/cel"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// field is a field of a schema. path is its path in objects, such as .spec.name, and name is the last
// step of the path.
type field struct {
	path, name string
	node       *tree.Node
}

func fieldPaths(fields []field) string {
	paths := make([]string, len(fields))
	for i, f := range fields {
		paths[i] = f.path
	}
	return strings.Join(paths, ", ")
}

// readFields returns those of the given fields that a rule of the schema host may read. If readFields
// does not know the schema of an object in the rule, it compares fields of the object only by name. If
// a rule reads a whole object, the result does not contain the fields inside.
func readFields(r tree.Rule, host *tree.Node, fields []field) (read []field) {
	if len(fields) == 0 {
		return nil
	}
	e, ok := parse(r)
	if !ok {
		return fields
	}
	v := &fieldReader{fields: fields, read: make([]bool, len(fields)), vars: map[string]*tree.Node{"self": host, "oldSelf": host}}
	v.expression(e)
	for i, f := range fields {
		if v.read[i] {
			read = append(read, f)
		}
	}
	return read
}

// fieldReader finds the fields that an expression reads.
type fieldReader struct {
	fields []field
	read   []bool // for each of the fields
	// vars contains the schema of each variable, or nil if it is not known.
	vars map[string]*tree.Node
}

// expression marks the fields that an expression reads. It returns the schema of the value of the
// expression, or nil if it is not known.
func (v *fieldReader) expression(e ast.Expr) *tree.Node {
	switch e.Kind() {
	case ast.IdentKind:
		return v.mark(v.vars[e.AsIdent()])
	case ast.SelectKind:
		return v.field(v.expression(e.AsSelect().Operand()), e.AsSelect().FieldName())
	case ast.ListKind:
		for _, item := range e.AsList().Elements() {
			v.expression(item)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			v.expression(entry.AsMapEntry().Key())
			v.expression(entry.AsMapEntry().Value())
		}
	case ast.CallKind:
		return v.call(e.AsCall())
	}
	return nil
}

func (v *fieldReader) call(c ast.CallExpr) *tree.Node {
	args := c.Args()
	var target *tree.Node
	if c.IsMemberFunction() {
		target = v.expression(c.Target())
	}
	switch name := c.FunctionName(); name {
	case operators.OptSelect:
		if text, ok := args[1].AsLiteral().Value().(string); ok {
			return v.field(v.expression(args[0]), text)
		}
	case operators.Index, operators.OptIndex:
		v.expression(args[1])
		return v.mark(element(v.expression(args[0])))
	case "value", "orValue", "or":
		v.all(args)
		return target
	default:
		if !c.IsMemberFunction() || len(args) < 2 || args[0].Kind() != ast.IdentKind {
			break
		}
		// This is a macro: its first arguments are variables. With two variables, the second one is the
		// item or the value.
		outer := v.vars
		v.vars = maps.Clone(outer)
		v.vars[args[0].AsIdent()] = nil
		switch second := args[1]; {
		case len(args) > 2 && second.Kind() == ast.IdentKind:
			v.vars[second.AsIdent()] = element(target)
		case target != nil && target.Items != nil:
			v.vars[args[0].AsIdent()] = target.Items
		}
		v.all(args[1:])
		v.vars = outer
		if name == "filter" {
			return target
		}
		return nil
	}
	v.all(args)
	return nil
}

func (v *fieldReader) all(expressions []ast.Expr) {
	for _, e := range expressions {
		v.expression(e)
	}
}

// element returns the schema of the items of a list or the values of a map, or nil.
func element(n *tree.Node) *tree.Node {
	switch {
	case n == nil:
		return nil
	case n.Items != nil:
		return n.Items
	}
	return n.Additional
}

// field marks a field of an object, and returns its schema. name is the name in CEL. If the schema of
// the object is nil, field marks all fields with this name.
func (v *fieldReader) field(object *tree.Node, name string) *tree.Node {
	if object == nil {
		for i, f := range v.fields {
			v.read[i] = v.read[i] || celName(f.name) == name
		}
		return nil
	}
	for property, n := range object.Properties {
		if celName(property) == name {
			return v.mark(n)
		}
	}
	return v.mark(object.Additional)
}

func celName(property string) string {
	escaped, _ := cel.Escape(property)
	return escaped
}

// mark records that the expression reads a schema, and returns it.
func (v *fieldReader) mark(n *tree.Node) *tree.Node {
	if i := slices.IndexFunc(v.fields, func(f field) bool { return n != nil && f.node == n }); i >= 0 {
		v.read[i] = true
	}
	return n
}
