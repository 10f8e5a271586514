// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"slices"
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Release knows what the API server of one minor release of Kubernetes forbids. It is
// immutable and safe for concurrent use.
type Release struct {
	minor string
	table func() *table
}

// known are the releases that have a table.
var known = releases.NewFamily(releases.Immutability, func(r releases.Release) *Release {
	return &Release{r.Minor, sync.OnceValue(func() *table { return readTable(r.Text(releases.Immutability)) })}
})

// Releases returns the minor releases that are known, such as 1.37, oldest first.
func Releases() []string { return known.Minors() }

// New returns a release by its version: 1.37 or v1.37.2, of which the minor release
// counts.
func New(version string) (*Release, error) {
	return known.Find(version)
}

// Version returns the release whose strategies were asked, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// TransitionRule is what an update may not do to one place of a kind, whatever else the object says.
type TransitionRule struct {
	// Path is the place: fields behind dots, [] for the items of a list, {} for the values of
	// a map.
	Path string
	// Transition is the rule.
	Transition schema.Transition
}

// Rules returns the rules of a kind; none of a kind that is not built in. Conditions that
// depend on other fields are not among them.
func (r *Release) Rules(apiVersion, kind string) []TransitionRule {
	if k := r.find(apiVersion, kind); k != nil {
		return slices.Clone(k.rules)
	}
	return nil
}

// Knows says whether an API server of the release keeps objects of a kind, so that the package
// knows what may be done to them.
func (r *Release) Knows(apiVersion, kind string) bool { return r.find(apiVersion, kind) != nil }

func (r *Release) find(apiVersion, kind string) *kindRules {
	return r.table().kinds[[2]string{apiVersion, kind}]
}
