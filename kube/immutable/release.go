// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"slices"
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Release contains the restrictions on updates in one Kubernetes minor release. It is immutable and
// safe for concurrent use.
type Release struct {
	minor string
	table func() *table
}

// knownReleases contains the releases that have a table of restrictions.
var knownReleases = releases.NewFamily(releases.Immutability, func(r releases.Release) *Release {
	return &Release{r.Minor, sync.OnceValue(func() *table { return readTable(r.Text(releases.Immutability)) })}
})

// Releases returns the minor releases that New accepts, such as 1.37, oldest first.
func Releases() []string { return knownReleases.Minors() }

// New returns the release of a version such as 1.37 or v1.37.2. The patch number makes no
// difference. New returns an error for an unknown release.
func New(version string) (*Release, error) {
	return knownReleases.Find(version)
}

// Version returns the Kubernetes version that the table was made from, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// TransitionRule restricts the changes of one field of a kind, independently of other
// fields.
type TransitionRule struct {
	// Path is the path of the field, with a dot before each field name, such as
	// .spec.containers[].image. [] stands for the items of a list, and {} for the values of a map.
	Path string
	// Transition is the restriction.
	Transition schema.Transition
}

// Rules returns the transition rules of a kind. It returns nil if the release has no
// such built-in kind. Restrictions that depend on other fields are not included.
func (r *Release) Rules(apiVersion, kind string) []TransitionRule {
	if k := r.find(apiVersion, kind); k != nil {
		return slices.Clone(k.rules)
	}
	return nil
}

// Knows reports whether the release stores objects of this built-in kind, so that Check
// can check them.
func (r *Release) Knows(apiVersion, kind string) bool { return r.find(apiVersion, kind) != nil }

func (r *Release) find(apiVersion, kind string) *kindRules {
	return r.table().kinds[[2]string{apiVersion, kind}]
}
