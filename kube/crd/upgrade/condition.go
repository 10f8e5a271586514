// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// conditions compares the keywords allOf, anyOf, oneOf and not. It reports a changed keyword if it
// cannot prove that the new condition holds for each value that the old schema accepts. It treats an
// unchanged keyword in the same way if the defaults of fields below the schema have changed.
func (c *comparison) conditions(path string, a, b *tree.Node) {
	for _, k := range []string{"allOf", "anyOf", "oneOf", "not"} {
		before, after := a.Raw[k], b.Raw[k]
		same := reflect.DeepEqual(before, after)
		var refilled []field
		if after != nil && same {
			refilled = refilledFields(path, a, b)
		}
		if after == nil || same && refilled == nil || c.followsFromOld(k, a, b) {
			continue
		}
		if same {
			c.add(b.At.At(k), path, "conditions-changed", before, after, "%s did not change, but the server now fills in %s differently: values that no longer satisfy the condition are rejected", k, fieldPaths(refilled))
			continue
		}
		c.add(b.At.At(k), path, "conditions-changed", before, after, "%s changed: values that do not satisfy it are rejected", k)
	}
}

// followsFromOld reports whether the condition with the keyword k in the new schema (b) accepts every
// value that the old schema (a) accepts. It may return false negatives.
//
// It translates both schemas to formulas of propositional logic, and checks whether the old formula
// implies the new one. Each variable stands for a statement about the value, such as "it has the field
// a". Both schemas use the same variable for the same statement. Different variables are independent
// of each other, except for the relations that logic.facts lists. If the implication holds for all
// values of the variables, it holds for all objects.
func (c *comparison) followsFromOld(k string, a, b *tree.Node) bool {
	p := &place{a, b}
	l := newLogic()
	old, now := &conditionReader{c, l, true}, &conditionReader{c, l, false}
	premise := old.keyword("", p, a, "required")
	for k := range a.Raw {
		if k != "properties" && k != "items" && k != "additionalProperties" {
			premise = l.and(premise, old.keyword("", p, a, k))
		}
	}
	conclusion := now.keyword("", p, b, k)
	return l.implies(l.and(premise, l.facts()), conclusion)
}

// conditionReader translates the conditions of either the old or the new schema to
// formulas.
type conditionReader struct {
	*comparison
	*logic
	old bool // true for the reader of the old schema
}

// field returns the formula for n, the schema of a field. If the field can be null, the statement
// "null satisfies n" is a separate variable, because it is not known whether n accepts null.
func (r *conditionReader) field(path string, p *place, n *tree.Node) formula {
	holds := r.schema(path, p, n)
	if p != nil && !p.old.Nullable && !p.now.Nullable {
		return holds // the field is never null, because the server drops or rejects null
	}
	return r.choose(r.variable(path+"\x00null"), r.statement(path, "null satisfies", n.Raw), holds)
}

// schema returns the formula for "the value at path satisfies n". p contains the declarations of
// this value in the old and the new structural schema. p is nil if they are not known.
func (r *conditionReader) schema(path string, p *place, n *tree.Node) formula {
	all := always
	for _, k := range tree.SortedKeys(n.Raw) {
		all = r.and(all, r.keyword(path, p, n, k))
	}
	return all
}

// keyword returns the formula for one keyword of the schema n.
func (r *conditionReader) keyword(path string, p *place, n *tree.Node, k string) formula {
	switch k {
	case "description", "title", "example", "externalDocs", "default":
		return always
	case "required":
		all := always
		for _, name := range n.Required {
			all = r.and(all, r.or(r.not(r.isObject(path, p)), r.has(path, p, name)))
		}
		return all
	case "properties":
		all := always
		for _, name := range n.Names() {
			all = r.and(all, r.or(r.not(r.has(path, p, name)), r.field(r.child(path, p, name), p.at(name), n.Properties[name])))
		}
		return all
	case "allOf":
		all := always
		for _, one := range r.branches(path, p, n.AllOf) {
			all = r.and(all, one)
		}
		return all
	case "anyOf":
		if len(n.AnyOf) == 0 || p != nil && p.now.IntString && reflect.DeepEqual(n.Raw[k], integerOrString) {
			return always
		}
		return r.any(r.branches(path, p, n.AnyOf))
	case "oneOf":
		if len(n.OneOf) == 0 {
			return always
		}
		branches := r.branches(path, p, n.OneOf)
		return r.and(r.any(branches), r.atMostOne(branches))
	case "not":
		if n.Not == nil {
			return always
		}
		return r.not(r.schema(path, p, n.Not))
	case "enum":
		values := list(n.Raw[k])
		if len(values) == 0 {
			return always
		}
		var all []formula
		for _, v := range values {
			all = append(all, r.equals(r.whole(path, p), v))
		}
		return r.any(all)
	case "exclusiveMinimum", "exclusiveMaximum":
		return always // the formula of minimum or maximum includes this keyword
	case "minimum", "minLength", "minItems", "minProperties", "maximum", "maxLength", "maxItems", "maxProperties", "multipleOf":
		if b := declaredBound(n, k); b.set {
			return r.bound(r.whole(path, p), k, b)
		}
	}
	return r.statement(r.whole(path, p), k, n.Raw[k])
}

// integerOrString is the only anyOf with types that a structural schema allows. It accepts each value of
// x-kubernetes-int-or-string.
var integerOrString = []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}}

// whole returns the path for statements about a whole value, including everything inside it. Before
// the server validates a value, it adds defaults and drops fields. If the old and the new schema do
// this differently, statements about the old value need not be true for the new value. The old value
// therefore gets a separate path.
func (r *conditionReader) whole(path string, p *place) string {
	if r.old && (p == nil || !storesSame(p.old, p.now)) {
		return path + before
	}
	return path
}

// before is the suffix of the path of an old value. It distinguishes the old value from the new value.
// The old value is the value after the server adds defaults and drops fields with the old schema.
const before = " before"

// storesSame reports whether the server adds the same defaults and drops the same
// fields with both schemas.
func storesSame(a, b *tree.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if !reflect.DeepEqual(a.Def, b.Def) || a.Nullable != b.Nullable || hasOpenFields(a) != hasOpenFields(b) || len(a.Properties) != len(b.Properties) {
		return false
	}
	for name, f := range a.Properties {
		if g := b.Properties[name]; g == nil || !storesSame(f, g) {
			return false
		}
	}
	return storesSame(a.Items, b.Items) && storesSame(a.Additional, b.Additional)
}

// refilledFields returns the fields below path that the server fills in differently with the new schema
// (b) than with the old schema (a). Such a field has another default, or the new schema drops a null
// that the old schema kept. The result contains the schemas of the fields in b. It contains only fields
// that can be absent or null in old values.
func refilledFields(path string, a, b *tree.Node) (fields []field) {
	for _, name := range b.Names() {
		f, g, at := a.Properties[name], b.Properties[name], path+"."+name
		if f == nil {
			if g.Def != nil {
				fields = append(fields, field{at, name, g})
			}
			continue
		}
		always := slices.Contains(a.Required, name) && f.Def == nil && !f.Nullable
		if f.Nullable && !g.Nullable || !always && !sameDefault(f, g) {
			fields = append(fields, field{at, name, g})
		}
		fields = append(fields, refilledFields(at, f, g)...)
	}
	if a.Items != nil && b.Items != nil {
		fields = append(fields, refilledFields(path+"[*]", a.Items, b.Items)...)
	}
	if a.Additional != nil && b.Additional != nil {
		fields = append(fields, refilledFields(path+".*", a.Additional, b.Additional)...)
	}
	return fields
}

func (r *conditionReader) branches(path string, p *place, nodes []*tree.Node) (all []formula) {
	for _, n := range nodes {
		all = append(all, r.schema(path, p, n))
	}
	return all
}

// isObject returns the formula for "the value at path is an object", that is, neither null
// nor a value of a different type.
func (r *conditionReader) isObject(path string, p *place) formula {
	object := func(n *tree.Node) bool { return n.Kind == "object" && !n.Nullable }
	if p != nil && object(p.old) && object(p.now) {
		return always
	}
	return r.variable(path + "\x00object")
}

// has returns the formula for "the value at path is an object that has this field". Some fields are
// always present or always absent, because the server adds defaults and drops undeclared fields
// before it validates.
func (r *conditionReader) has(path string, p *place, name string) formula {
	if p != nil && r.isObject(path, p) == always {
		old, now := p.field(name)
		closed := func(n *tree.Node) bool { return !hasOpenFields(n) && !n.Embedded && !tree.IsMeta(name) }
		switch {
		case r.old && r.alwaysAbsent(p, name):
			return never
		case r.old && old != nil && old.Def != nil && !old.Nullable:
			return always
		case !r.old && now != nil && now.Def != nil && !now.Nullable:
			return always
		case !r.old && r.alwaysAbsent(p, name), !r.old && now == nil && closed(p.now):
			return never
		}
	}
	return r.variable(r.child(path, p, name) + "\x00present")
}

// child returns the path of a field. The old value of the field gets a separate path if the new
// schema may change how the server fills in the field.
func (r *conditionReader) child(path string, p *place, name string) string {
	path += "." + strconv.Quote(name)
	if !r.old {
		return path
	}
	if p != nil {
		old, now := p.field(name)
		if old == nil && now == nil || old != nil && now != nil && reflect.DeepEqual(old.Def, now.Def) && old.Nullable == now.Nullable {
			return path
		}
	}
	return path + before
}

// at returns the place of a field, or nil if one of the schemas does not declare it.
func (p *place) at(name string) *place {
	old, now := p.field(name) // p may be nil
	if old == nil || now == nil {
		return nil
	}
	return &place{old, now}
}

// formula is the index of a node in a binary decision diagram.
type formula int

const (
	never  formula = 0
	always formula = 1
)

// decision is a node of a binary decision diagram. It stands for the formula "if variable, then
// yes, else no".
type decision struct {
	variable int
	yes, no  formula
}

// logic stores formulas as a reduced ordered binary decision diagram, in which equivalent
// formulas are the same node. If the diagram grows too large, gaveUp is set, and no
// further implication counts as proved.
type logic struct {
	decisions []decision
	numbers   map[decision]formula
	memory    map[[3]formula]formula
	variables map[string]formula
	// values and limits contain, for each path, the variables for statements about the value there.
	// The method facts relates the variables of the same path to each other.
	values map[string][]formula
	limits map[string][]limit
	gaveUp bool
}

// limit is a bound of a value. In the logical formula, a variable stands for the statement "the value is
// within this bound".
type limit struct {
	keyword string
	bound   bound
	within  formula
}

// mostSteps limits the time for comparing two conditions: a comparison that combines formulas more
// often gives up.
const mostSteps = 50_000

func newLogic() *logic {
	end := decision{variable: math.MaxInt}
	return &logic{
		decisions: []decision{end, end}, numbers: map[decision]formula{}, memory: map[[3]formula]formula{},
		variables: map[string]formula{}, values: map[string][]formula{}, limits: map[string][]limit{},
	}
}

func (l *logic) variable(text string) formula {
	v, ok := l.variables[text]
	if !ok {
		v = l.decide(len(l.variables), always, never)
		l.variables[text] = v
	}
	return v
}

func (l *logic) decide(variable int, yes, no formula) formula {
	if yes == no {
		return yes
	}
	d := decision{variable, yes, no}
	f, ok := l.numbers[d]
	if !ok {
		f = formula(len(l.decisions))
		l.decisions = append(l.decisions, d)
		l.numbers[d] = f
	}
	return f
}

// statement returns the variable for the statement that the value at path satisfies the keyword k with
// the argument v. Equal statements have the same variable.
func (l *logic) statement(path, k string, v any) formula {
	text, err := json.Marshal(v)
	if err != nil {
		l.gaveUp = true
	}
	return l.variable(path + "\x00" + k + "\x00" + string(text))
}

// choose returns the formula "if cond, then yes, else no".
func (l *logic) choose(cond, yes, no formula) formula {
	switch {
	case cond == always, yes == no:
		return yes
	case cond == never:
		return no
	case l.gaveUp:
		return never
	}
	key := [3]formula{cond, yes, no}
	if f, ok := l.memory[key]; ok {
		return f
	}
	if len(l.memory) >= mostSteps {
		l.gaveUp = true
		return never
	}
	first := min(l.decisions[cond].variable, l.decisions[yes].variable, l.decisions[no].variable)
	with := func(f formula, is bool) formula {
		switch d := l.decisions[f]; {
		case d.variable != first:
			return f
		case is:
			return d.yes
		default:
			return d.no
		}
	}
	f := l.decide(first,
		l.choose(with(cond, true), with(yes, true), with(no, true)),
		l.choose(with(cond, false), with(yes, false), with(no, false)))
	l.memory[key] = f
	return f
}

func (l *logic) not(f formula) formula    { return l.choose(f, never, always) }
func (l *logic) and(f, g formula) formula { return l.choose(f, g, never) }
func (l *logic) or(f, g formula) formula  { return l.choose(f, always, g) }

func (l *logic) any(all []formula) formula {
	some := never
	for _, f := range all {
		some = l.or(some, f)
	}
	return some
}

// atMostOne returns the formula that is true if at most one of the formulas is true.
func (l *logic) atMostOne(all []formula) formula {
	none, one := always, always
	for _, f := range all {
		none, one = l.choose(f, never, none), l.choose(f, none, one)
	}
	return one
}

// implies reports whether the second formula is true whenever the first formula is true. It returns
// false if the diagram became too large to prove this.
func (l *logic) implies(f, g formula) bool {
	proved := l.choose(f, g, always) == always
	return proved && !l.gaveUp
}

// equals returns the formula for "the value at path is v".
func (l *logic) equals(path string, v any) formula {
	if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		v = int64(f) // treat 1.0 as the integer 1
	}
	is := l.statement(path, "is", v)
	switch v.(type) {
	case map[string]any, []any:
		// Two maps or two lists can be equal although their texts differ. So different texts do not
		// prove that the values differ.
		return is
	}
	if !slices.Contains(l.values[path], is) {
		l.values[path] = append(l.values[path], is)
	}
	return is
}

// bound returns the formula for "the value at path is within b".
func (l *logic) bound(path, keyword string, b bound) formula {
	within := l.variable(path + "\x00" + keyword + "\x00" + strconv.FormatFloat(b.value, 'g', -1, 64) + strconv.FormatBool(b.exclusive))
	key := path + "\x00" + keyword
	if !slices.ContainsFunc(l.limits[key], func(x limit) bool { return x.within == within }) {
		l.limits[key] = append(l.limits[key], limit{keyword, b, within})
	}
	return within
}

// facts returns a formula that is true for every value. It expresses three facts. A value cannot equal
// two different scalars. A value within a bound is also within each wider bound. Only an object has
// fields.
func (l *logic) facts() formula {
	all := always
	for _, path := range tree.SortedKeys(l.values) {
		all = l.and(all, l.atMostOne(l.values[path]))
	}
	for _, key := range tree.SortedKeys(l.limits) {
		for _, wide := range l.limits[key] {
			for _, narrow := range l.limits[key] {
				if wide.bound.includes(wide.keyword, narrow.bound) {
					all = l.and(all, l.or(l.not(narrow.within), wide.within))
				}
			}
		}
	}
	for _, text := range tree.SortedKeys(l.variables) {
		child, isPresence := strings.CutSuffix(text, "\x00present")
		if !isPresence {
			continue
		}
		child = strings.TrimSuffix(child, before)
		end := strings.LastIndex(child, ".\"")
		if object, ok := l.variables[child[:end]+"\x00object"]; ok {
			all = l.and(all, l.or(l.not(l.variables[text]), object))
		}
	}
	return all
}
