// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// Release has the Go types of one minor release of Kubernetes. It is immutable and safe for concurrent
// use.
type Release struct {
	table func() *table
	// declares is set by WithTypes.
	declares func(apiVersion, kind string, path fieldpath.Path) bool
}

// known has the releases with a table.
var known = releases.NewFamily(releases.GoForm, func(r releases.Release) *Release {
	return &Release{table: sync.OnceValue(func() *table { return readTable(r.Text(releases.GoForm)) })}
})

// Releases returns the known minor releases, such as 1.37, oldest first.
func Releases() []string { return known.Minors() }

// New returns the release for a version such as 1.37 or v1.37.2. The patch version is ignored. New
// returns an error if the release is not known.
func New(version string) (*Release, error) {
	return known.Find(version)
}

// WithTypes returns the release for objects of another release, whose types may have other fields.
// declares reports whether a type of the other release has a field. Normalise then keeps fields
// that the Go types do not have, and adds only fields that the other release has.
func (r *Release) WithTypes(declares func(apiVersion, kind string, path fieldpath.Path) bool) *Release {
	return &Release{table: r.table, declares: declares}
}

// Version returns the version of Kubernetes that the types were extracted from, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// Knows reports whether the scheme of the release has a kind. Objects of other kinds are not changed.
func (r *Release) Knows(apiVersion, kind string) bool {
	_, ok := r.table().kinds[kindName{apiVersion, kind}]
	return ok
}
