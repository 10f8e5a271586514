// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// ruleChecker compiles the CEL rules of one version and adds up their costs.
type ruleChecker struct {
	*report
	env   *environment.EnvSet
	total uint64
	// costliest is the place of the most expensive rule. highestCost is its cost.
	costliest   *tree.Place
	highestCost uint64
}

// checkRules compiles the rules of x-kubernetes-validations, estimates their cost and
// checks their field paths. It needs a structural schema, because the type of a rule and its
// cost depend on all schemas around it.
func (v *Version) checkRules(r *report) {
	if !hasRule(v.doc.Schema) {
		return
	}
	if cause := r.faults.schema[v.doc.Schema.At]; cause != nil {
		r.skip(v.doc.Schema.At, cause, Validations, Cost)
		return
	}
	x := &ruleChecker{report: r, env: environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())}
	x.check(v.doc.Schema, true, 1, nil, false)
	if x.total > tree.MaxTotalCost {
		r.add(Cost, v.doc.Schema.At, "the estimated cost of all rules together is %[2]s times the limit of %[1]d; %[3]s costs most; %[4]s",
			tree.MaxTotalCost, factor(x.total, tree.MaxTotalCost), x.costliest, costAdvice)
	}
}

const costAdvice = "simplify the rule, or set maxItems, maxProperties and maxLength on the lists, maps and strings that it reads"

func hasRule(n *tree.Node) bool {
	found := len(n.Rules) > 0
	n.Each(func(child *tree.Node) { found = found || hasRule(child) })
	return found
}

// check checks the rules of n and of all schemas below n. times is the maximum number of values of n
// in one object. rulesAbove is true if a schema above n has rules.
//
// API servers cannot match new values with old values everywhere, for example not inside an atomic
// list. If they cannot match the values of n, uncorrelated is the place of the schema that prevents
// this, such as the list. Otherwise, uncorrelated is nil.
func (x *ruleChecker) check(n *tree.Node, root bool, times uint64, uncorrelated *tree.Place, rulesAbove bool) {
	rulesAbove = rulesAbove || len(n.Rules) > 0
	x.rulesInWrongType(n, rulesAbove)
	if len(n.Rules) > 0 {
		x.compile(n, root || n.Embedded, times, uncorrelated)
	}
	below := uncorrelated
	if below == nil && !cel.MapIsCorrelatable(n.Structural.XMapType) {
		below = n.At
	}
	for _, name := range n.Names() {
		x.check(n.Properties[name], false, tree.Multiply(times, tree.Elements(n)), below, rulesAbove)
	}
	if n.Additional != nil {
		x.check(n.Additional, false, tree.Multiply(times, tree.Elements(n)), uncorrelated, rulesAbove)
	}
	if n.Items != nil {
		below := uncorrelated
		if below == nil && n.ListType != "map" {
			below = n.At
		}
		x.check(n.Items, false, tree.Multiply(times, tree.Elements(n)), below, rulesAbove)
	}
}

// rulesInWrongType reports rules that would make the API server panic. Such rules are inside the
// items of a schema that is not a list, or inside the additionalProperties of a schema that is not
// a map. The server panics only if a schema above them also has rules.
func (x *ruleChecker) rulesInWrongType(n *tree.Node, rulesAbove bool) {
	if !rulesAbove {
		return
	}
	if n.Items != nil && n.Kind != "array" && hasRule(n.Items) {
		x.add(Validations, n.Items.At, "items must not have rules if the type is %s; remove the rules, or set type array", tree.OrNone(n.Kind))
	}
	if n.Additional != nil && n.Kind != "object" && hasRule(n.Additional) {
		x.add(Validations, n.Additional.At, "additionalProperties must not have rules if the type is %s; remove the rules, or set type object", tree.OrNone(n.Kind))
	}
}

func (x *ruleChecker) compile(n *tree.Node, root bool, times uint64, uncorrelated *tree.Place) {
	for _, r := range n.Rules {
		if strings.TrimSpace(r.Field) == "" || hasLineBreak(r.Field) {
			continue // such a path is reported by the method validations
		}
		if _, _, err := cel.ValidFieldPath(r.Field, n.Structural); err != nil {
			x.add(Validations, r.At.At("fieldPath"), "want the path of a field below this schema, such as .spec.replicas: %v", err)
		}
	}
	declared := model.SchemaDeclType(n.Structural, root)
	if declared == nil {
		x.add(Validations, n.At.At("x-kubernetes-validations"), "rules need a type, but this schema has only x-kubernetes-preserve-unknown-fields; add a type, or remove the rules")
		return
	}
	results, err := cel.Compile(n.Structural, declared, celconfig.PerCallLimit, x.env, cel.NewExpressionsEnvLoader())
	if err != nil {
		x.add(Validations, n.At.At("x-kubernetes-validations"), "the rules do not compile: %v", err)
		return
	}
	for i, result := range results {
		if strings.TrimSpace(n.Rules[i].Text) == "" {
			continue // a missing rule is reported by the method validations
		}
		x.result(&n.Rules[i], result, times, uncorrelated)
	}
}

func (x *ruleChecker) result(r *tree.Rule, result cel.CompilationResult, times uint64, uncorrelated *tree.Place) {
	if times == tree.Unbounded {
		times = result.MaxCardinality
	}
	x.cost(r.At.At("rule"), tree.Cost(result.MaxCost, times))
	if result.Error != nil {
		x.add(Validations, r.At.At("rule"), "the rule does not compile: %s", firstLine(result.Error.Detail))
	}
	if strings.TrimSpace(r.MessageExpression) == "" {
		// An expression of only spaces cannot be compiled. It is reported by the method validations.
	} else if result.MessageExpressionError != nil {
		x.add(Validations, r.At.At("messageExpression"), "the expression does not compile: %s", firstLine(result.MessageExpressionError.Detail))
	} else if result.MessageExpression != nil {
		x.cost(r.At.At("messageExpression"), result.MessageExpressionMaxCost)
	}
	switch {
	case result.UsesOldSelf && uncorrelated != nil:
		x.add(Validations, r.At.At("rule"), "oldSelf is not available below %s, because old and new values cannot be matched there; only maps and lists of type map identify their values", uncorrelated)
	case !result.UsesOldSelf && r.HasOptionalOldSelf:
		x.add(Validations, r.At.At("optionalOldSelf"), "optionalOldSelf has no effect in a rule that does not use oldSelf; remove it")
	}
}

func (x *ruleChecker) cost(at *tree.Place, cost uint64) {
	if cost > tree.MaxRuleCost {
		x.add(Cost, at, "the estimated cost is %[2]s times the limit of %[1]d; %[3]s", tree.MaxRuleCost, factor(cost, tree.MaxRuleCost), costAdvice)
	}
	if x.total += cost; x.total < cost {
		x.total = math.MaxUint64
	}
	if x.costliest == nil || cost > x.highestCost {
		x.costliest, x.highestCost = at, cost
	}
}

// factor returns the quotient of cost and limit as text for a message, such as "1.5". Above 100, it
// returns "more than 100".
func factor(cost, limit uint64) string {
	if f := float64(cost) / float64(limit); f <= 100 {
		return fmt.Sprintf("%.1f", f)
	}
	return "more than 100"
}

// firstLine returns the first line of a compiler message. The other lines repeat the
// source.
func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return tree.Shorten(strings.TrimPrefix(line, "compilation failed: ERROR: <input>:"), 4*tree.MaxValue)
}

// validations checks the fields of x-kubernetes-validations without compiling the rules.
func (c *checker) validations(n *tree.Node) {
	for _, x := range n.Rules {
		message := strings.TrimSpace(x.Message)
		switch {
		case strings.TrimSpace(x.Text) == "":
			c.add(Validations, x.At.At("rule"), "want a rule, found none")
		case x.Message != "" && message == "":
			c.add(Validations, x.At.At("message"), "want a message, found only spaces; write one, or remove the field")
		case hasLineBreak(message):
			c.add(Validations, x.At.At("message"), "want a message of one line, found several")
		case hasLineBreak(strings.TrimSpace(x.Text)) && message == "":
			c.add(Validations, x.At, "a rule of several lines needs a message; add one")
		}
		if x.MessageExpression != "" && strings.TrimSpace(x.MessageExpression) == "" {
			c.add(Validations, x.At.At("messageExpression"), "want an expression, found only spaces; write one, or remove the field")
		}
		if x.HasReason && !slices.Contains(reasons, x.Reason) {
			c.add(Validations, x.At.At("reason"), "want one of %s, found %q", strings.Join(reasons, ", "), tree.Shorten(x.Reason, tree.MaxValue))
		}
		switch {
		case x.Field == "":
		case strings.TrimSpace(x.Field) == "":
			c.add(Validations, x.At.At("fieldPath"), "want a path, found only spaces; write one, or remove the field")
		case hasLineBreak(x.Field):
			c.add(Validations, x.At.At("fieldPath"), "want a path of one line, found several")
		}
	}
}

// reasons lists the valid values for a rule's field "reason".
var reasons = []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"}

func hasLineBreak(s string) bool { return strings.ContainsAny(s, "\n\r") }
