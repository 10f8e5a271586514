// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// Release contains the defaults of one Kubernetes minor release. It is immutable and safe for
// concurrent use.
type Release struct {
	minor string
	table func() *table
}

// known contains the releases that have a table of defaults.
var known = releases.NewFamily(releases.Defaults, func(r releases.Release) *Release {
	return &Release{r.Minor, sync.OnceValue(func() *table { return readTable(r.Text(releases.Defaults), r.Minor) })}
})

// Releases returns the known minor releases, such as 1.37, oldest first.
func Releases() []string { return known.Minors() }

// New returns the release of a version such as 1.37 or v1.37.2. The patch number makes no
// difference. New returns an error for an unknown release.
func New(version string) (*Release, error) {
	return known.Find(version)
}

// Version returns the Kubernetes version that the defaults were extracted from, such as
// v1.37.2.
func (r *Release) Version() string { return r.table().version }

// Knows reports whether the release has this kind. Fill leaves objects of other kinds
// unchanged.
func (r *Release) Knows(apiVersion, kind string) bool {
	_, ok := r.table().kinds[kindName{apiVersion, kind}]
	return ok
}
