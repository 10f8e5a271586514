package crd

import (
	"errors"
	"fmt"
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
)

// MissingBound is a rule that was left out for what it costs.
type MissingBound struct {
	// Document and Line are where the marked schema is.
	Document string
	Line     int
	// Marked is the schema with the marker.
	Marked, Marker string
	// Bounds are those with which the rule would be made, all together; empty if
	// no bounds would do.
	Bounds []Bound
	// Message says the same in words.
	Message string
}

// Bound is an upper bound for a schema.
type Bound struct {
	Document string
	Line     int
	// Path is the schema, Keyword maxItems, maxProperties or maxLength.
	Path, Keyword string
	// Steps are the path as names of fields and indexes of items, which
	// [manifest.Object.At] takes.
	Steps []any
	// Most is a bound that fits; Found is the one that is there, -1 if there is
	// none.
	Most, Found int64
}

// maxCallCost is what one run of a rule with loops in loops may cost by estimate.
// The API server has a bound for what it costs in fact, 1,000,000, of which the
// estimate is half as much again. What goes through a list once stays below, since
// no object is larger than a request.
const maxCallCost = 1_600_000

// made is a rule that can be made, and what all its runs cost by estimate.
type made struct {
	*want
	rule  string
	found []Doubt
	cost  uint64
}

// settle makes the rule that is wanted, or says why there is none.
func (t *translator) settle(w *want) {
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
		return maxRuleCost
	}
	return maxRuleCost * 4 / 5
}

// scaled says whether the scale subresource writes what is marked: policies see
// that as another object, and rules do not.
func (t *translator) scaled(w *want) bool {
	subresources, _ := t.version.raw["subresources"].(map[string]any)
	scale, _ := subresources["scale"].(map[string]any)
	path, _ := scale["specReplicasPath"].(string)
	field := fieldOfSchema(w.marked.at)
	return path != "" && (strings.HasPrefix(path, field) || strings.HasPrefix(field, path))
}

// unsay notes that what is wanted is not, or not exactly, what the rule says.
func (t *translator) unsay(w *want) {
	t.unsaid[w.marked] = true
	var below func(n *node)
	below = func(n *node) {
		if len(n.marked()) > 0 {
			t.unsaid[n] = true
		}
		if !n.whole() {
			n.eachThatChanges(below)
		}
	}
	if w.host == w.scope && w.marked != w.scope { // one rule for all that is below
		below(w.scope)
	}
}

// total leaves out the rules that cost most until all of the version cost no
// more than they may.
func (t *translator) total() {
	sum := t.handwritten([]*node{t.version.schema})
	for _, m := range t.made {
		sum = add(sum, m.cost)
	}
	for sum > maxTotalCost*4/5 && len(t.made) > 0 {
		most := slices.MaxFunc(t.made, func(a, b *made) int {
			if a.cost < b.cost {
				return -1
			}
			return 1
		})
		t.made = slices.DeleteFunc(t.made, func(m *made) bool { return m == most })
		sum -= most.cost
		t.missing(most.want, min(t.affordable(), (maxTotalCost*4/5-min(sum, maxTotalCost*4/5))/uint64(len(t.made)+1)))
	}
	for _, m := range t.made {
		t.Rules = append(t.Rules, TransitionRule{
			Version: t.version.Name, Path: m.host.at.String(), Marked: m.marked.at.String(), Marker: m.marker,
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
func (t *translator) handwritten(way []*node) (sum uint64) {
	n := way[len(way)-1]
	for _, r := range n.rules {
		if !isMade(r.rule) {
			// The rule was found to compile when the CRD was validated.
			each, times, err := t.estimate(way, n, r.rule, r.optionalOldSelf, nil, t.newest())
			if err == nil {
				sum = add(sum, cost(each, times))
			}
		}
	}
	n.each(func(child *node) { sum = add(sum, t.handwritten(append(way[:len(way):len(way)], child))) })
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
	all := cost(each, times)
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
			if _, bounded := more.of(n); n.boundedBy() == "maxLength" && !bounded {
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
func (t *translator) estimate(way []*node, scope *node, rule string, optional bool, more bounds, env *environment.EnvSet) (each, times uint64, err error) {
	n := way[len(way)-1]
	s := *n.structural
	if scope == n {
		s = *more.schema(n)
	} else {
		s.Properties = map[string]structural.Structural{scope.at.field: *more.schema(scope)}
	}
	s.XValidations = apiextensionsv1.ValidationRules{{Rule: rule}}
	if optional {
		s.XValidations[0].OptionalOldSelf = &optional
	}
	declared := model.SchemaDeclType(&s, n == t.version.schema || n.embedded)
	results, err := cel.Compile(&s, declared, celconfig.PerCallLimit, env, cel.NewExpressionsEnvLoader())
	if err != nil {
		return 0, 0, err
	}
	if results[0].Error != nil {
		return 0, 0, results[0].Error
	}
	times = 1
	for _, up := range way[:len(way)-1] {
		times = multiply(times, more.elements(up))
	}
	if times == unbounded {
		times = t.cardinality(n)
	}
	return results[0].MaxCost, times, nil
}

// cardinality is how many values of a schema a request has room for.
func (t *translator) cardinality(n *node) uint64 {
	if t.cardinalities[n] == 0 {
		s := *n.structural
		s.XValidations = apiextensionsv1.ValidationRules{{Rule: "true"}}
		declared := model.SchemaDeclType(&s, n == t.version.schema || n.embedded)
		results, err := cel.Compile(&s, declared, celconfig.PerCallLimit, t.newest(), cel.NewExpressionsEnvLoader())
		if err != nil {
			return math.MaxUint64 // the rule itself did not compile
		}
		t.cardinalities[n] = results[0].MaxCardinality
	}
	return t.cardinalities[n]
}

// elements is how many values the children of n have for each value of n.
func (b bounds) elements(n *node) uint64 {
	if most, ok := b[n]; ok {
		return min(uint64(most), elements(n))
	}
	return elements(n)
}

// schema is the schema n with more bounds, and without those that API servers of
// old do not look at when they estimate costs.
func (b bounds) schema(n *node) *structural.Structural {
	s := *n.structural
	if n.intString && s.ValueValidation != nil {
		values := *s.ValueValidation
		values.MaxLength = nil
		s.ValueValidation = &values
	}
	if most, ok := b[n]; ok {
		values := structural.ValueValidation{}
		if s.ValueValidation != nil {
			values = *s.ValueValidation
		}
		switch n.boundedBy() {
		case "maxItems":
			values.MaxItems = &most
		case "maxProperties":
			values.MaxProperties = &most
		case "maxLength":
			values.MaxLength = &most
		}
		s.ValueValidation = &values
	}
	if n.items != nil {
		s.Items = b.schema(n.items)
	}
	if n.additional != nil {
		s.AdditionalProperties = &structural.StructuralOrBool{Structural: b.schema(n.additional)}
	}
	if n.properties != nil {
		s.Properties = make(map[string]structural.Structural, len(n.properties))
		for name, p := range n.properties {
			s.Properties[name] = *b.schema(p)
		}
	}
	return &s
}

// path is the way from the root down to a schema, both included.
func (t *translator) path(to *node) []*node {
	var way []*node
	for ; to != nil; to = t.above[to] {
		way = append(way, to)
	}
	slices.Reverse(way)
	return way
}

// climb notes what is above each schema below n.
func (t *translator) climb(n *node) {
	n.each(func(child *node) {
		t.above[child] = n
		t.climb(child)
	})
}

// dimensions are the schemas whose size what a rule costs can depend on.
func (w *want) dimensions() (all []*node) {
	for _, up := range w.way[:len(w.way)-1] {
		if up.boundedBy() != "" {
			all = append(all, up)
		}
	}
	var below func(n *node)
	below = func(n *node) {
		if n.boundedBy() != "" {
			all = append(all, n)
		}
		n.each(below)
	}
	below(w.scope)
	return all
}

var (
	// counts are the bounds that are tried for lists and maps, lengths those for
	// strings; 0 leaves them as they are.
	counts  = []int64{1000, 500, 256, 128, 100, 64, 32, 16, 10, 8, 5, 4, 3, 2, 1}
	lengths = []int64{0, 253, 64}
)

// maxSearches is for how many rules of a version bounds are looked for.
const maxSearches = 100

// enough is a bound of lists that most can live with.
const enough = 16

// missing reports a rule that cannot be made, with bounds that would let it cost
// no more than most.
func (t *translator) missing(w *want, most uint64) {
	position := func(n *node) (string, int) {
		p := t.definition.object.At(n.at.steps()...)
		return p.File, p.Line
	}
	t.unsay(w)
	m := MissingBound{Marked: w.marked.at.String(), Marker: w.marker}
	m.Document, m.Line = position(w.marked)
	var fitting bounds
	if t.searches++; t.searches <= maxSearches {
		fitting = t.fitting(w, most)
	}
	var words []string
	for _, n := range w.dimensions() {
		limit, ok := fitting[n]
		if !ok {
			continue
		}
		b := Bound{Path: n.at.String(), Steps: n.at.steps(), Keyword: n.boundedBy(), Most: limit, Found: -1}
		b.Document, b.Line = position(n)
		there := ""
		if found, ok := n.raw[b.Keyword].(int64); ok {
			b.Found, there = found, fmt.Sprintf(" instead of %d", found)
		}
		m.Bounds = append(m.Bounds, b)
		words = append(words, fmt.Sprintf("%s: %d%s at %s (line %d)", b.Keyword, b.Most, there, b.Path, b.Line))
	}
	m.Message = fmt.Sprintf("no rule for %s: ", w.marker)
	if t.searches > maxSearches {
		m.Message += "it would cost more than API servers allow; what would do is found out once others are mended"
	} else if len(words) == 0 {
		m.Message += "it costs more than API servers allow, whatever bounds the schema has; mark less, or use a ValidatingAdmissionPolicy"
	} else {
		m.Message += "it would cost more than API servers allow; it fits with " + strings.Join(words, " and ")
	}
	t.Missing = append(t.Missing, m)
}

// fitting returns bounds with which a rule costs no more than most, none of them
// without need; nil if there are none.
func (t *translator) fitting(w *want, most uint64) bounds {
	all := w.dimensions()
	fits := func(b bounds) bool {
		rule, writer := t.write(w, b)
		cost, err := t.costOf(w, rule, writer, b)
		return !writer.tooLong(rule) && err == nil && cost <= most
	}
	limit := func(count, length int64) bounds {
		b := bounds{}
		for _, n := range all {
			most := count
			if n.boundedBy() == "maxLength" {
				most = length
			}
			if found, ok := n.raw[n.boundedBy()].(int64); most > 0 && (!ok || found > most) {
				b[n] = most
			}
		}
		return b
	}
	var best bounds
	bestCount := int64(0)
	for _, length := range lengths {
		i, _ := slices.BinarySearchFunc(counts, true, func(count int64, _ bool) int {
			if fits(limit(count, length)) {
				return 0
			}
			return -1
		})
		if i < len(counts) && counts[i] > bestCount {
			best, bestCount = limit(counts[i], length), counts[i]
		}
		if bestCount >= enough {
			break
		}
	}
	if best == nil {
		return nil
	}
	return least(best, all, fits)
}

// least leaves out the bounds that make no difference, as many at once as it
// can.
func least(b bounds, order []*node, fits func(bounds) bool) bounds {
	var drop func(some []*node)
	drop = func(some []*node) {
		without := maps.Clone(b)
		for _, n := range some {
			delete(without, n)
		}
		switch {
		case fits(without):
			b = without
		case len(some) > 1:
			drop(some[:len(some)/2])
			drop(some[len(some)/2:])
		}
	}
	bounded := slices.DeleteFunc(slices.Clone(order), func(n *node) bool { _, ok := b[n]; return !ok })
	if len(bounded) > 0 {
		drop(bounded)
	}
	return b
}
