// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// maxCallCost limits the estimated cost of one run of a rule with nested loops. The API
// server stops a run whose actual cost exceeds 1,000,000, and estimates are about 1.5 times
// the actual cost. Rules without nested loops need no limit, because no request is large
// enough to make such a rule that expensive.
const maxCallCost = 1_600_000

// translatedRule is a rule that is cheap enough for the CRD. cost is the estimated cost of
// all its runs on one object.
type translatedRule struct {
	*plannedRule
	rule  string
	found []Doubt
	cost  uint64
}

// translate writes a planned rule, or records why the rule is omitted.
func (t *translator) translate(w *plannedRule) {
	rule, b := t.write(w, nil)
	if len(b.doubtsFound) > 0 {
		t.markInexact(w)
	}
	if t.options.Policy && !t.writtenByScale(w) && slices.ContainsFunc(b.doubtsFound, func(d Doubt) bool { return d.Refuses }) {
		return // a policy enforces the marker instead
	}
	switch {
	case b.tooLong(rule):
		t.reportNoRule(w)
		return
	case rule == "":
		t.Doubts = append(t.Doubts, b.doubtsFound...)
		return
	}
	cost, err := t.costOf(w, rule, b, nil)
	switch {
	case errors.Is(err, errTooCostly):
		t.reportMissing(w, t.affordable())
	case err != nil:
		t.reportNoRule(w)
	default:
		t.translated = append(t.translated, &translatedRule{w, rule, b.doubtsFound, cost})
	}
}

// affordable returns the limit for the estimated cost of one rule. For old API servers, the
// limit is lower, because their estimates are up to a tenth higher for some rules.
func (t *translator) affordable() uint64 {
	if t.options.Dialect == Newest {
		return tree.MaxRuleCost
	}
	return tree.MaxRuleCost * 4 / 5
}

// writtenByScale reports whether a request to the scale subresource can change the marked
// field. Only a CEL rule in the CRD can check such a request, because an admission policy
// sees only the Scale object.
func (t *translator) writtenByScale(w *plannedRule) bool {
	subresources, _ := t.version.Raw["subresources"].(map[string]any)
	scale, _ := subresources["scale"].(map[string]any)
	path, _ := scale["specReplicasPath"].(string)
	field := fieldOfSchema(w.marked.At)
	return path != "" && (strings.HasPrefix(path, field) || strings.HasPrefix(field, path))
}

// markInexact records that the markers of w are not enforced exactly, because the rule is missing or
// differs from the markers. A policy can then enforce the markers.
func (t *translator) markInexact(w *plannedRule) {
	for _, n := range w.allMarked() {
		t.inexact[n] = true
	}
}

// reportNoRule records a doubt for each marker of w, because the rule is too large to compile.
func (t *translator) reportNoRule(w *plannedRule) {
	for _, n := range w.allMarked() {
		t.doubt(n, n, NoRule)
	}
}

// limitTotal removes the most expensive rules until the total cost of the version's rules
// is within the limit.
func (t *translator) limitTotal() {
	sum := t.handwrittenCost([]*tree.Node{t.version.Schema})
	for _, m := range t.translated {
		sum = add(sum, m.cost)
	}
	byCost := slices.Clone(t.translated)
	slices.SortStableFunc(byCost, func(a, b *translatedRule) int { return cmp.Compare(a.cost, b.cost) })
	out := map[*translatedRule]bool{}
	for sum > tree.MaxTotalCost*4/5 && len(byCost) > 0 {
		most := byCost[len(byCost)-1]
		byCost = byCost[:len(byCost)-1]
		out[most] = true
		sum -= most.cost
		t.reportMissing(most.plannedRule, min(t.affordable(), (tree.MaxTotalCost*4/5-min(sum, tree.MaxTotalCost*4/5))/uint64(len(byCost)+1)))
	}
	t.translated = slices.DeleteFunc(t.translated, func(m *translatedRule) bool { return out[m] })
	for _, m := range t.translated {
		t.Rules = append(t.Rules, ValidationRule{
			Version: t.version.Name, Path: m.host.At.String(), Marked: m.marked.At.String(), Marker: m.marker,
			Rule: m.rule, Message: m.constraint.message(), Reason: m.constraint.reason(), FieldPath: m.field, host: m.host,
		})
		t.Doubts = append(t.Doubts, m.found...)
	}
}

func add(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// handwrittenCost returns the total cost of the rules that the CRD's author wrote in a schema and in
// all schemas below it. The path leads from the root to that schema.
func (t *translator) handwrittenCost(path []*tree.Node) (sum uint64) {
	n := path[len(path)-1]
	for _, r := range n.Rules {
		if !isGenerated(r.Text) {
			// The rule compiles, because the CRD is valid.
			each, times, err := t.estimate(path, n, r.Text, r.OptionalOldSelf, nil, t.newest())
			if err == nil {
				sum = add(sum, tree.Cost(each, times))
			}
		}
	}
	n.Each(func(child *tree.Node) { sum = add(sum, t.handwrittenCost(append(path[:len(path):len(path)], child))) })
	return sum
}

var errTooCostly = errors.New("the rule costs too much")

// costOf returns the total cost of a rule that b wrote. It returns errTooCostly if the
// cost is too high, or if the rule cannot be written without additional bounds.
func (t *translator) costOf(w *plannedRule, rule string, b *builder, more bounds) (uint64, error) {
	if len(b.missingBounds) > 0 {
		return 0, errTooCostly
	}
	each, times, err := t.estimate(w.path, w.scope, rule, false, more, t.environment())
	if err != nil {
		return 0, err
	}
	all := tree.Cost(each, times)
	if all > t.affordable() {
		return 0, errTooCostly
	}
	if b.nestedLoops && each > maxCallCost {
		// Estimate the cost again for short strings. No request is large enough for an object in
		// which all strings are long.
		short := maps.Clone(more)
		if short == nil {
			short = bounds{}
		}
		for _, n := range w.sizedSchemas() {
			if _, bounded := more.limit(n); boundKeyword(n) == "maxLength" && !bounded {
				short[n] = 64
			}
		}
		if each, _, err = t.estimate(w.path, w.scope, rule, false, short, t.environment()); err != nil {
			return 0, err
		} else if each > maxCallCost {
			return 0, errTooCostly
		}
	}
	return all, nil
}

// environment returns the CEL environment that supports the dialect of the generated rules.
func (t *translator) environment() *environment.EnvSet {
	if t.options.Dialect == Newest {
		return t.newest()
	}
	return environment.MustBaseEnvSet(version.MajorMinor(1, 30))
}

func (t *translator) newest() *environment.EnvSet {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
}

// estimate returns the estimated cost of one run of a rule, and the number of runs per object. The
// last schema in path is the one that the rule is attached to. scope is the schema
// whose values the rule checks: the last schema itself or one of its properties.
func (t *translator) estimate(path []*tree.Node, scope *tree.Node, rule string, optional bool, more bounds, env *environment.EnvSet) (each, times uint64, err error) {
	n := path[len(path)-1]
	s := *n.Structural
	if scope == n {
		s = *more.schema(n)
	} else {
		s.Properties = map[string]structural.Structural{scope.At.Field: *more.schema(scope)}
	}
	s.XValidations = apiextensionsv1.ValidationRules{{Rule: rule}}
	if optional {
		s.XValidations[0].OptionalOldSelf = &optional
	}
	declared := model.SchemaDeclType(&s, n == t.version.Schema || n.Embedded)
	results, err := cel.Compile(&s, declared, celconfig.PerCallLimit, env, cel.NewExpressionsEnvLoader())
	if err != nil {
		return 0, 0, err
	}
	if results[0].Error != nil {
		return 0, 0, results[0].Error
	}
	times = 1
	for _, up := range path[:len(path)-1] {
		times = tree.Multiply(times, more.elements(up))
	}
	if times == tree.Unbounded {
		times = t.cardinality(n)
	}
	return results[0].MaxCost, times, nil
}

// cardinality returns the maximum number of values of a schema that fit into one request.
func (t *translator) cardinality(n *tree.Node) uint64 {
	if t.cardinalities[n] == 0 {
		s := *n.Structural
		s.XValidations = apiextensionsv1.ValidationRules{{Rule: "true"}}
		declared := model.SchemaDeclType(&s, n == t.version.Schema || n.Embedded)
		results, err := cel.Compile(&s, declared, celconfig.PerCallLimit, t.newest(), cel.NewExpressionsEnvLoader())
		if err != nil {
			return math.MaxUint64 // the rule itself did not compile
		}
		t.cardinalities[n] = results[0].MaxCardinality
	}
	return t.cardinalities[n]
}

// elements returns the maximum number of child values of one value of n.
func (b bounds) elements(n *tree.Node) uint64 {
	if most, ok := b[n]; ok {
		return min(uint64(most), tree.Elements(n))
	}
	return tree.Elements(n)
}

// schema returns the schema n with the bounds b added. It drops bounds that old API
// servers ignore when they estimate costs.
func (b bounds) schema(n *tree.Node) *structural.Structural {
	s := *n.Structural
	if n.IntString && s.ValueValidation != nil {
		values := *s.ValueValidation
		values.MaxLength = nil
		s.ValueValidation = &values
	}
	if most, ok := b[n]; ok {
		values := structural.ValueValidation{}
		if s.ValueValidation != nil {
			values = *s.ValueValidation
		}
		switch boundKeyword(n) {
		case "maxItems":
			values.MaxItems = &most
		case "maxProperties":
			values.MaxProperties = &most
		case "maxLength":
			values.MaxLength = &most
		}
		s.ValueValidation = &values
	}
	if n.Items != nil {
		s.Items = b.schema(n.Items)
	}
	if n.Additional != nil {
		s.AdditionalProperties = &structural.StructuralOrBool{Structural: b.schema(n.Additional)}
	}
	if n.Properties != nil {
		s.Properties = make(map[string]structural.Structural, len(n.Properties))
		for name, p := range n.Properties {
			s.Properties[name] = *b.schema(p)
		}
	}
	return &s
}
