// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// rule fills in fields whose defaults depend on other fields.
type rule struct {
	name string
	// summary describes the rule in one sentence.
	summary string
	// types lists the OpenAPI definitions that the rule applies to. writes lists the fields of
	// these definitions that the rule may set. [] stands for the items of a list.
	types  []string
	writes []string
	// changes is true if the rule changes existing values instead of setting missing
	// ones.
	changes bool
	// converts is true if servers apply the rule when they convert an object to its internal version
	// and back. If only older releases do this, the rule sets convertsUntil instead, to the last of
	// these releases. Later releases apply the rule when they set defaults.
	converts      bool
	convertsUntil string
	// since and until are the first and the last minor release that has the rule. An empty value
	// means no limit.
	since, until string
	fill         func(*place)
}

// rules lists all rules. If several apply to a type, they run in this order.
var rules = slices.Concat(
	podRules, podLevelRules, imageRules, volumeRules, aliasRules,
	serviceRules, nodeRules, limitRules, amountRules,
	strategyRules, templateRules, jobRules,
	networkRules, subjectRules, deviceRules, definitionRules, nameRules, convertedRules,
)

// DefaultingRule describes a rule that an API server uses to fill in or change fields.
type DefaultingRule struct {
	Name string
	// Summary describes the rule in one sentence.
	Summary string
	// Types lists the OpenAPI definitions that the rule applies to. Fields lists the fields of
	// these definitions that the rule may set. [] stands for the items of a list, {} for the
	// values of a map.
	Types, Fields []string
	// Changes is true if the rule changes existing values instead of setting missing
	// ones.
	Changes bool
	// Converts is true if the rule is part of the conversion to the internal version and back.
	// See Options.Decoded.
	Converts bool
}

// Rules returns the rules of a release, sorted by name.
func (r *Release) Rules() []DefaultingRule {
	var all []DefaultingRule
	for _, x := range rules {
		if x.existsIn(r.minor) {
			all = append(all, DefaultingRule{x.name, x.summary, slices.Clone(x.types), slices.Clone(x.writes), x.changes, x.convertsIn(r.minor)})
		}
	}
	slices.SortFunc(all, func(a, b DefaultingRule) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// existsIn reports whether a minor release has the rule.
func (r *rule) existsIn(minor string) bool {
	return (r.since == "" || releases.Compare(minor, r.since) >= 0) && (r.until == "" || releases.Compare(minor, r.until) <= 0)
}

// convertsIn reports whether the rule is part of the conversion in a minor release.
func (r *rule) convertsIn(minor string) bool {
	return r.converts || r.convertsUntil != "" && releases.Compare(minor, r.convertsUntil) <= 0
}

// core returns the OpenAPI definition names of types in core/v1.
func core(names ...string) []string { return inGroup("core.v1", names...) }

// inGroup returns the OpenAPI definition names of types in a group and version.
func inGroup(group string, names ...string) []string {
	var all []string
	for _, name := range names {
		all = append(all, "io.k8s.api."+group+"."+name)
	}
	return all
}
