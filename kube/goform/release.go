// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package goform

import (
	"embed"
	"slices"
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// Release knows the Go types of one minor release of Kubernetes. It is immutable and safe
// for concurrent use.
type Release struct {
	minor string
	table func() *table
}

// tables holds what the generator wrote, a file for each release: go generate in package
// defaults makes them, too.
//
//go:embed tables/*.txt
var tables embed.FS

// newest is the release whose table is whole. Those of the others have the types that are
// not as there.
const newest = "1.37"

// known are the releases that are known, oldest first.
var known = []*Release{newRelease("1.35"), newRelease("1.36"), newRelease(newest)}

func newRelease(minor string) *Release {
	return &Release{minor, sync.OnceValue(func() *table {
		t := readTable(text(minor))
		if minor != newest {
			t.completeFrom(text(newest))
		}
		return t
	})}
}

func text(minor string) string {
	data, err := tables.ReadFile("tables/" + minor + ".txt")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(data)
}

// Releases returns the minor releases that are known, such as 1.37, oldest first.
func Releases() []string { return releases.Versions(known, minorOf) }

// For returns a release by its version: 1.37 or v1.37.2, of which the minor release
// counts.
func For(version string) (*Release, error) {
	return releases.Find(known, minorOf, version, "the Go types")
}

func minorOf(r *Release) string { return r.minor }

// Version returns the release whose types they are, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// Knows says whether a kind is in the scheme of the release. Objects of other kinds are left
// as they are.
func (r *Release) Knows(apiVersion, kind string) bool {
	_, ok := r.table().kinds[kindName{apiVersion, kind}]
	return ok
}

// Kinds lists the kinds that are known, as "apps/v1 Deployment", sorted.
func (r *Release) Kinds() []string {
	var all []string
	for k := range r.table().kinds {
		all = append(all, k.apiVersion+" "+k.kind)
	}
	slices.Sort(all)
	return all
}
