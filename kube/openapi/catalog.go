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

// Catalog contains types, and returns the merge schema of a kind. Add types with AddOpenAPI,
// AddCRD and AddSchema. A definition replaces an earlier one with the same name.
//
// Methods that add documents are not safe for concurrent use. After the last addition, all
// other methods are safe for concurrent use. A method that returns an error leaves the
// catalog unchanged.
type Catalog struct {
	options  Options
	builtin  bool
	release  *release
	defs     map[string]*definition
	kinds    map[kindName]Kind
	warnings []*DocumentError

	mu sync.Mutex
	// schemas caches the results of LookupType by type name.
	schemas map[string]*schema.Schema
}

// Options controls how a Catalog converts documents. With the zero value, the resulting types merge
// like those of current API servers.
type Options struct {
	// DeclarativeDefaults sets schema.Schema.DeclarativeDefaults in every schema that the
	// catalog returns. The option implements the proposal KEP-1929. No released API server
	// behaves this way.
	DeclarativeDefaults bool
	// MissingKeys sets schema.Schema.MissingKeys in every schema that the catalog returns. It
	// selects how to treat a list item that lacks a key.
	MissingKeys schema.KeyPolicy
	// KnownUnions adds unions that API servers enforce but OpenAPI documents lack or describe
	// incorrectly: the strategies of Deployments, DaemonSets and StatefulSets, and the profiles of
	// seccomp and AppArmor. It adds them even to types from an added document. AddMarkers can
	// replace them.
	KnownUnions bool
	// UnservedVersions makes AddCRD also add versions that are not served. API servers accept
	// no requests in such a version, but managed fields may still refer to it.
	UnservedVersions bool
}

// New returns an empty catalog. Only the definitions of the API machinery, such as ObjectMeta, are
// built in, because CRDs refer to them. An added document can replace these definitions.
func New(o Options) *Catalog {
	return &Catalog{
		options: o,
		release: defaultRelease(),
		defs:    map[string]*definition{},
		kinds:   map[kindName]Kind{},
		schemas: map[string]*schema.Schema{},
	}
}

// Builtin returns a catalog with the built-in types of the release that Release returns.
// Builtin is fast, because a type is decoded only when it is first looked up.
func Builtin(o Options) *Catalog {
	c := New(o)
	c.builtin = true
	return c
}

// BuiltinRelease is like Builtin for a given version, such as 1.36 or v1.36.4. Releases
// lists the supported versions. The patch number has no effect.
func BuiltinRelease(version string, o Options) (*Catalog, error) {
	r, err := findRelease(version)
	if err != nil {
		return nil, err
	}
	c := Builtin(o)
	c.release = r
	return c, nil
}

// Release returns the Kubernetes version of the built-in types in the catalog. It returns
// "" if New created the catalog.
func (c *Catalog) Release() string {
	if !c.builtin {
		return ""
	}
	return c.release.version
}

// Types returns the names of all definitions in alphabetical order. In a catalog from New, it omits
// the built-in definitions of the API machinery.
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

// Warnings returns problems in the added documents that do not prevent their use, sorted
// by document and path.
func (c *Catalog) Warnings() []*DocumentError {
	warnings := slices.Clone(c.warnings)
	sortFindings(warnings)
	return warnings
}

// commit adds definitions and kinds to the catalog. The caller must have checked them.
func (c *Catalog) commit(defs map[string]*definition, kinds map[gvk]Kind, warnings []*DocumentError) {
	for name, d := range defs {
		c.defs[name] = d
	}
	for g, k := range kinds {
		name := kindName{g.apiVersion(), g.kind}
		if before, ok := c.kind(name.apiVersion, name.kind); ok && k.Scope == ScopeUnknown {
			// The new document has no paths, so keep the known resource name, scope and
			// subresources.
			k.Resource, k.Scope, k.Subresources = before.Resource, before.Scope, before.Subresources
		}
		c.kinds[name] = k
	}
	c.warnings = append(c.warnings, warnings...)
	c.schemas = map[string]*schema.Schema{}
}

// count returns a number with a noun, such as "1 error" or "2 errors". thing is the noun in the
// singular.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Type returns the type of a kind. It returns false if the catalog does not have the kind.
// Pass this method to fieldmanager.NewTypeSource to get a TypeSource. See also Lookup.
func (c *Catalog) Type(apiVersion, kind string) (typed.ParseableType, bool) {
	s, ref, ok := c.Lookup(apiVersion, kind)
	return typed.ParseableType{TypeRef: ref, Schema: s}, ok
}

// Lookup returns a schema that contains the type of a kind and all types that it refers to.
// It also returns a reference to the type of the kind. It returns false if the catalog does
// not have the kind. Repeated calls return the same schema until a document is added.
func (c *Catalog) Lookup(apiVersion, kind string) (*schema.Schema, schema.TypeRef, bool) {
	k, ok := c.kind(apiVersion, kind)
	if !ok {
		return nil, schema.TypeRef{}, false
	}
	return c.LookupType(k.Type)
}

// LookupType is like Lookup, but takes the name of a definition, such as
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

// reachable returns a type and all types that it refers to, directly or indirectly, by name. It
// returns false if the type does not exist. The other types always exist, because the catalog
// rejects documents that refer to missing definitions.
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

// eachName calls f for each reference to a named type inside an atom.
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
