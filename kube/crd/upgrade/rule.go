// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
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

// place is the declaration of the same field in the old and the new schema.
type place struct{ old, now *tree.Node }

func (p *place) field(name string) (old, now *tree.Node) {
	if p == nil {
		return nil, nil
	}
	return p.old.Properties[name], p.now.Properties[name]
}

// alwaysAbsent reports whether a field of the new schema is absent from every existing
// object, because no version of the old definition allows it.
func (c *comparison) alwaysAbsent(p *place, name string) bool {
	if p == nil || p.now.Properties[name] == nil {
		return false
	}
	without := func(n *tree.Node) bool {
		return n.Kind == "object" && n.Properties[name] == nil && !hasOpenFields(n) && !n.Embedded
	}
	return without(p.old) && !slices.ContainsFunc(c.siblings[p.old], func(n *tree.Node) bool { return !without(n) })
}

// alwaysPresent reports whether a field is present in every object, because it is required
// or has a default.
func alwaysPresent(p *place, name string) bool {
	old, now := p.field(name)
	if now == nil || now.Nullable {
		return false
	}
	return now.Def != nil || old != nil && !old.Nullable && slices.Contains(p.old.Required, name)
}

// rules compares x-kubernetes-validations. It reports a rule of the new schema, with two exceptions:
// the old schema has the same rule, or every object that the old schema accepts satisfies the rule. It
// also reports an old rule that reads a field that the server fills in differently, because objects may
// now break this rule.
func (c *comparison) rules(path string, a, b *tree.Node) {
	if len(b.Rules) == 0 {
		return
	}
	refilled := refilledFields(path, a, b)
	for i, r := range b.Rules {
		if generatedFrom(r) != "" && hasGenerated(a, r) {
			continue
		}
		same := slices.ContainsFunc(a.Rules, func(old tree.Rule) bool { return old.Text == r.Text && old.OptionalOldSelf == r.OptionalOldSelf })
		onlyUpdates := c.onlyOnUpdates(r, a, b)
		read := readFields(r, b, refilled)
		if same && (onlyUpdates || read == nil) || c.acceptsOldObjects(r, a, b, refilled) {
			continue
		}
		now := "is new"
		switch {
		case same:
			now = fmt.Sprintf("did not change, but the server now fills in %s differently", fieldPaths(read))
		case slices.ContainsFunc(a.Rules, func(old tree.Rule) bool { return old.Text == r.Text }):
			now = fmt.Sprintf("now has optionalOldSelf: %t", r.OptionalOldSelf)
		}
		subject := "values"
		if onlyUpdates {
			subject = "updates"
		}
		about := path
		if name := fieldOfRule(b, r); name != "" {
			about += "." + name
		}
		c.add(b.At.At("x-kubernetes-validations").Nth(i), about, "rule-added", nil, r.Text, "%s %s: %s that break it are rejected", describeRule(r), now, subject)
	}
}

// onlyOnUpdates reports whether API servers run a rule only on updates, because the rule compares the
// new value with the old value.
func (c *comparison) onlyOnUpdates(r tree.Rule, a, b *tree.Node) bool {
	_, comparesOld, _ := c.reduceRule(r, a, b)
	return comparesOld && !r.OptionalOldSelf
}

// acceptsOldObjects reports whether a rule accepts every object that the old schema accepts.
// It assumes that new fields are absent and that required fields are present. The result is
// true if, under this assumption, the rule is always true or follows from the old rules. It ignores old
// rules that read a field that the server fills in differently, because an object that satisfied such a
// rule may now break it. acceptsOldObjects may return false negatives.
func (c *comparison) acceptsOldObjects(r tree.Rule, a, b *tree.Node, refilled []field) bool {
	return c.follows(r, slices.DeleteFunc(slices.Clone(a.Rules), func(old tree.Rule) bool { return readFields(old, b, refilled) != nil }), a, b)
}

// follows reports whether the rule r follows from other rules. It may return false negatives.
func (c *comparison) follows(r tree.Rule, from []tree.Rule, a, b *tree.Node) bool {
	reduced, comparesOld, ok := c.reduceRule(r, a, b)
	if !ok {
		return false
	}
	var premises []term
	for _, other := range from {
		premise, onlyUpdates, ok := c.reduceRule(other, a, b)
		// API servers run a rule with oldSelf only on updates. Such a rule does not restrict new
		// objects, so no rule about new objects can follow from it.
		if ok && other.OptionalOldSelf == r.OptionalOldSelf && (comparesOld || !onlyUpdates) {
			premises = append(premises, premise)
		}
	}
	return implies(join(operators.LogicalAnd, premises...), reduced)
}

// reduceRule returns a simplified form of a rule. comparesOld reports whether the rule
// uses oldSelf. ok is false if the rule cannot be parsed.
func (c *comparison) reduceRule(r tree.Rule, a, b *tree.Node) (t term, comparesOld, ok bool) {
	e, ok := parse(r)
	if !ok {
		return term{}, false, false
	}
	vars := map[string]*place{"self": {a, b}}
	if !r.OptionalOldSelf {
		vars["oldSelf"] = vars["self"]
	}
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		comparesOld = comparesOld || e.Kind() == ast.IdentKind && e.AsIdent() == "oldSelf"
	}))
	return (&reduction{c, vars, map[string]string{}, nil}).reduce(e), comparesOld, true
}

// parse returns the expression of a rule, without expanding macros. ok is false if the rule cannot be
// parsed.
func parse(r tree.Rule) (e ast.Expr, ok bool) {
	p, err := parser.NewParser(parser.Macros(), parser.EnableOptionalSyntax(true))
	if err != nil {
		return nil, false
	}
	parsed, errs := p.Parse(common.NewTextSource(r.Text))
	return parsed.Expr(), len(errs.GetErrors()) == 0
}

// implies reports whether the second term is true whenever the first term is true. It compares the
// terms only syntactically, so it may return false negatives.
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

// isStronger reports whether the first term consists of the second term and other conditions, which are
// joined with &&. Evaluating these other conditions must never fail with an error.
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

// term is a CEL expression, simplified under the assumption that the old schema accepts
// the object.
type term struct {
	text       string
	op         string // the operator or function that joins parts, or ""
	parts      []term
	value      any    // the constant value, or nil if it is not known
	place      *place // the field that the expression reads, or nil
	cannotFail bool   // evaluation never returns an error
}

// newTerm returns a term that applies op to parts. It assumes that evaluating the term fails only
// if evaluating one of the parts fails.
func newTerm(op string, parts ...term) term {
	t := term{op: op, parts: parts, cannotFail: true}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i], t.cannotFail = p.text, t.cannotFail && p.cannotFail
	}
	t.text = op + "(" + strings.Join(texts, ", ") + ")"
	return t
}

// join returns the conjunction or disjunction of terms. The result does not depend on their order.
// A conjunction with a false term is false, and a disjunction with a true term is true, even if
// evaluating another term fails.
func join(op string, parts ...term) term {
	unit := op == operators.LogicalAnd
	var all []term
	for _, p := range parts {
		switch {
		case p.value == !unit:
			return constant(!unit)
		case p.value == unit:
		case p.op == op:
			all = append(all, p.parts...)
		default:
			all = append(all, p)
		}
	}
	all = sorted(all)
	switch len(all) {
	case 0:
		return constant(unit)
	case 1:
		return all[0]
	}
	return newTerm(op, all...)
}

// sorted returns terms sorted by their texts, without duplicates.
func sorted(all []term) []term {
	slices.SortStableFunc(all, func(a, b term) int { return strings.Compare(a.text, b.text) })
	return slices.CompactFunc(all, func(a, b term) bool { return a.text == b.text })
}

// negate returns !t, with the negation moved to the innermost terms.
func negate(t term) term {
	parts := make([]term, len(t.parts))
	for i, p := range t.parts {
		parts[i] = p
		if t.op == operators.LogicalAnd || t.op == operators.LogicalOr || t.op == operators.Conditional && i > 0 {
			parts[i] = negate(p)
		}
	}
	switch v, known := t.value.(bool); {
	case known:
		return constant(!v)
	case t.op == operators.LogicalNot:
		return t.parts[0]
	case t.op == operators.LogicalAnd:
		return join(operators.LogicalOr, parts...)
	case t.op == operators.LogicalOr:
		return join(operators.LogicalAnd, parts...)
	case t.op == operators.Conditional:
		return newTerm(operators.Conditional, parts...)
	}
	return newTerm(operators.LogicalNot, t)
}

func constant(v any) term { return term{text: fmt.Sprintf("%#v", v), value: v, cannotFail: true} }

// reduction simplifies CEL expressions. The map vars contains the field that each variable stands for.
type reduction struct {
	*comparison
	vars map[string]*place
	// names maps the variables of macros to uniform names. Rules that differ only in the names of
	// their variables are then equal.
	names map[string]string
	// knownPresent lists fields, such as self.a, that are present because an earlier part of the
	// expression checks their presence.
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
		return term{text: cmp.Or(r.names[e.AsIdent()], e.AsIdent()), place: r.vars[e.AsIdent()], cannotFail: true}
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
	return term{text: fmt.Sprintf("an expression %p", e)} // the address makes the text of this term unique
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
			return r.hasTest(args[0].AsSelect().Operand(), args[0].AsSelect().FieldName())
		}
	case "hasValue":
		if operand, field, ok := optionalField(c.Target()); ok {
			return r.hasTest(operand, field)
		}
	case operators.LogicalAnd:
		return r.chain(args, name, true)
	case operators.LogicalOr:
		return r.chain(args, name, false)
	case operators.LogicalNot:
		return negate(r.reduce(args[0]))
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

// optionalField splits an expression such as self.?field into self and field. ok is false for any
// other expression, and if the operand is itself optional, as in self.?a.?b.
func optionalField(e ast.Expr) (operand ast.Expr, field string, ok bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.OptSelect || len(e.AsCall().Args()) != 2 {
		return nil, "", false
	}
	operand, name := e.AsCall().Args()[0], e.AsCall().Args()[1]
	for of := operand; ; of = of.AsSelect().Operand() {
		if of.Kind() == ast.IdentKind {
			break
		} else if of.Kind() != ast.SelectKind {
			return nil, "", false
		}
	}
	if name.Kind() == ast.LiteralKind {
		field, ok = name.AsLiteral().Value().(string)
	}
	return operand, field, ok
}

// hasTest simplifies has(operand.name).
func (r *reduction) hasTest(operand ast.Expr, name string) term {
	of := r.reduce(operand)
	t := term{text: "has(" + of.text + "." + name + ")", cannotFail: of.cannotFail}
	if of.place == nil || !of.cannotFail {
		return t
	}
	switch {
	case alwaysPresent(of.place, name):
		return constant(true)
	case r.alwaysAbsent(of.place, name):
		return constant(false)
	}
	return t
}

// chain simplifies a conjunction or disjunction of args. unit is true for a conjunction. Each
// argument is simplified with knowledge from the arguments before it. For example, in has(self.a)
// && self.a > 5, the field self.a is present when the second argument is evaluated.
func (r *reduction) chain(args []ast.Expr, name string, unit bool) term {
	inner := *r
	var all []term
	var walk func(args []ast.Expr)
	walk = func(args []ast.Expr) {
		for _, a := range args {
			if a.Kind() == ast.CallKind && a.AsCall().FunctionName() == name {
				walk(a.AsCall().Args())
				continue
			}
			all = append(all, inner.reduce(a))
			inner.knownPresent = append(slices.Clip(inner.knownPresent), r.impliedPresent(a, unit)...)
		}
	}
	walk(args)
	return join(name, all...)
}

// impliedPresent returns the fields that must be present if the expression e evaluates to the
// given boolean.
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
	case !cond.cannotFail:
	case then.value != nil && then.value == other.value:
		return then
	case then.value == true:
		return join(operators.LogicalOr, cond, other)
	case then.value == false:
		return join(operators.LogicalAnd, negate(cond), other)
	case other.value == true:
		return join(operators.LogicalOr, negate(cond), then)
	case other.value == false:
		return join(operators.LogicalAnd, cond, then)
	}
	return newTerm(operators.Conditional, cond, then, other)
}

// sum simplifies an addition by removing zeros. For example, a rule may count which of several
// fields are present. If a new field is added to the count, the simplified rule stays the same,
// because existing objects do not have the field.
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
	t.cannotFail = false // an addition can overflow
	return t
}

// macro simplifies a CEL macro that iterates over the items of a list or the keys of a map.
func (r *reduction) macro(name string, list ast.Expr, item string, body ast.Expr) term {
	inner := *r
	inner.vars = maps.Clone(r.vars)
	inner.vars[item] = nil
	inner.names = maps.Clone(r.names)
	called := fmt.Sprintf("#%d", len(r.names))
	inner.names[item] = called
	inner.knownPresent = slices.DeleteFunc(slices.Clone(r.knownPresent), func(text string) bool { return strings.HasPrefix(text, called+".") })
	target := r.reduce(list)
	if p := target.place; p != nil && p.old.Items != nil && p.now.Items != nil {
		inner.vars[item] = &place{p.old.Items, p.now.Items}
	}
	each := inner.reduce(body)
	t := newTerm(name+" "+called, target, each)
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

// otherCall simplifies a call for which there is no special method. Equivalent comparisons, such as a
// > b and b < a, get the same form.
func (r *reduction) otherCall(name string, terms []term) term {
	if len(terms) != 2 {
		if name == "size" && len(terms) == 1 && terms[0].text == newTerm("list").text {
			return constant(int64(0))
		}
		t := newTerm(name, terms...)
		t.cannotFail = false
		return t
	}
	if v, ok := compareIntegers(name, terms[0].value, terms[1].value); ok {
		return constant(v)
	}
	a, b := terms[0], terms[1]
	switch name {
	case operators.NotEquals:
		return negate(r.otherCall(operators.Equals, terms))
	case operators.Equals:
		if same, ok := equal(a, b); ok {
			return constant(same)
		}
		if a.value != nil || b.value == nil && a.text > b.text {
			a, b = b, a
		}
		return newTerm(name, a, b)
	case operators.Greater:
		name, a, b = operators.Less, b, a
	case operators.GreaterEquals:
		name, a, b = operators.LessEquals, b, a
	case operators.In:
		if b.op == "list" && !slices.ContainsFunc(b.parts, func(t term) bool { return t.value == nil }) {
			b = newTerm("list", sorted(slices.Clone(b.parts))...)
		}
	}
	t := newTerm(name, a, b)
	t.cannotFail = false
	return t
}

// equal reports whether two terms have the same value. The result known is false if equal cannot decide
// this. It can decide this in two cases: both terms are constants, or one term is a constant and the
// other term reads a field whose enum and default do not contain the constant.
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
	if len(values) == 0 {
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
