// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// rule fills in what depends on other fields.
type rule struct {
	name string
	// says says what the rule does, in one sentence.
	says string
	// types are the definitions where it holds, and writes the fields below them that it
	// may fill in, where [] stands for the items of a list.
	types  []string
	writes []string
	// changes says that it changes what is set, and fills in nothing.
	changes bool
	// converts says that it is about the conversion to the internal version and back, and
	// convertsUntil that it was that until a minor release, and in defaulting since.
	converts      bool
	convertsUntil string
	// since and until are the first and the last minor release that have it, empty for
	// any.
	since, until string
	fill         func(*place)
}

// rules are all of them. Those of one type run in this order.
var rules = slices.Concat(
	podRules, podLevelRules, imageRules, volumeRules, aliasRules,
	serviceRules, nodeRules, limitRules, amountRules,
	strategyRules, templateRules, jobRules,
	networkRules, subjectRules, deviceRules, definitionRules, nameRules, convertedRules,
)

// DefaultingRule describes a rule by which API servers fill in or change fields.
type DefaultingRule struct {
	Name string
	// Summary describes the rule in a sentence.
	Summary string
	// Types are the OpenAPI definitions that it applies to. Fields are the fields below
	// them that it may set. [] stands for the items of a list, {} for the values of a map.
	Types, Fields []string
	// Changes reports whether it changes fields that are set. Such a rule fills in none.
	Changes bool
	// Converts reports whether it is part of the conversion to the internal version and
	// back, see Options.Decoded.
	Converts bool
}

// Rules returns the rules of a release, sorted by name.
func (r *Release) Rules() []DefaultingRule {
	var all []DefaultingRule
	for _, x := range rules {
		if x.in(r.minor) {
			all = append(all, DefaultingRule{x.name, x.says, slices.Clone(x.types), slices.Clone(x.writes), x.changes, x.convertsIn(r.minor)})
		}
	}
	slices.SortFunc(all, func(a, b DefaultingRule) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// in says whether a minor release has the rule.
func (r *rule) in(minor string) bool {
	return (r.since == "" || releases.Compare(minor, r.since) >= 0) && (r.until == "" || releases.Compare(minor, r.until) <= 0)
}

// convertsIn says whether the rule is part of conversion in a minor release.
func (r *rule) convertsIn(minor string) bool {
	return r.converts || r.convertsUntil != "" && releases.Compare(minor, r.convertsUntil) <= 0
}

// core is the definition of a type of core/v1.
func core(names ...string) []string { return inGroup("core.v1", names...) }

// inGroup are the definitions of types of a group and version.
func inGroup(group string, names ...string) []string {
	var all []string
	for _, name := range names {
		all = append(all, "io.k8s.api."+group+"."+name)
	}
	return all
}
