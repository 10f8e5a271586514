// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// Release knows the Go types of one minor release of Kubernetes. It is immutable and safe
// for concurrent use.
type Release struct {
	table func() *table
}

// known are the releases that have a table.
var known = releases.NewFamily(releases.GoForm, func(r releases.Release) *Release {
	return &Release{sync.OnceValue(func() *table { return readTable(r.Text(releases.GoForm)) })}
})

// Releases returns the minor releases that are known, such as 1.37, oldest first.
func Releases() []string { return known.Minors() }

// New returns a release by its version: 1.37 or v1.37.2, of which the minor release
// counts.
func New(version string) (*Release, error) {
	return known.Find(version)
}

// Version returns the release whose types they are, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// Knows says whether a kind is in the scheme of the release. Objects of other kinds are left
// as they are.
func (r *Release) Knows(apiVersion, kind string) bool {
	_, ok := r.table().kinds[kindName{apiVersion, kind}]
	return ok
}
