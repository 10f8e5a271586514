// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/compact"
	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
	"github.com/dovetail-ssa/dovetail/schema"
)

// known are all releases.
var known = releases.NewFamily(releases.OpenAPI, newRelease)

// standard is the release of Builtin, the newest that is no alpha or beta.
var standard = sync.OnceValue(func() *release {
	var newest string
	for _, r := range releases.All() {
		if !r.Prerelease() {
			newest = r.Minor
		}
	}
	found, err := known.Find(newest)
	if err != nil {
		panic(err) // a test asks for all releases
	}
	return found
})

// release is a Kubernetes release with its types. They are inflated when the first type
// or kind is asked for.
type release struct {
	// version is the release, such as v1.36.4.
	version string
	table   func() *compact.Table
	kinds   func() map[kindName]Kind
}

func newRelease(of releases.Release) *release {
	r := &release{version: of.Version}
	r.table = sync.OnceValue(func() *compact.Table { return compact.Open(of.Text(releases.OpenAPI)) })
	r.kinds = sync.OnceValue(func() map[kindName]Kind { return kindsOf(r.table()) })
	return r
}

// typeNamed returns a type by its name, and whether there is one.
func (r *release) typeNamed(name string) (schema.TypeDef, bool) { return r.table().Type(name) }

// Release returns the Kubernetes release of the types of Builtin, such as v1.37.2. It is
// safe for concurrent use.
func Release() string { return standard().version }

// Releases returns the Kubernetes releases that BuiltinRelease knows, oldest first. The last one
// may be an alpha or a beta of the next.
func Releases() (versions []string) {
	for _, r := range known.Releases() {
		versions = append(versions, r.Version)
	}
	return versions
}

// Missing returns what Dovetail does not know about a release that Releases lists, such as
// "the defaults": what defaults, goform and immutable know about other releases. It returns nil
// if all is known. Rules for values are not listed: those of a newer release replace them.
func Missing(version string) (missing []string) {
	for _, r := range known.Releases() {
		for _, p := range releases.Parts() {
			if ok, _ := r.Has(p); !ok && p != releases.Validation && r.Minor == releases.Minor(version) {
				missing = append(missing, p.What)
			}
		}
	}
	return missing
}

// releaseOf finds a release by a version such as 1.36 or v1.36.2, of which the minor
// release counts.
func releaseOf(version string) (*release, error) {
	return known.Find(version)
}

func kindsOf(t *compact.Table) map[kindName]Kind {
	kinds := t.Kinds()
	m := make(map[kindName]Kind, len(kinds))
	for _, k := range kinds {
		name := kindName{gvk{k.Group, k.Version, k.Kind}.apiVersion(), k.Kind}
		m[name] = Kind{
			APIVersion:   name.apiVersion,
			Kind:         k.Kind,
			Type:         k.Type,
			Resource:     k.Resource,
			Scope:        Scope(k.Scope),
			Subresources: k.Subresources,
		}
	}
	return m
}
