// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"reflect"
	"strconv"
)

// Containers is a set of maps and non-empty lists. It identifies them by their addresses.
type Containers map[uintptr]struct{}

// Collect adds all maps and lists in a tree to the set.
func (c Containers) Collect(v any) {
	Walk(v, func(container any) {
		if id := identity(container); id != 0 {
			c[id] = struct{}{}
		}
	})
}

// Shared returns one value for each map and list in a tree, in the order of Walk. The value is
// true if the set contains this map or list.
func (c Containers) Shared(v any) []bool {
	var out []bool
	Walk(v, func(container any) {
		_, ok := c[identity(container)]
		out = append(out, ok)
	})
	return out
}

func identity(container any) uintptr {
	switch t := container.(type) {
	case map[string]any, map[any]any:
		return reflect.ValueOf(t).Pointer()
	case []any:
		if len(t) > 0 {
			return reflect.ValueOf(t).Pointer()
		}
	}
	return 0
}

// Walk calls f for every map and list in a tree, outermost first. It visits the entries of a map
// in the order of their keys, so the order is the same for equal trees.
func Walk(v any, f func(container any)) {
	switch t := v.(type) {
	case []any:
		f(v)
		for _, item := range t {
			Walk(item, f)
		}
	case map[string]any:
		f(v)
		for _, k := range Keys(t) {
			Walk(t[k], f)
		}
	case map[any]any:
		f(v)
		m := stringKeys(t)
		for _, k := range Keys(m) {
			Walk(m[k], f)
		}
	}
}

// WalkPaths is like Walk, and also passes the path of each map or list to f. The path of an
// empty map or list ends in "/".
func WalkPaths(v any, path string, f func(path string, container any)) {
	switch t := v.(type) {
	case []any:
		f(ending(path, len(t)), v)
		for i, item := range t {
			WalkPaths(item, path+"["+strconv.Itoa(i)+"]", f)
		}
	case map[string]any:
		f(ending(path, len(t)), v)
		for _, k := range Keys(t) {
			WalkPaths(t[k], path+"."+k, f)
		}
	case map[any]any:
		f(ending(path, len(t)), v)
		m := stringKeys(t)
		for _, k := range Keys(m) {
			WalkPaths(m[k], path+"."+k, f)
		}
	}
}

func ending(path string, n int) string {
	if n == 0 {
		return path + "/"
	}
	return path
}

// stringKeys returns a copy of a map that contains only the entries with string keys.
func stringKeys(m map[any]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, item := range m {
		if s, ok := k.(string); ok {
			out[s] = item
		}
	}
	return out
}
