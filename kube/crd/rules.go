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

// ruleChecker compiles the rules of one version.
type ruleChecker struct {
	*report
	env   *environment.EnvSet
	total uint64
	// most is the rule that costs most, for whoever has to save.
	most     *tree.Place
	mostCost uint64
}

// checkRules compiles the rules of x-kubernetes-validations, estimates what
// they cost and checks what they refer to. The schema has no other errors.
func (v *Version) checkRules(r *report) {
	if !hasRule(v.doc.Schema) && len(v.doc.Raw) == 0 {
		return
	}
	if hasRule(v.doc.Schema) {
		if err := v.structure(); err != nil {
			r.add(Malformed, v.doc.Schema.At, "want a schema that the API server can read: %v", err)
			return
		}
		x := &ruleChecker{report: r, env: environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())}
		x.check(v.doc.Schema, true, 1, nil, false)
		if x.total > tree.MaxTotalCost {
			r.add(Cost, v.doc.Schema.At, "want rules that cost %d together, found %s times as much by estimate; most is by %s; %s",
				tree.MaxTotalCost, factor(x.total, tree.MaxTotalCost), x.most, save)
		}
	}
}

const save = "make the rule simpler, or give maxItems, maxProperties and maxLength to the lists, maps and strings it goes through"

func hasRule(n *tree.Node) bool {
	found := len(n.Rules) > 0
	n.Each(func(child *tree.Node) { found = found || hasRule(child) })
	return found
}

// check checks the rules of n and below. times is how often a value of n can be
// there; loose is the place above from which on old and new values cannot be
// told apart, nil if there is none; ruled says that there are rules above.
func (x *ruleChecker) check(n *tree.Node, root bool, times uint64, loose *tree.Place, ruled bool) {
	ruled = ruled || len(n.Rules) > 0
	x.odd(n, ruled)
	if len(n.Rules) > 0 {
		x.compile(n, root || n.Embedded, times, loose)
	}
	below := loose
	if below == nil && !cel.MapIsCorrelatable(n.Structural.XMapType) {
		below = n.At
	}
	for _, name := range n.Names() {
		x.check(n.Properties[name], false, tree.Multiply(times, tree.Elements(n)), below, ruled)
	}
	if n.Additional != nil {
		x.check(n.Additional, false, tree.Multiply(times, tree.Elements(n)), loose, ruled)
	}
	if n.Items != nil {
		below := loose
		if below == nil && n.ListType != "map" {
			below = n.At
		}
		x.check(n.Items, false, tree.Multiply(times, tree.Elements(n)), below, ruled)
	}
}

// odd refuses rules about the items of what is no list, or the values of what is
// no map, where there are rules above, too: the API server panics.
func (x *ruleChecker) odd(n *tree.Node, ruled bool) {
	if !ruled {
		return
	}
	if n.Items != nil && n.Kind != "array" && hasRule(n.Items) {
		x.add(Validations, n.Items.At, "want no items with rules where the type is %s; remove them", tree.OrNone(n.Kind))
	}
	if n.Additional != nil && n.Kind != "object" && hasRule(n.Additional) {
		x.add(Validations, n.Additional.At, "want no additionalProperties with rules where the type is %s; remove them", tree.OrNone(n.Kind))
	}
}

func (x *ruleChecker) compile(n *tree.Node, root bool, times uint64, loose *tree.Place) {
	for _, r := range n.Rules {
		if r.Field == "" {
			continue
		}
		if _, _, err := cel.ValidFieldPath(r.Field, n.Structural); err != nil {
			x.add(Validations, r.At.At("fieldPath"), "want the path of a field below, such as .spec.replicas: %v", err)
		}
	}
	declared := model.SchemaDeclType(n.Structural, root)
	if declared == nil {
		x.add(Validations, n.At.At("x-kubernetes-validations"), "want a type that rules can be about, found none: x-kubernetes-preserve-unknown-fields without type has no fields")
		return
	}
	results, err := cel.Compile(n.Structural, declared, celconfig.PerCallLimit, x.env, cel.NewExpressionsEnvLoader())
	if err != nil {
		x.add(Validations, n.At.At("x-kubernetes-validations"), "want rules that compile: %v", err)
		return
	}
	for i, result := range results {
		x.result(&n.Rules[i], result, times, loose)
	}
}

func (x *ruleChecker) result(r *tree.Rule, result cel.CompilationResult, times uint64, loose *tree.Place) {
	if times == tree.Unbounded {
		times = result.MaxCardinality
	}
	x.cost(r.At.At("rule"), tree.Cost(result.MaxCost, times))
	if result.Error != nil {
		x.add(Validations, r.At.At("rule"), "want a rule that compiles: %s", firstLine(result.Error.Detail))
	}
	if result.MessageExpressionError != nil {
		x.add(Validations, r.At.At("messageExpression"), "want an expression that compiles: %s", firstLine(result.MessageExpressionError.Detail))
	} else if result.MessageExpression != nil {
		x.cost(r.At.At("messageExpression"), result.MessageExpressionMaxCost)
	}
	switch {
	case result.UsesOldSelf && loose != nil:
		x.add(Validations, r.At.At("rule"), "want no oldSelf below %s: which old value belongs to which new one cannot be told there; only maps and lists of type map have such names for their values", loose)
	case !result.UsesOldSelf && r.HasOptionalOldSelf:
		x.add(Validations, r.At.At("optionalOldSelf"), "want no optionalOldSelf in a rule that does not use oldSelf")
	}
}

func (x *ruleChecker) cost(at *tree.Place, cost uint64) {
	if cost > tree.MaxRuleCost {
		x.add(Cost, at, "want an estimated cost of %d at most, found %s times as much; %s", tree.MaxRuleCost, factor(cost, tree.MaxRuleCost), save)
	}
	if x.total += cost; x.total < cost {
		x.total = math.MaxUint64
	}
	if x.most == nil || cost > x.mostCost {
		x.most, x.mostCost = at, cost
	}
}

// factor says how many times over a limit a cost is, as far as it means
// something.
func factor(cost, limit uint64) string {
	if f := float64(cost) / float64(limit); f <= 100 {
		return fmt.Sprintf("%.1f", f)
	}
	return "more than 100"
}

// firstLine is what a compiler says, without the drawing of where.
func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return tree.Shorten(strings.TrimPrefix(line, "compilation failed: ERROR: <input>:"), 4*tree.MaxValue)
}

// validations checks the form of x-kubernetes-validations.
func (c *checker) validations(n *tree.Node) {
	for _, x := range n.Rules {
		message := strings.TrimSpace(x.Message)
		switch {
		case strings.TrimSpace(x.Text) == "":
			c.add(Validations, x.At.At("rule"), "want a rule, found none")
		case x.Message != "" && message == "":
			c.add(Validations, x.At.At("message"), "want a message, or none at all, found blanks")
		case hasLineBreak(message):
			c.add(Validations, x.At.At("message"), "want a message of one line, found several")
		case hasLineBreak(strings.TrimSpace(x.Text)) && message == "":
			c.add(Validations, x.At, "want a message, since the rule has several lines")
		}
		if x.MessageExpression != "" && strings.TrimSpace(x.MessageExpression) == "" {
			c.add(Validations, x.At.At("messageExpression"), "want an expression, or none at all, found blanks")
		}
		if x.HasReason && !slices.Contains(reasons, x.Reason) {
			c.add(Validations, x.At.At("reason"), "want one of %s, found %q", strings.Join(reasons, ", "), tree.Shorten(x.Reason, tree.MaxValue))
		}
		switch {
		case x.Field == "":
		case strings.TrimSpace(x.Field) == "":
			c.add(Validations, x.At.At("fieldPath"), "want a path, or none at all, found blanks")
		case hasLineBreak(x.Field):
			c.add(Validations, x.At.At("fieldPath"), "want a path of one line, found several")
		}
	}
}

// reasons are those of x-kubernetes-validations.
var reasons = []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"}

func hasLineBreak(s string) bool { return strings.ContainsAny(s, "\n\r") }
