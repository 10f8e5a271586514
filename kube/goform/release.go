// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// Release contains the Go types of one Kubernetes minor release. It is immutable and safe for
// concurrent use.
type Release struct {
	table func() *table
	// declares is the function that was passed to WithTypes, or nil.
	declares func(apiVersion, kind string, path fieldpath.Path) bool
	// kept is the function that was passed to Keeping, or nil.
	kept func(apiVersion, kind, field string) bool
	// wraps is true in a result of Wrapping.
	wraps bool
}

// known contains the releases that have a table of Go types.
var known = releases.NewFamily(releases.GoForm, func(r releases.Release) *Release {
	return &Release{table: sync.OnceValue(func() *table { return readTable(r.Text(releases.GoForm)) })}
})

// Releases returns the known minor releases, such as 1.37, oldest first.
func Releases() []string { return known.Minors() }

// New returns the release of a version such as 1.37 or v1.37.2. The patch number makes no
// difference. New returns an error for an unknown release.
func New(version string) (*Release, error) {
	return known.Find(version)
}

// WithTypes returns a copy of the release for objects of another release, whose types can have
// different fields. declares reports whether the other release has a field. Normalise then keeps
// fields that the Go types lack, and adds only fields that the other release has.
func (r *Release) WithTypes(declares func(apiVersion, kind string, path fieldpath.Path) bool) *Release {
	return &Release{table: r.table, declares: declares, kept: r.kept, wraps: r.wraps}
}

// Keeping returns a copy of the release that keeps some fields that the Go types lack. The argument
// kept reports whether to keep a field, given the kind of the object and the name of the field. Use
// Keeping for a server that implements a proposal with additional fields.
func (r *Release) Keeping(kept func(apiVersion, kind, field string) bool) *Release {
	return &Release{table: r.table, declares: r.declares, kept: kept, wraps: r.wraps}
}

// Version returns the Kubernetes version that the types were extracted from, such as
// v1.37.2.
func (r *Release) Version() string { return r.table().version }

// Knows reports whether the release has this kind. The methods of the release leave
// objects of other kinds unchanged.
func (r *Release) Knows(apiVersion, kind string) bool {
	_, ok := r.table().kinds[kindName{apiVersion, kind}]
	return ok
}
