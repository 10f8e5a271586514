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

// place is a field in the old and the new schema.
type place struct{ old, now *tree.Node }

func (p *place) field(name string) (old, now *tree.Node) {
	if p == nil {
		return nil, nil
	}
	return p.old.Properties[name], p.now.Properties[name]
}

// alwaysAbsent reports that no existing object can have a field of the new schema,
// because no version of the old definition allows it.
func (c *comparison) alwaysAbsent(p *place, name string) bool {
	if p == nil || p.now.Properties[name] == nil {
		return false
	}
	without := func(n *tree.Node) bool {
		return n.Kind == "object" && n.Properties[name] == nil && !hasOpenFields(n) && !n.Embedded
	}
	return without(p.old) && !slices.ContainsFunc(c.siblings[p.old], func(n *tree.Node) bool { return !without(n) })
}

// alwaysPresent reports that every object has a field, because it is required or has a
// default.
func alwaysPresent(p *place, name string) bool {
	old, now := p.field(name)
	if now == nil || now.Nullable {
		return false
	}
	return now.Def != nil || old != nil && !old.Nullable && slices.Contains(p.old.Required, name)
}

// acceptsOldObjects reports that a rule accepts every object that the old schema accepts. To
// prove this, it assumes that new fields are absent and required fields are present. The rule
// must then always be true, or follow from an old rule. The result may be a false negative.
func (c *comparison) acceptsOldObjects(r tree.Rule, a, b *tree.Node) bool {
	reduced, ok := c.reduceRule(r, a, b)
	if !ok {
		return false
	}
	return reduced.value == true || slices.ContainsFunc(a.Rules, func(old tree.Rule) bool {
		was, ok := c.reduceRule(old, a, b)
		return ok && old.OptionalOldSelf == r.OptionalOldSelf && implies(was, reduced)
	})
}

// reduceRule returns the reduced form of a rule. ok is false if the rule cannot be parsed.
func (c *comparison) reduceRule(r tree.Rule, a, b *tree.Node) (t term, ok bool) {
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

// implies reports that b is true whenever a is, if their forms show it. It may return
// false negatives.
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
		return b.parts[0].cannotFail && implies(b.parts[0], a.parts[0])
	case a.op == operators.Conditional:
		cond, of := a.parts[0], b.parts[0]
		return (cond.text == of.text || b.parts[2].value == true && isStronger(of, cond)) && implies(a.parts[1], b.parts[1]) && implies(a.parts[2], b.parts[2])
	case strings.HasPrefix(a.op, "all "), strings.HasPrefix(a.op, "exists "):
		return a.parts[0].text == b.parts[0].text && implies(a.parts[1], b.parts[1])
	case a.op == operators.In && b.parts[1].op == "list":
		return a.parts[0].text == b.parts[0].text && a.parts[1].op == "list" && !slices.ContainsFunc(a.parts[1].parts, func(t term) bool {
			return !slices.ContainsFunc(b.parts[1].parts, func(u term) bool { return u.text == t.text })
		})
	}
	return false
}

// isStronger reports whether a is b with additional conditions that cannot fail.
func isStronger(a, b term) bool {
	has := func(t, part term) bool {
		return t.text == part.text || t.op == operators.LogicalAnd && slices.ContainsFunc(t.parts, func(u term) bool { return u.text == part.text })
	}
	parts := []term{b}
	if b.op == operators.LogicalAnd {
		parts = b.parts
	}
	return a.op == operators.LogicalAnd && !slices.ContainsFunc(parts, func(p term) bool { return !has(a, p) }) &&
		!slices.ContainsFunc(a.parts, func(p term) bool { return !p.cannotFail && !has(b, p) })
}

// term is an expression, reduced under the assumption that the old schema accepts the object.
type term struct {
	text       string
	op         string // the operator or function that joins parts, or ""
	parts      []term
	value      any    // the constant value, or nil if it is not known
	place      *place // the field that the expression reads, or nil
	cannotFail bool   // evaluation never returns an error
}

// newTerm returns a term that joins parts. It cannot fail if none of its parts can fail.
func newTerm(op string, parts ...term) term {
	t := term{op: op, parts: parts, cannotFail: true}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i], t.cannotFail = p.text, t.cannotFail && p.cannotFail
	}
	t.text = op + "(" + strings.Join(texts, ", ") + ")"
	return t
}

func constant(v any) term { return term{text: fmt.Sprintf("%#v", v), value: v, cannotFail: true} }

// reduction reduces expressions. vars maps variables to fields. knownPresent lists fields
// that were checked to be present before the expression is evaluated.
type reduction struct {
	*comparison
	vars map[string]*place
	// knownPresent has texts such as self.a.
	knownPresent []string
}

func (r *reduction) reduce(e ast.Expr) term {
	switch e.Kind() {
	case ast.LiteralKind:
		switch v := e.AsLiteral().Value().(type) {
		case bool, int64, string:
			return constant(v)
		default:
			return term{text: fmt.Sprintf("%T %v", v, v), cannotFail: true}
		}
	case ast.IdentKind:
		return term{text: e.AsIdent(), place: r.vars[e.AsIdent()], cannotFail: true}
	case ast.SelectKind:
		return r.field(e)
	case ast.ListKind:
		var items []term
		for _, item := range e.AsList().Elements() {
			items = append(items, r.reduce(item))
		}
		return newTerm("list", items...)
	case ast.CallKind:
		return r.call(e.AsCall())
	}
	return term{text: fmt.Sprintf("an expression %p", e)} // different from all other terms
}

func (r *reduction) field(e ast.Expr) term {
	s := e.AsSelect()
	of, name := r.reduce(s.Operand()), s.FieldName()
	t := term{text: of.text + "." + name}
	if of.place == nil {
		return t
	}
	old, now := of.place.field(name)
	if old != nil && now != nil {
		t.place = &place{old, now}
	} else if of.cannotFail && r.alwaysAbsent(of.place, name) {
		switch now.Def.(type) {
		case bool, int64, string:
			t.value, t.text = now.Def, constant(now.Def).text
		}
	}
	t.cannotFail = of.cannotFail && alwaysPresent(of.place, name) || slices.Contains(r.knownPresent, t.text)
	return t
}

func (r *reduction) call(c ast.CallExpr) term {
	args := c.Args()
	switch name := c.FunctionName(); name {
	case "has":
		if len(args) == 1 && args[0].Kind() == ast.SelectKind {
			return r.hasTest(args[0].AsSelect())
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
		return newTerm(operators.LogicalNot, t)
	case operators.Conditional:
		return r.conditional(args)
	case operators.Add:
		return r.sum(args)
	case "all", "exists", "exists_one", "filter", "map":
		if c.IsMemberFunction() && len(args) == 2 && args[0].Kind() == ast.IdentKind {
			return r.macro(name, c.Target(), args[0].AsIdent(), args[1])
		}
	}
	var terms []term
	if c.IsMemberFunction() {
		terms = append(terms, r.reduce(c.Target()))
	}
	for _, a := range args {
		terms = append(terms, r.reduce(a))
	}
	return r.otherCall(c.FunctionName(), terms)
}

// hasTest reduces has(field).
func (r *reduction) hasTest(s ast.SelectExpr) term {
	of := r.reduce(s.Operand())
	t := term{text: "has(" + of.text + "." + s.FieldName() + ")", cannotFail: of.cannotFail}
	if of.place == nil || !of.cannotFail {
		return t
	}
	switch {
	case alwaysPresent(of.place, s.FieldName()):
		return constant(true)
	case r.alwaysAbsent(of.place, s.FieldName()):
		return constant(false)
	}
	return t
}

// chain reduces a conjunction or disjunction. One part with the value !unit decides the
// result, even if another part fails.
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
			inner.knownPresent = append(slices.Clip(inner.knownPresent), r.impliedPresent(a, unit)...)
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
	return newTerm(name, left...)
}

// impliedPresent returns the fields that are present if an expression has the value is.
func (r *reduction) impliedPresent(e ast.Expr, is bool) []string {
	if e.Kind() != ast.CallKind {
		return nil
	}
	args := e.AsCall().Args()
	switch name := e.AsCall().FunctionName(); {
	case name == operators.LogicalNot:
		return r.impliedPresent(args[0], !is)
	case name == operators.LogicalAnd && is, name == operators.LogicalOr && !is:
		return append(r.impliedPresent(args[0], is), r.impliedPresent(args[1], is)...)
	case name == "has" && is && len(args) == 1 && args[0].Kind() == ast.SelectKind:
		s := args[0].AsSelect()
		return []string{r.reduce(s.Operand()).text + "." + s.FieldName()}
	}
	return nil
}

func (r *reduction) conditional(args []ast.Expr) term {
	under := func(e ast.Expr, is bool) term {
		inner := *r
		inner.knownPresent = append(slices.Clip(inner.knownPresent), r.impliedPresent(args[0], is)...)
		return inner.reduce(e)
	}
	cond, then, other := r.reduce(args[0]), under(args[1], true), under(args[2], false)
	switch {
	case cond.value == true:
		return then
	case cond.value == false:
		return other
	case cond.cannotFail && then.value != nil && then.value == other.value:
		return then
	}
	return newTerm(operators.Conditional, cond, then, other)
}

// sum reduces an addition. It leaves out zeros, so that a count of present fields stays
// the same when new fields are added to it.
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
	t := newTerm(operators.Add, a, b)
	t.cannotFail = false // it may overflow
	return t
}

// macro reduces a macro over the items of a list or the keys of a map.
func (r *reduction) macro(name string, list ast.Expr, item string, body ast.Expr) term {
	inner := *r
	inner.vars = maps.Clone(r.vars)
	inner.vars[item] = nil
	inner.knownPresent = slices.DeleteFunc(slices.Clone(r.knownPresent), func(text string) bool { return strings.HasPrefix(text, item+".") })
	target := r.reduce(list)
	if p := target.place; p != nil && p.old.Items != nil && p.now.Items != nil {
		inner.vars[item] = &place{p.old.Items, p.now.Items}
	}
	each := inner.reduce(body)
	t := newTerm(name+" "+item, target, each)
	t.cannotFail = false
	switch {
	case !target.cannotFail:
	case name == "all" && each.value == true:
		return constant(true)
	case name == "exists" && each.value == false, name == "exists_one" && each.value == false:
		return constant(false)
	case name == "filter" && each.value == false:
		return newTerm("list")
	}
	return t
}

// otherCall reduces all other calls.
func (r *reduction) otherCall(name string, terms []term) term {
	t := newTerm(name, terms...)
	switch {
	case name == "size" && len(terms) == 1 && terms[0].text == newTerm("list").text:
		return constant(int64(0))
	case len(terms) != 2:
		t.cannotFail = false
	case name == operators.Equals, name == operators.NotEquals:
		if same, ok := equal(terms[0], terms[1]); ok {
			return constant(same == (name == operators.Equals))
		}
	case name == operators.In:
		t.cannotFail = false
	default:
		if v, ok := compareIntegers(name, terms[0].value, terms[1].value); ok {
			return constant(v)
		}
		t.cannotFail = false
	}
	return t
}

// equal reports whether two terms are equal. known is true if both are constants, or if
// one is a constant that the enum and the default of the other exclude.
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
	if !b.cannotFail || b.place == nil {
		return false, false
	}
	values := list(b.place.old.Raw["enum"])
	if values == nil {
		return false, false
	}
	return false, !slices.Contains(append(slices.Clip(values), b.place.now.Def), a.value)
}

func compareIntegers(name string, a, b any) (is, known bool) {
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
