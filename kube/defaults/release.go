// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// Release has the defaults of the API server of one minor release of Kubernetes. It is immutable and
// safe for concurrent use.
type Release struct {
	minor string
	table func() *table
}

// known has the releases with a table.
var known = releases.NewFamily(releases.Defaults, func(r releases.Release) *Release {
	return &Release{r.Minor, sync.OnceValue(func() *table { return readTable(r.Text(releases.Defaults), r.Minor) })}
})

// Releases returns the known minor releases, such as 1.37, oldest first.
func Releases() []string { return known.Minors() }

// New returns the release for a version such as 1.37 or v1.37.2. The patch version is ignored. New
// returns an error if the release is not known.
func New(version string) (*Release, error) {
	return known.Find(version)
}

// Version returns the version of Kubernetes that the defaults were extracted from, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// Knows reports whether the release has a kind. Fill does not change objects of other kinds.
func (r *Release) Knows(apiVersion, kind string) bool {
	_, ok := r.table().kinds[kindName{apiVersion, kind}]
	return ok
}
