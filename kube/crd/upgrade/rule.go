// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/parser"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// place is a field in both states of a schema.
type place struct{ old, now *tree.Node }

func (p *place) field(name string) (old, now *tree.Node) {
	if p == nil {
		return nil, nil
	}
	return p.old.Properties[name], p.now.Properties[name]
}

// absent says that no object has a field that the new state declares, since the old one
// has no place for it, whatever the version.
func (c *comparison) absent(p *place, name string) bool {
	if p == nil || p.now.Properties[name] == nil {
		return false
	}
	without := func(n *tree.Node) bool {
		return n.Kind == "object" && n.Properties[name] == nil && !isMap(n) && !n.Embedded
	}
	return without(p.old) && !slices.ContainsFunc(c.beside[p.old], func(n *tree.Node) bool { return !without(n) })
}

// present says that every object has a field: it is required, or has a default.
func present(p *place, name string) bool {
	old, now := p.field(name)
	if now == nil || now.Nullable {
		return false
	}
	return now.Def != nil || old != nil && !old.Nullable && slices.Contains(p.old.Required, name)
}

// harmless says that a rule takes every object that the old schema takes: it comes to true
// where fields that are new are absent and those that are required are there, or to what
// follows from an old rule.
func (c *comparison) harmless(r tree.Rule, a, b *tree.Node) bool {
	left, ok := c.residue(r, a, b)
	if !ok {
		return false
	}
	return left.value == true || slices.ContainsFunc(a.Rules, func(old tree.Rule) bool {
		was, ok := c.residue(old, a, b)
		return ok && old.OptionalOldSelf == r.OptionalOldSelf && implies(was, left)
	})
}

func (c *comparison) residue(r tree.Rule, a, b *tree.Node) (term, bool) {
	p, err := parser.NewParser(parser.Macros(), parser.EnableOptionalSyntax(true))
	if err != nil {
		return term{}, false
	}
	parsed, errs := p.Parse(common.NewTextSource(r.Text))
	if len(errs.GetErrors()) > 0 {
		return term{}, false
	}
	vars := map[string]*place{"self": {a, b}}
	if !r.OptionalOldSelf {
		vars["oldSelf"] = vars["self"]
	}
	return (&reduction{c, vars, nil}).reduce(parsed.Expr()), true
}

// implies says whether b is true where a is, as far as their forms tell.
func implies(a, b term) bool {
	follows := func(b term) bool { return implies(a, b) }
	leads := func(a term) bool { return implies(a, b) }
	switch {
	case a.text == b.text:
		return true
	case b.op == operators.LogicalAnd:
		return !slices.ContainsFunc(b.parts, func(t term) bool { return !follows(t) })
	case a.op == operators.LogicalOr:
		return !slices.ContainsFunc(a.parts, func(t term) bool { return !leads(t) })
	case b.op == operators.LogicalOr && slices.ContainsFunc(b.parts, follows):
		return true
	case a.op == operators.LogicalAnd:
		return slices.ContainsFunc(a.parts, leads)
	case a.op == operators.Equals && b.op == operators.In:
		return a.parts[0].text == b.parts[0].text && slices.ContainsFunc(b.parts[1].parts, func(t term) bool { return t.text == a.parts[1].text })
	case a.op != b.op || len(a.parts) != len(b.parts):
		return false
	case a.op == operators.LogicalNot:
		return b.parts[0].sure && implies(b.parts[0], a.parts[0])
	case a.op == operators.Conditional:
		cond, of := a.parts[0], b.parts[0]
		return (cond.text == of.text || b.parts[2].value == true && narrows(of, cond)) && implies(a.parts[1], b.parts[1]) && implies(a.parts[2], b.parts[2])
	case strings.HasPrefix(a.op, "all "), strings.HasPrefix(a.op, "exists "):
		return a.parts[0].text == b.parts[0].text && implies(a.parts[1], b.parts[1])
	case a.op == operators.In && b.parts[1].op == "list":
		return a.parts[0].text == b.parts[0].text && a.parts[1].op == "list" && !slices.ContainsFunc(a.parts[1].parts, func(t term) bool {
			return !slices.ContainsFunc(b.parts[1].parts, func(u term) bool { return u.text == t.text })
		})
	}
	return false
}

// narrows says whether a is b and more, which cannot fail.
func narrows(a, b term) bool {
	has := func(t, part term) bool {
		return t.text == part.text || t.op == operators.LogicalAnd && slices.ContainsFunc(t.parts, func(u term) bool { return u.text == part.text })
	}
	parts := []term{b}
	if b.op == operators.LogicalAnd {
		parts = b.parts
	}
	return a.op == operators.LogicalAnd && !slices.ContainsFunc(parts, func(p term) bool { return !has(a, p) }) &&
		!slices.ContainsFunc(a.parts, func(p term) bool { return !p.sure && !has(b, p) })
}

// term is what an expression comes to for all objects that the old schema takes.
type term struct {
	text  string
	op    string // what it is made with of parts, if that says anything
	parts []term
	value any    // a constant; nil if it is not known
	at    *place // what it stands for, if that is known
	sure  bool   // to evaluate it cannot fail
}

// made is a term of parts, which cannot fail if none of them can.
func made(op string, parts ...term) term {
	t := term{op: op, parts: parts, sure: true}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i], t.sure = p.text, t.sure && p.sure
	}
	t.text = op + "(" + strings.Join(texts, ", ") + ")"
	return t
}

func constant(v any) term { return term{text: fmt.Sprintf("%#v", v), value: v, sure: true} }

// reduction is where an expression stands: what the variables are, and which fields have
// been found to be there before it is evaluated.
type reduction struct {
	*comparison
	vars map[string]*place
	has  []string
}

func (r *reduction) reduce(e ast.Expr) term {
	switch e.Kind() {
	case ast.LiteralKind:
		switch v := e.AsLiteral().Value().(type) {
		case bool, int64, string:
			return constant(v)
		default:
			return term{text: fmt.Sprintf("%T %v", v, v), sure: true}
		}
	case ast.IdentKind:
		return term{text: e.AsIdent(), at: r.vars[e.AsIdent()], sure: true}
	case ast.SelectKind:
		return r.field(e)
	case ast.ListKind:
		var items []term
		for _, item := range e.AsList().Elements() {
			items = append(items, r.reduce(item))
		}
		return made("list", items...)
	case ast.CallKind:
		return r.call(e.AsCall())
	}
	return term{text: fmt.Sprintf("an expression %p", e)} // is not any other
}

func (r *reduction) field(e ast.Expr) term {
	s := e.AsSelect()
	of, name := r.reduce(s.Operand()), s.FieldName()
	t := term{text: of.text + "." + name}
	if of.at == nil {
		return t
	}
	old, now := of.at.field(name)
	if old != nil && now != nil {
		t.at = &place{old, now}
	} else if of.sure && r.absent(of.at, name) {
		switch now.Def.(type) {
		case bool, int64, string:
			t.value, t.text = now.Def, constant(now.Def).text
		}
	}
	t.sure = of.sure && present(of.at, name) || slices.Contains(r.has, t.text)
	return t
}

func (r *reduction) call(c ast.CallExpr) term {
	args := c.Args()
	switch name := c.FunctionName(); name {
	case "has":
		if len(args) == 1 && args[0].Kind() == ast.SelectKind {
			return r.test(args[0].AsSelect())
		}
	case operators.LogicalAnd:
		return r.chain(args, name, true)
	case operators.LogicalOr:
		return r.chain(args, name, false)
	case operators.LogicalNot:
		t := r.reduce(args[0])
		if v, ok := t.value.(bool); ok {
			return constant(!v)
		}
		return made(operators.LogicalNot, t)
	case operators.Conditional:
		return r.conditional(args)
	case operators.Add:
		return r.sum(args)
	case "all", "exists", "exists_one", "filter", "map":
		if c.IsMemberFunction() && len(args) == 2 && args[0].Kind() == ast.IdentKind {
			return r.over(name, c.Target(), args[0].AsIdent(), args[1])
		}
	}
	var terms []term
	if c.IsMemberFunction() {
		terms = append(terms, r.reduce(c.Target()))
	}
	for _, a := range args {
		terms = append(terms, r.reduce(a))
	}
	return r.plain(c.FunctionName(), terms)
}

// test is has(field).
func (r *reduction) test(s ast.SelectExpr) term {
	of := r.reduce(s.Operand())
	t := term{text: "has(" + of.text + "." + s.FieldName() + ")", sure: of.sure}
	if of.at == nil || !of.sure {
		return t
	}
	switch {
	case present(of.at, s.FieldName()):
		return constant(true)
	case r.absent(of.at, s.FieldName()):
		return constant(false)
	}
	return t
}

// chain is a conjunction, or a disjunction, which the value zero of one of its parts
// decides, even if another fails.
func (r *reduction) chain(args []ast.Expr, name string, unit bool) term {
	inner := *r
	var left []term
	decided := false
	var walk func(args []ast.Expr)
	walk = func(args []ast.Expr) {
		for _, a := range args {
			if a.Kind() == ast.CallKind && a.AsCall().FunctionName() == name {
				walk(a.AsCall().Args())
				continue
			}
			t := inner.reduce(a)
			if t.value == !unit {
				decided = true
			} else if t.value != unit {
				left = append(left, t)
			}
			inner.has = append(slices.Clip(inner.has), r.found(a, unit)...)
		}
	}
	walk(args)
	switch {
	case decided:
		return constant(!unit)
	case left == nil:
		return constant(unit)
	case len(left) == 1:
		return left[0]
	}
	return made(name, left...)
}

// found are the fields that are there if an expression comes to is.
func (r *reduction) found(e ast.Expr, is bool) []string {
	if e.Kind() != ast.CallKind {
		return nil
	}
	args := e.AsCall().Args()
	switch name := e.AsCall().FunctionName(); {
	case name == operators.LogicalNot:
		return r.found(args[0], !is)
	case name == operators.LogicalAnd && is, name == operators.LogicalOr && !is:
		return append(r.found(args[0], is), r.found(args[1], is)...)
	case name == "has" && is && len(args) == 1 && args[0].Kind() == ast.SelectKind:
		s := args[0].AsSelect()
		return []string{r.reduce(s.Operand()).text + "." + s.FieldName()}
	}
	return nil
}

func (r *reduction) conditional(args []ast.Expr) term {
	under := func(e ast.Expr, is bool) term {
		inner := *r
		inner.has = append(slices.Clip(inner.has), r.found(args[0], is)...)
		return inner.reduce(e)
	}
	cond, then, other := r.reduce(args[0]), under(args[1], true), under(args[2], false)
	switch {
	case cond.value == true:
		return then
	case cond.value == false:
		return other
	case cond.sure && then.value != nil && then.value == other.value:
		return then
	}
	return made(operators.Conditional, cond, then, other)
}

// sum leaves out zeros, so that a count of fields is what it was without new ones.
func (r *reduction) sum(args []ast.Expr) term {
	a, b := r.reduce(args[0]), r.reduce(args[1])
	m, whole := a.value.(int64)
	n, too := b.value.(int64)
	switch {
	case whole && too:
		return constant(m + n)
	case whole && m == 0:
		return b
	case too && n == 0:
		return a
	}
	t := made(operators.Add, a, b)
	t.sure = false // it may overflow
	return t
}

// over is a macro over the items of a list, or the keys of a map.
func (r *reduction) over(name string, list ast.Expr, item string, body ast.Expr) term {
	inner := *r
	inner.vars = maps.Clone(r.vars)
	inner.vars[item] = nil
	inner.has = slices.DeleteFunc(slices.Clone(r.has), func(text string) bool { return strings.HasPrefix(text, item+".") })
	target := r.reduce(list)
	if p := target.at; p != nil && p.old.Items != nil && p.now.Items != nil {
		inner.vars[item] = &place{p.old.Items, p.now.Items}
	}
	each := inner.reduce(body)
	t := made(name+" "+item, target, each)
	t.sure = false
	switch {
	case !target.sure:
	case name == "all" && each.value == true:
		return constant(true)
	case name == "exists" && each.value == false, name == "exists_one" && each.value == false:
		return constant(false)
	case name == "filter" && each.value == false:
		return made("list")
	}
	return t
}

// plain is any other call.
func (r *reduction) plain(name string, terms []term) term {
	t := made(name, terms...)
	switch {
	case name == "size" && len(terms) == 1 && terms[0].text == made("list").text:
		return constant(int64(0))
	case len(terms) != 2:
		t.sure = false
	case name == operators.Equals, name == operators.NotEquals:
		if same, ok := equal(terms[0], terms[1]); ok {
			return constant(same == (name == operators.Equals))
		}
	case name == operators.In:
		t.sure = false
	default:
		if v, ok := compared(name, terms[0].value, terms[1].value); ok {
			return constant(v)
		}
		t.sure = false
	}
	return t
}

// equal says whether two terms are equal, if that can be told: both are constants, or one
// is none of the values that the other can have.
func equal(a, b term) (same, known bool) {
	if a.value == nil {
		a, b = b, a
	}
	if a.value == nil {
		return false, false
	}
	if b.value != nil {
		return a.value == b.value, true
	}
	if !b.sure || b.at == nil {
		return false, false
	}
	values := list(b.at.old.Raw["enum"])
	if values == nil {
		return false, false
	}
	return false, !slices.Contains(append(slices.Clip(values), b.at.now.Def), a.value)
}

func compared(name string, a, b any) (is, known bool) {
	m, ok := a.(int64)
	n, too := b.(int64)
	if !ok || !too {
		return false, false
	}
	switch name {
	case operators.Less:
		return m < n, true
	case operators.LessEquals:
		return m <= n, true
	case operators.Greater:
		return m > n, true
	case operators.GreaterEquals:
		return m >= n, true
	}
	return false, false
}
