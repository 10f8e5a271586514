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

// maxCallCost is what one run of a rule with loops in loops may cost by estimate. The API
// server stops a run that costs more than 1,000,000 in fact; estimates are about half
// as high again. Rules that go through lists once need no such bound: they cannot
// reach it, since no object is larger than a request.
const maxCallCost = 1_600_000

// made is a rule that can be made, and what all its runs cost by estimate.
type made struct {
	*want
	rule  string
	found []Doubt
	cost  uint64
}

// decide makes the rule that is wanted, or says why there is none.
func (t *translator) decide(w *want) {
	rule, b := t.write(w, nil)
	if len(b.found) > 0 {
		t.unsay(w)
	}
	if t.options.Policy && !t.scaled(w) && slices.ContainsFunc(b.found, func(d Doubt) bool { return d.Refuses }) {
		return // the policy has it
	}
	switch {
	case b.tooLong(rule):
		t.doubt(w.marked, w.marked, NoRule)
		return
	case rule == "":
		t.Doubts = append(t.Doubts, b.found...)
		return
	}
	cost, err := t.costOf(w, rule, b, nil)
	switch {
	case errors.Is(err, errTooCostly):
		t.missing(w, t.affordable())
	case err != nil:
		t.doubt(w.marked, w.marked, NoRule)
	default:
		t.made = append(t.made, &made{w, rule, b.found, cost})
	}
}

// affordable is what a rule may cost by estimate. API servers of old estimate a
// tenth more here and there.
func (t *translator) affordable() uint64 {
	if t.options.Dialect == Newest {
		return tree.MaxRuleCost
	}
	return tree.MaxRuleCost * 4 / 5
}

// scaled says whether the scale subresource writes what is marked. A policy cannot see
// that, since it is asked about a Scale; a rule can.
func (t *translator) scaled(w *want) bool {
	subresources, _ := t.version.Raw["subresources"].(map[string]any)
	scale, _ := subresources["scale"].(map[string]any)
	path, _ := scale["specReplicasPath"].(string)
	field := fieldOfSchema(w.marked.At)
	return path != "" && (strings.HasPrefix(path, field) || strings.HasPrefix(field, path))
}

// unsay notes that what is wanted is not, or not exactly, what the rule says.
func (t *translator) unsay(w *want) {
	t.unsaid[w.marked] = true
	var below func(n *tree.Node)
	below = func(n *tree.Node) {
		if len(n.Marked()) > 0 {
			t.unsaid[n] = true
		}
		if !n.MarkedWhole() {
			eachThatChanges(n, below)
		}
	}
	if w.host == w.scope && w.marked != w.scope { // one rule for all that is below
		below(w.scope)
	}
}

// total leaves out the rules that cost most until all of the version cost no
// more than they may.
func (t *translator) total() {
	sum := t.handwritten([]*tree.Node{t.version.Schema})
	for _, m := range t.made {
		sum = add(sum, m.cost)
	}
	byCost := slices.Clone(t.made)
	slices.SortStableFunc(byCost, func(a, b *made) int { return cmp.Compare(a.cost, b.cost) })
	out := map[*made]bool{}
	for sum > tree.MaxTotalCost*4/5 && len(byCost) > 0 {
		most := byCost[len(byCost)-1]
		byCost = byCost[:len(byCost)-1]
		out[most] = true
		sum -= most.cost
		t.missing(most.want, min(t.affordable(), (tree.MaxTotalCost*4/5-min(sum, tree.MaxTotalCost*4/5))/uint64(len(byCost)+1)))
	}
	t.made = slices.DeleteFunc(t.made, func(m *made) bool { return out[m] })
	for _, m := range t.made {
		t.Rules = append(t.Rules, ValidationRule{
			Version: t.version.Name, Path: m.host.At.String(), Marked: m.marked.At.String(), Marker: m.marker,
			Rule: m.rule, Message: m.meaning.message(), Reason: m.meaning.reason(), FieldPath: m.field, host: m.host,
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

// handwritten is what the rules at the end of a way and below cost that were not
// made here.
func (t *translator) handwritten(way []*tree.Node) (sum uint64) {
	n := way[len(way)-1]
	for _, r := range n.Rules {
		if !isMade(r.Text) {
			// The rule was found to compile when the CRD was validated.
			each, times, err := t.estimate(way, n, r.Text, r.OptionalOldSelf, nil, t.newest())
			if err == nil {
				sum = add(sum, tree.Cost(each, times))
			}
		}
	}
	n.Each(func(child *tree.Node) { sum = add(sum, t.handwritten(append(way[:len(way):len(way)], child))) })
	return sum
}

var errTooCostly = errors.New("the rule costs too much")

// costOf is what a rule that b wrote costs; errTooCostly if it is too much, or
// if the rule could not be written without more bounds.
func (t *translator) costOf(w *want, rule string, b *builder, more bounds) (uint64, error) {
	if len(b.lacks) > 0 {
		return 0, errTooCostly
	}
	each, times, err := t.estimate(w.way, w.scope, rule, false, more, t.environment())
	if err != nil {
		return 0, err
	}
	all := tree.Cost(each, times)
	if all > t.affordable() {
		return 0, errTooCostly
	}
	if b.steep && each > maxCallCost {
		// Strings are together no longer than a request is.
		short := maps.Clone(more)
		if short == nil {
			short = bounds{}
		}
		for _, n := range w.dimensions() {
			if _, bounded := more.of(n); boundedBy(n) == "maxLength" && !bounded {
				short[n] = 64
			}
		}
		if each, _, err = t.estimate(w.way, w.scope, rule, false, short, t.environment()); err != nil {
			return 0, err
		} else if each > maxCallCost {
			return 0, errTooCostly
		}
	}
	return all, nil
}

// environment is what rules may use.
func (t *translator) environment() *environment.EnvSet {
	if t.options.Dialect == Newest {
		return t.newest()
	}
	return environment.MustBaseEnvSet(version.MajorMinor(1, 30))
}

func (t *translator) newest() *environment.EnvSet {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
}

// estimate is what one run of a rule costs at the end of a way from the root, and
// how many runs an object takes. The rule is about all that is there, or only about
// the property scope.
func (t *translator) estimate(way []*tree.Node, scope *tree.Node, rule string, optional bool, more bounds, env *environment.EnvSet) (each, times uint64, err error) {
	n := way[len(way)-1]
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
	for _, up := range way[:len(way)-1] {
		times = tree.Multiply(times, more.elements(up))
	}
	if times == tree.Unbounded {
		times = t.cardinality(n)
	}
	return results[0].MaxCost, times, nil
}

// cardinality is how many values of a schema a request has room for.
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

// elements is how many values the children of n have for each value of n.
func (b bounds) elements(n *tree.Node) uint64 {
	if most, ok := b[n]; ok {
		return min(uint64(most), tree.Elements(n))
	}
	return tree.Elements(n)
}

// schema is the schema n with more bounds, and without those that API servers of
// old do not look at when they estimate costs.
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
		switch boundedBy(n) {
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
