// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Release knows what the API server of one minor release of Kubernetes fills in. It is
// immutable and safe for concurrent use.
type Release struct {
	minor string
	table func() *table
}

//go:generate sh ../../conformance/builtin/generate.sh

// tables holds what the generator found out, a file for each release.
//
//go:embed tables/*.txt
var tables embed.FS

// releases are those that are known, oldest first.
var releases = []*Release{newRelease("1.35"), newRelease("1.36"), newRelease("1.37")}

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
func Releases() []string {
	var names []string
	for _, r := range releases {
		names = append(names, r.minor)
	}
	return names
}

// For returns a release by its version: 1.37 or v1.37.2, of which the minor release
// counts.
func For(version string) (*Release, error) {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) >= 2 {
		minor := parts[0] + "." + parts[1]
		if i := slices.IndexFunc(releases, func(r *Release) bool { return r.minor == minor }); i >= 0 {
			return releases[i], nil
		}
	}
	return nil, fmt.Errorf("the defaults of Kubernetes %s are not known; known are those of %s", version, strings.Join(Releases(), ", "))
}

// Version returns the release whose code was asked, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// Knows says whether the table has a kind. Objects of other kinds are left as they are.
func (r *Release) Knows(apiVersion, kind string) bool {
	_, ok := r.table().kinds[kindName{apiVersion, kind}]
	return ok
}
