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

// path is the way from the root down to a schema, both included.
func (t *translator) path(to *tree.Node) []*tree.Node {
	var way []*tree.Node
	for ; to != nil; to = t.above[to] {
		way = append(way, to)
	}
	slices.Reverse(way)
	return way
}

// climb notes what is above each schema below n.
func (t *translator) climb(n *tree.Node) {
	n.Each(func(child *tree.Node) {
		t.above[child] = n
		t.climb(child)
	})
}

// dimensions are the schemas whose size what a rule costs can depend on.
func (w *want) dimensions() (all []*tree.Node) {
	for _, up := range w.way[:len(w.way)-1] {
		if boundedBy(up) != "" {
			all = append(all, up)
		}
	}
	var below func(n *tree.Node)
	below = func(n *tree.Node) {
		if boundedBy(n) != "" {
			all = append(all, n)
		}
		n.Each(below)
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

// enough is a bound of lists with which the search ends: few lists are longer.
const enough = 16

// missing reports a rule that cannot be made, with bounds that would let it cost
// no more than most.
func (t *translator) missing(w *want, most uint64) {
	position := func(n *tree.Node) (string, int) {
		p := t.definition.Object().At(n.At.Steps()...)
		return p.File, p.Line
	}
	t.unsay(w)
	m := MissingBound{Marked: w.marked.At.String(), Marker: w.marker}
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
		b := Bound{Path: n.At.String(), Steps: n.At.Steps(), Keyword: boundedBy(n), Most: limit, Found: -1}
		b.Document, b.Line = position(n)
		there := ""
		if found, ok := n.Raw[b.Keyword].(int64); ok {
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
			if boundedBy(n) == "maxLength" {
				most = length
			}
			if found, ok := n.Raw[boundedBy(n)].(int64); most > 0 && (!ok || found > most) {
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

// least leaves out the bounds without which the rule fits as well. It tries halves
// first, so that few tries are needed.
func least(b bounds, order []*tree.Node, fits func(bounds) bool) bounds {
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
