// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"fmt"
	"slices"
	"sync"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Catalog finds the merge schema of a kind. Call the methods AddOpenAPI, AddCRD and
// AddSchema to fill it. A definition that is added later replaces an earlier one of
// the same name.
//
// Methods that add documents are not safe for concurrent use. After the last addition, all
// other methods are safe for concurrent use. A method that returns an error leaves the catalog
// unchanged.
type Catalog struct {
	options  Options
	builtin  bool
	release  *release
	defs     map[string]*definition
	kinds    map[kindName]Kind
	warnings []*DocumentError

	mu sync.Mutex
	// schemas caches the results of LookupType by the name of the type.
	schemas map[string]*schema.Schema
}

// Options control how a Catalog converts documents. With the zero value, its types merge
// as in current API servers.
type Options struct {
	// DeclarativeDefaults sets schema.Schema.DeclarativeDefaults in every schema that the
	// catalog returns. This is a proposal (KEP-1929) that no released API server implements.
	DeclarativeDefaults bool
	// MissingKeys sets schema.Schema.MissingKeys in every schema that the catalog returns.
	MissingKeys schema.KeyPolicy
	// KnownUnions adds unions to built-in types of Kubernetes, whichever document the types
	// come from: the strategies of Deployments, DaemonSets and StatefulSets, and the
	// profiles of seccomp and AppArmor. The API server's validation enforces these unions,
	// but documents do not have them, or have them wrong. AddMarkers can replace them.
	KnownUnions bool
	// UnservedVersions makes AddCRD also add versions that are not served. An API server
	// accepts no requests in such a version, but reads managed fields in it.
	UnservedVersions bool
}

// New returns an empty catalog. Definitions of the API machinery that a CRD needs, such
// as ObjectMeta, come from the built-in types until a document provides them.
func New(o Options) *Catalog {
	return &Catalog{
		options: o,
		release: defaultRelease(),
		defs:    map[string]*definition{},
		kinds:   map[kindName]Kind{},
		schemas: map[string]*schema.Schema{},
	}
}

// Builtin returns a catalog of the built-in types of the release that Release returns.
// The call is cheap: a type is decoded when it is first looked up.
func Builtin(o Options) *Catalog {
	c := New(o)
	c.builtin = true
	return c
}

// BuiltinRelease is like Builtin for any release that Releases returns, such as 1.36 or
// v1.36.4. It ignores the patch release.
func BuiltinRelease(version string, o Options) (*Catalog, error) {
	r, err := findRelease(version)
	if err != nil {
		return nil, err
	}
	c := Builtin(o)
	c.release = r
	return c, nil
}

// Release returns the Kubernetes release of the built-in types in the catalog, or "" if
// New made the catalog.
func (c *Catalog) Release() string {
	if !c.builtin {
		return ""
	}
	return c.release.version
}

// Types returns the names of all definitions, sorted. It leaves out those definitions
// of the API machinery that New added and that no document has provided yet.
func (c *Catalog) Types() []string {
	names := sortedKeys(c.defs)
	if c.builtin {
		for _, name := range c.release.table().Names() {
			if _, data := untyped[name]; !data {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		names = slices.Compact(names)
	}
	return names
}

// Warnings returns problems of the added documents that do not prevent using them, sorted
// by document and path.
func (c *Catalog) Warnings() []*DocumentError {
	warnings := slices.Clone(c.warnings)
	sortFindings(warnings)
	return warnings
}

// commit adds definitions and kinds that were checked.
func (c *Catalog) commit(defs map[string]*definition, kinds map[gvk]Kind, warnings []*DocumentError) {
	for name, d := range defs {
		c.defs[name] = d
	}
	for g, k := range kinds {
		name := kindName{g.apiVersion(), g.kind}
		if before, ok := c.kind(name.apiVersion, name.kind); ok && k.Scope == ScopeUnknown {
			// A document without paths must not remove the known facts about the resource.
			k.Resource, k.Scope, k.Subresources = before.Resource, before.Scope, before.Subresources
		}
		c.kinds[name] = k
	}
	c.warnings = append(c.warnings, warnings...)
	c.schemas = map[string]*schema.Schema{}
}

// count returns a number with a noun, in the plural unless n is 1.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Type returns the type of a kind, and whether the catalog has it. Pass this method to
// fieldmanager.NewTypeSource to get a TypeSource. See Lookup.
func (c *Catalog) Type(apiVersion, kind string) (typed.ParseableType, bool) {
	s, ref, ok := c.Lookup(apiVersion, kind)
	return typed.ParseableType{TypeRef: ref, Schema: s}, ok
}

// Lookup returns a schema with the type of a kind and all types reachable from it, and a
// reference to the type of the kind. It returns false if the catalog does not have the
// kind. The same call returns the same schema until something is added.
func (c *Catalog) Lookup(apiVersion, kind string) (*schema.Schema, schema.TypeRef, bool) {
	k, ok := c.kind(apiVersion, kind)
	if !ok {
		return nil, schema.TypeRef{}, false
	}
	return c.LookupType(k.Type)
}

// LookupType is like Lookup for the name of a definition, such as
// io.k8s.api.core.v1.PodSpec or com.example.v1.Widget.
func (c *Catalog) LookupType(name string) (*schema.Schema, schema.TypeRef, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.schemas[name]
	if !ok {
		types, ok := c.reachable(name)
		if !ok {
			return nil, schema.TypeRef{}, false
		}
		s = &schema.Schema{
			Types:               placeDefaults(types),
			DeclarativeDefaults: c.options.DeclarativeDefaults,
			MissingKeys:         c.options.MissingKeys,
		}
		c.schemas[name] = s
	}
	return s, schema.TypeRef{NamedType: &name}, true
}

// reachable returns a type and all types that can be reached from it, by name. It returns
// false if the type does not exist. References within a type always resolve, because the
// catalog rejects a document with a reference to a missing definition.
func (c *Catalog) reachable(name string) (map[string]schema.TypeDef, bool) {
	root, ok := c.resolve(name)
	if !ok {
		return nil, false
	}
	types := map[string]schema.TypeDef{name: root}
	queue := []schema.TypeDef{root}
	for len(queue) > 0 {
		td := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		eachName(td.Atom, func(name string) {
			if _, seen := types[name]; seen {
				return
			}
			if td, ok := c.resolve(name); ok {
				types[name] = td
				queue = append(queue, td)
			}
		})
	}
	return types, true
}

// eachName calls f for each reference to a named type within an atom.
func eachName(a schema.Atom, f func(name string)) {
	ref := func(tr *schema.TypeRef) {
		if tr.NamedType != nil {
			f(*tr.NamedType)
		} else {
			eachName(tr.Inlined, f)
		}
	}
	if a.List != nil {
		ref(&a.List.ElementType)
	}
	if a.Map != nil {
		ref(&a.Map.ElementType)
		for i := range a.Map.Fields {
			ref(&a.Map.Fields[i].Type)
		}
	}
}
