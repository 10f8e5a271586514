// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	_ "embed"
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/compact"
	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
	"github.com/dovetail-ssa/dovetail/schema"
)

//go:generate go run ../internal/genbuiltin -release v1.33.13 -o builtin-1.33.types
//go:generate go run ../internal/genbuiltin -release v1.34.4 -o builtin-1.34.types
//go:generate go run ../internal/genbuiltin -release v1.35.4 -o builtin-1.35.types
//go:generate go run ../internal/genbuiltin -release v1.36.4 -o builtin-1.36.types
//go:generate go run ../internal/genbuiltin -release v1.37.2 -o builtin-1.37.types
//go:generate go run ../internal/genbuiltin -release v1.38.0-alpha.0 -o builtin-1.38.types

// The built-in types of each release, made by internal/genbuiltin.
var (
	//go:embed builtin-1.33.types
	types133 string
	//go:embed builtin-1.34.types
	types134 string
	//go:embed builtin-1.35.types
	types135 string
	//go:embed builtin-1.36.types
	types136 string
	//go:embed builtin-1.37.types
	types137 string
	//go:embed builtin-1.38.types
	types138 string
)

// standard is the release of Builtin, the newest that is no alpha.
var standard = newRelease(types137)

// known are the releases whose types are embedded, oldest first.
var known = []*release{
	newRelease(types133), newRelease(types134), newRelease(types135), newRelease(types136), standard, newRelease(types138),
}

// release is a Kubernetes release with its types. They are inflated when the first type
// or kind is asked for.
type release struct {
	data  string
	table func() *compact.Table
	kinds func() map[kindName]Kind
}

func newRelease(data string) *release {
	r := &release{data: data}
	r.table = sync.OnceValue(func() *compact.Table { return compact.Open(r.data) })
	r.kinds = sync.OnceValue(func() map[kindName]Kind { return kindsOf(r.table()) })
	return r
}

// version is the release, such as v1.36.4.
func (r *release) version() string { return compact.Release(r.data) }

// typeNamed returns a type by its name, and whether there is one.
func (r *release) typeNamed(name string) (schema.TypeDef, bool) { return r.table().Type(name) }

// Release returns the Kubernetes release of the types of Builtin, such as v1.37.2. It is
// safe for concurrent use.
func Release() string { return standard.version() }

// Releases returns the Kubernetes releases that BuiltinFor knows, oldest first. The last one
// may be an alpha of the next.
func Releases() []string { return releases.Versions(known, (*release).version) }

// releaseOf finds a release by a version such as 1.36 or v1.36.2, of which the minor
// release counts.
func releaseOf(version string) (*release, error) {
	return releases.Find(known, (*release).version, version, "the types")
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
