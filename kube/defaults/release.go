// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"embed"
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// Release knows what the API server of one minor release of Kubernetes fills in. It is
// immutable and safe for concurrent use.
type Release struct {
	minor string
	table func() *table
}

//go:generate sh ../../test/builtin/generate.sh

// tables holds what the generator found out, a file for each release.
//
//go:embed tables/*.txt
var tables embed.FS

// known are the releases that are known, oldest first.
var known = []*Release{newRelease("1.35"), newRelease("1.36"), newRelease("1.37")}

func newRelease(minor string) *Release {
	return &Release{minor, sync.OnceValue(func() *table {
		text, err := tables.ReadFile("tables/" + minor + ".txt")
		if err != nil {
			panic(err) // it is embedded
		}
		return readTable(string(text), minor)
	})}
}

// Releases returns the minor releases that are known, such as 1.37, oldest first.
func Releases() []string { return releases.Versions(known, minorOf) }

// For returns a release by its version: 1.37 or v1.37.2, of which the minor release
// counts.
func For(version string) (*Release, error) {
	return releases.Find(known, minorOf, version, "the defaults")
}

func minorOf(r *Release) string { return r.minor }

// Version returns the release whose code was asked, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// Knows says whether the table has a kind. Objects of other kinds are left as they are.
func (r *Release) Knows(apiVersion, kind string) bool {
	_, ok := r.table().kinds[kindName{apiVersion, kind}]
	return ok
}
