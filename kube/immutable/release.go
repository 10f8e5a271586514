// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"slices"
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Release has the restrictions of the API server in one minor release of Kubernetes. It
// is immutable and safe for concurrent use.
type Release struct {
	minor string
	table func() *table
}

// knownReleases has the releases with a table.
var knownReleases = releases.NewFamily(releases.Immutability, func(r releases.Release) *Release {
	return &Release{r.Minor, sync.OnceValue(func() *table { return readTable(r.Text(releases.Immutability)) })}
})

// Releases returns the minor releases that New accepts, such as 1.37, oldest first.
func Releases() []string { return knownReleases.Minors() }

// New returns a release by its version, such as 1.37 or v1.37.2. It ignores the patch
// release.
func New(version string) (*Release, error) {
	return knownReleases.Find(version)
}

// Version returns the release that the table was made from, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// TransitionRule is a restriction of the changes of one field of a kind. It does not
// depend on other fields.
type TransitionRule struct {
	// Path is the path of the field: a dot before each field name, [] for list items, {} for
	// map values.
	Path string
	// Transition is the rule.
	Transition schema.Transition
}

// Rules returns the rules of a kind, or none if the kind is not built in. It does not
// include restrictions that depend on other fields.
func (r *Release) Rules(apiVersion, kind string) []TransitionRule {
	if k := r.find(apiVersion, kind); k != nil {
		return slices.Clone(k.rules)
	}
	return nil
}

// Knows reports whether the release has the kind as a stored built-in kind, so that Check
// can check its objects.
func (r *Release) Knows(apiVersion, kind string) bool { return r.find(apiVersion, kind) != nil }

func (r *Release) find(apiVersion, kind string) *kindRules {
	return r.table().kinds[[2]string{apiVersion, kind}]
}
