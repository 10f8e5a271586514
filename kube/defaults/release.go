// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// Release knows what the API server of one minor release of Kubernetes fills in. It is
// immutable and safe for concurrent use.
type Release struct {
	minor string
	table func() *table
}

// known are the releases that have a table.
var known = releases.NewFamily(releases.Defaults, func(r releases.Release) *Release {
	return &Release{r.Minor, sync.OnceValue(func() *table { return readTable(r.Text(releases.Defaults), r.Minor) })}
})

// Releases returns the minor releases that are known, such as 1.37, oldest first.
func Releases() []string { return known.Minors() }

// New returns a release by its version: 1.37 or v1.37.2, of which the minor release
// counts.
func New(version string) (*Release, error) {
	return known.Find(version)
}

// Version returns the release whose code was asked, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// Knows says whether the table has a kind. Objects of other kinds are left as they are.
func (r *Release) Knows(apiVersion, kind string) bool {
	_, ok := r.table().kinds[kindName{apiVersion, kind}]
	return ok
}
