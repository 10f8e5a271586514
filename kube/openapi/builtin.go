// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	_ "embed"
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/compact"
	"github.com/dovetail-ssa/dovetail/schema"
)

//go:generate go run ../internal/genbuiltin -o builtin.types

// builtinData are the built-in types, made by internal/genbuiltin.
//
//go:embed builtin.types
var builtinData string

// builtins is the table of the built-in types. It is inflated when the first
// type or kind is asked for.
var builtins = sync.OnceValue(func() *compact.Table { return compact.Open(builtinData) })

// Release returns the Kubernetes release of the built-in types, such as
// v1.36.3. It is safe for concurrent use.
func Release() string { return compact.Release(builtinData) }

func builtinType(name string) (schema.TypeDef, bool) { return builtins().Type(name) }

// builtinKinds are the built-in kinds.
var builtinKinds = sync.OnceValue(func() map[kindName]Kind {
	kinds := builtins().Kinds()
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
})
