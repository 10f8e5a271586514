// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/compact"
	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
	"github.com/dovetail-ssa/dovetail/schema"
)

// knownReleases contains all releases for which types are available.
var knownReleases = releases.NewFamily(releases.OpenAPI, newRelease)

// defaultRelease returns the release that Builtin uses: the newest one that is not an
// alpha or a beta.
var defaultRelease = sync.OnceValue(func() *release {
	var newest string
	for _, r := range releases.All() {
		if !r.Prerelease() {
			newest = r.Minor
		}
	}
	found, err := knownReleases.Find(newest)
	if err != nil {
		panic(err) // cannot happen: a test opens all releases
	}
	return found
})

// release contains the types of one Kubernetes release. The types are decompressed when a
// type or kind is first needed.
type release struct {
	// version is the version of the release, such as v1.36.4.
	version string
	table   func() *compact.Table
	kinds   func() map[kindName]Kind
}

func newRelease(embedded releases.Release) *release {
	r := &release{version: embedded.Version}
	r.table = sync.OnceValue(func() *compact.Table { return compact.Open(embedded.Text(releases.OpenAPI)) })
	r.kinds = sync.OnceValue(func() map[kindName]Kind { return kindsOf(r.table()) })
	return r
}

// typeNamed returns the type with this name. It returns false if the release does not have
// the type.
func (r *release) typeNamed(name string) (schema.TypeDef, bool) { return r.table().Type(name) }

// Release returns the Kubernetes version of the types that Builtin returns, such as
// v1.37.2. It is safe for concurrent use.
func Release() string { return defaultRelease().version }

// Releases returns the Kubernetes versions that BuiltinRelease supports, oldest first. The
// last one may be an alpha or a beta.
func Releases() (versions []string) {
	for _, r := range knownReleases.Releases() {
		versions = append(versions, r.Version)
	}
	return versions
}

// Missing lists the data that Dovetail lacks about a release, such as "the defaults". It checks the
// data that the packages kube/defaults, kube/goform and kube/immutable need, and returns nil if
// nothing is missing. The argument version must be one of the versions that Releases returns.
//
// Missing does not list the validation rules for values. Without these rules, predictions check
// only metadata.
func Missing(version string) (missing []string) {
	for _, r := range knownReleases.Releases() {
		for _, p := range releases.Parts() {
			if ok, _ := r.Has(p); !ok && p != releases.Validation && r.Minor == releases.Minor(version) {
				missing = append(missing, p.What)
			}
		}
	}
	return missing
}

// findRelease finds the release of a version such as 1.36 or v1.36.2. The patch number
// makes no difference.
func findRelease(version string) (*release, error) {
	return knownReleases.Find(version)
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
