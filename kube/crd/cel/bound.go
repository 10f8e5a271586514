// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// MissingBound describes a marker that gets no CEL rule, because the rule would cost too
// much. Bounds such as maxItems may make the rule cheap enough.
type MissingBound struct {
	// Document and Line are the position of the schema with the marker.
	Document string
	Line     int
	// Marked is the path of the schema with the marker. Marker is the name of the marker.
	Marked, Marker string
	// Bounds lists the bounds to add. Together, they make the rule cheap enough. The list is
	// empty if no bounds are sufficient.
	Bounds []Bound
	// Message names the missing rule and the bounds to add.
	Message string
}

// Bound is an upper bound for the size of a schema's values.
type Bound struct {
	Document string
	Line     int
	// Path is the path of the schema. Keyword is maxItems, maxProperties or maxLength.
	Path, Keyword string
	// Steps is Path as a list of field names and list indexes, for use with [manifest.Object.At].
	Steps []any
	// Most is a value of Keyword for which the rule is cheap enough. Found is the current
	// value of Keyword, or -1 if the schema does not set Keyword.
	Most, Found int64
}

// path returns the ancestors of a schema, starting at the root, followed by the schema itself.
func (t *translator) path(to *tree.Node) []*tree.Node {
	var path []*tree.Node
	for ; to != nil; to = t.above[to] {
		path = append(path, to)
	}
	slices.Reverse(path)
	return path
}

// recordParents stores the parent of each schema below n in t.above.
func (t *translator) recordParents(n *tree.Node) {
	n.Each(func(child *tree.Node) {
		t.above[child] = n
		t.recordParents(child)
	})
}

// sizedSchemas returns the schemas of the lists, maps and strings whose size affects the cost
// of the rule.
func (w *plannedRule) sizedSchemas() (all []*tree.Node) {
	for _, up := range w.path[:len(w.path)-1] {
		if boundKeyword(up) != "" {
			all = append(all, up)
		}
	}
	var below func(n *tree.Node)
	below = func(n *tree.Node) {
		if boundKeyword(n) != "" {
			all = append(all, n)
		}
		n.Each(below)
	}
	below(w.scope)
	return all
}

var (
	// countBounds lists the bounds to try for lists and maps, highest first. lengthBounds lists the
	// bounds to try for strings. The entry 0 means that strings get no bound.
	countBounds  = []int64{1000, 500, 256, 128, 100, 64, 32, 16, 10, 8, 5, 4, 3, 2, 1}
	lengthBounds = []int64{0, 253, 64}
)

// maxSearches limits the work for one version of a CRD. It is the maximum number of rules for which
// the translator searches for bounds.
const maxSearches = 100

// enoughItems is the bound for lists and maps at which a search stops. Few lists are longer, so a
// higher bound is not worth more attempts.
const enoughItems = 16

// reportMissing reports each marker that the rule w would enforce. The rule is omitted because its cost is
// above the limit, which is the parameter most. reportMissing also searches for bounds in the schema, such
// as maxItems, that make the rule cheap enough.
func (t *translator) reportMissing(w *plannedRule, most uint64) {
	position := func(n *tree.Node) (string, int) {
		p := t.definition.Object().At(n.At.Steps()...)
		return p.File, p.Line
	}
	t.markInexact(w)
	var needed []Bound
	var fitting bounds
	if t.searches++; t.searches <= maxSearches {
		fitting = t.fittingBounds(w, most)
	}
	var words []string
	longStrings := false
	for _, n := range w.sizedSchemas() {
		limit, ok := fitting[n]
		if !ok {
			longStrings = longStrings || boundKeyword(n) == "maxLength" && n.Raw["maxLength"] == nil
			continue
		}
		b := Bound{Path: n.At.String(), Steps: n.At.Steps(), Keyword: boundKeyword(n), Most: limit, Found: -1}
		b.Document, b.Line = position(n)
		there := ""
		if found, ok := n.Raw[b.Keyword].(int64); ok {
			b.Found, there = found, fmt.Sprintf(" instead of %d", found)
		}
		needed = append(needed, b)
		words = append(words, fmt.Sprintf("%s: %d%s at %s (line %d)", b.Keyword, b.Most, there, b.Path, b.Line))
	}
	reason := "it would cost more than API servers allow; set " + strings.Join(words, " and ")
	if longStrings {
		reason += "; with maxLength on the strings inside, higher bounds may fit"
	}
	if t.searches > maxSearches {
		reason = "it would cost more than API servers allow; reduce the cost of the other rules, then run the translation again to get bounds for this rule"
	} else if len(words) == 0 {
		reason = "it would cost more than API servers allow, whatever bounds the schema has; mark a smaller part, or use a ValidatingAdmissionPolicy"
	}
	for _, n := range w.allMarked() {
		m := MissingBound{Marked: n.At.String(), Marker: markerFor(n, w.constraint), Bounds: slices.Clone(needed)}
		m.Document, m.Line = position(n)
		m.Message = fmt.Sprintf("no rule is generated for %s, because %s", m.Marker, reason)
		t.Missing = append(t.Missing, m)
	}
}

// fittingBounds returns bounds that make a rule cheap enough, or nil if there are no such bounds.
// The argument most is the highest allowed cost.
func (t *translator) fittingBounds(w *plannedRule, most uint64) bounds {
	all := w.sizedSchemas()
	fits := func(b bounds) bool {
		rule, writer := t.write(w, b)
		cost, err := t.costOf(w, rule, writer, b)
		return !writer.tooLong(rule) && err == nil && cost <= most
	}
	limit := func(count, length int64) bounds {
		b := bounds{}
		for _, n := range all {
			most := count
			if boundKeyword(n) == "maxLength" {
				most = length
			}
			if found, ok := n.Raw[boundKeyword(n)].(int64); most > 0 && (!ok || found > most) {
				b[n] = most
			}
		}
		return b
	}
	var best bounds
	bestCount := int64(0)
	for _, length := range lengthBounds {
		i, _ := slices.BinarySearchFunc(countBounds, true, func(count int64, _ bool) int {
			if fits(limit(count, length)) {
				return 0
			}
			return -1
		})
		if i < len(countBounds) && countBounds[i] > bestCount {
			best, bestCount = limit(countBounds[i], length), countBounds[i]
		}
		if bestCount >= enoughItems {
			break
		}
	}
	if best == nil {
		return nil
	}
	return minimalBounds(best, all, fits)
}

// minimalBounds removes the bounds that the rule does not need. It tries to remove half of
// the bounds at once, because that needs fewer attempts than removing them one by one.
func minimalBounds(b bounds, order []*tree.Node, fits func(bounds) bool) bounds {
	var drop func(some []*tree.Node)
	drop = func(some []*tree.Node) {
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
	bounded := slices.DeleteFunc(slices.Clone(order), func(n *tree.Node) bool { _, ok := b[n]; return !ok })
	if len(bounded) > 0 {
		drop(bounded)
	}
	return b
}
