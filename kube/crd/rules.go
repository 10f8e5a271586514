// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// rules compiles the rules of one version.
type rules struct {
	*report
	env   *environment.EnvSet
	total uint64
	// most is the rule that costs most, for whoever has to save.
	most     *place
	mostCost uint64
}

// checkRules compiles the rules of x-kubernetes-validations, estimates what
// they cost and checks what they refer to. The schema has no other errors.
func (v *Version) checkRules(r *report) {
	if !hasRule(v.doc.schema) && len(v.doc.raw) == 0 {
		return
	}
	if hasRule(v.doc.schema) {
		if err := v.structure(); err != nil {
			r.add(Malformed, v.doc.schema.at, "want a schema that the API server can read: %v", err)
			return
		}
		x := &rules{report: r, env: environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())}
		x.check(v.doc.schema, true, 1, nil, false)
		if x.total > maxTotalCost {
			r.add(Cost, v.doc.schema.at, "want rules that cost %d together, found %s times as much by estimate; most is by %s; %s",
				maxTotalCost, factor(x.total, maxTotalCost), x.most, save)
		}
	}
}

const save = "make the rule simpler, or give maxItems, maxProperties and maxLength to the lists, maps and strings it goes through"

func hasRule(n *node) bool {
	found := len(n.rules) > 0
	n.each(func(child *node) { found = found || hasRule(child) })
	return found
}

// check checks the rules of n and below. times is how often a value of n can be
// there; loose is the place above from which on old and new values cannot be
// told apart, nil if there is none; ruled says that there are rules above.
func (x *rules) check(n *node, root bool, times uint64, loose *place, ruled bool) {
	ruled = ruled || len(n.rules) > 0
	x.odd(n, ruled)
	if len(n.rules) > 0 {
		x.compile(n, root || n.embedded, times, loose)
	}
	below := loose
	if below == nil && !cel.MapIsCorrelatable(n.structural.XMapType) {
		below = n.at
	}
	for _, name := range n.names() {
		x.check(n.properties[name], false, multiply(times, elements(n)), below, ruled)
	}
	if n.additional != nil {
		x.check(n.additional, false, multiply(times, elements(n)), loose, ruled)
	}
	if n.items != nil {
		below := loose
		if below == nil && n.listType != "map" {
			below = n.at
		}
		x.check(n.items, false, multiply(times, elements(n)), below, ruled)
	}
}

// odd refuses rules about the items of what is no list, or the values of what is
// no map, where there are rules above, too: the API server panics.
func (x *rules) odd(n *node, ruled bool) {
	if !ruled {
		return
	}
	if n.items != nil && n.kind != "array" && hasRule(n.items) {
		x.add(Validations, n.items.at, "want no items with rules where the type is %s; remove them", orNone(n.kind))
	}
	if n.additional != nil && n.kind != "object" && hasRule(n.additional) {
		x.add(Validations, n.additional.at, "want no additionalProperties with rules where the type is %s; remove them", orNone(n.kind))
	}
}

func (x *rules) compile(n *node, root bool, times uint64, loose *place) {
	for _, r := range n.rules {
		if r.field == "" {
			continue
		}
		if _, _, err := cel.ValidFieldPath(r.field, n.structural); err != nil {
			x.add(Validations, r.at.at("fieldPath"), "want the path of a field below, such as .spec.replicas: %v", err)
		}
	}
	declared := model.SchemaDeclType(n.structural, root)
	if declared == nil {
		x.add(Validations, n.at.at("x-kubernetes-validations"), "want a type that rules can be about, found none: x-kubernetes-preserve-unknown-fields without type has no fields")
		return
	}
	results, err := cel.Compile(n.structural, declared, celconfig.PerCallLimit, x.env, cel.NewExpressionsEnvLoader())
	if err != nil {
		x.add(Validations, n.at.at("x-kubernetes-validations"), "want rules that compile: %v", err)
		return
	}
	for i, result := range results {
		x.result(&n.rules[i], result, times, loose)
	}
}

func (x *rules) result(r *rule, result cel.CompilationResult, times uint64, loose *place) {
	if times == unbounded {
		times = result.MaxCardinality
	}
	x.cost(r.at.at("rule"), cost(result.MaxCost, times))
	if result.Error != nil {
		x.add(Validations, r.at.at("rule"), "want a rule that compiles: %s", firstLine(result.Error.Detail))
	}
	if result.MessageExpressionError != nil {
		x.add(Validations, r.at.at("messageExpression"), "want an expression that compiles: %s", firstLine(result.MessageExpressionError.Detail))
	} else if result.MessageExpression != nil {
		x.cost(r.at.at("messageExpression"), result.MessageExpressionMaxCost)
	}
	switch {
	case result.UsesOldSelf && loose != nil:
		x.add(Validations, r.at.at("rule"), "want no oldSelf below %s: which old value belongs to which new one cannot be told there; only maps and lists of type map have such names for their values", loose)
	case !result.UsesOldSelf && r.hasOptionalOldSelf:
		x.add(Validations, r.at.at("optionalOldSelf"), "want no optionalOldSelf in a rule that does not use oldSelf")
	}
}

func (x *rules) cost(at *place, cost uint64) {
	if cost > maxRuleCost {
		x.add(Cost, at, "want an estimated cost of %d at most, found %s times as much; %s", maxRuleCost, factor(cost, maxRuleCost), save)
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
	return shorten(strings.TrimPrefix(line, "compilation failed: ERROR: <input>:"), 4*maxValue)
}

// validations checks the form of x-kubernetes-validations.
func (c *checker) validations(n *node) {
	for _, x := range n.rules {
		message := strings.TrimSpace(x.message)
		switch {
		case strings.TrimSpace(x.rule) == "":
			c.add(Validations, x.at.at("rule"), "want a rule, found none")
		case x.message != "" && message == "":
			c.add(Validations, x.at.at("message"), "want a message, or none at all, found blanks")
		case hasLineBreak(message):
			c.add(Validations, x.at.at("message"), "want a message of one line, found several")
		case hasLineBreak(strings.TrimSpace(x.rule)) && message == "":
			c.add(Validations, x.at, "want a message, since the rule has several lines")
		}
		if x.messageExpression != "" && strings.TrimSpace(x.messageExpression) == "" {
			c.add(Validations, x.at.at("messageExpression"), "want an expression, or none at all, found blanks")
		}
		if x.hasReason && !slices.Contains(reasons, x.reason) {
			c.add(Validations, x.at.at("reason"), "want one of %s, found %q", strings.Join(reasons, ", "), shorten(x.reason, maxValue))
		}
		switch {
		case x.field == "":
		case strings.TrimSpace(x.field) == "":
			c.add(Validations, x.at.at("fieldPath"), "want a path, or none at all, found blanks")
		case hasLineBreak(x.field):
			c.add(Validations, x.at.at("fieldPath"), "want a path of one line, found several")
		}
	}
}

// reasons are those of x-kubernetes-validations.
var reasons = []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"}

func hasLineBreak(s string) bool { return strings.ContainsAny(s, "\n\r") }
