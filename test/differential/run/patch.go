// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// asPlainObject returns the object with the Go types of decoded JSON, so that it can be a
// patch.
func asPlainObject(obj *scenario.Object) *scenario.Object {
	return &scenario.Object{Tree: obj.Tree, Flavor: tree.JSON}
}

// mergePatch applies a JSON merge patch to a copy of a value, and returns the copy.
func mergePatch(v, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	out := map[string]any{}
	switch t := tree.Copy(v).(type) {
	case map[string]any:
		out = t
	case map[any]any:
		for k, item := range t {
			if name, ok := k.(string); ok {
				out[name] = item
			}
		}
	}
	for k, item := range p {
		if item == nil {
			delete(out, k)
		} else {
			out[k] = mergePatch(out[k], item)
		}
	}
	return out
}

// plainData returns the object as plain data. The flavor of the object determines the Go types, for
// example of numbers. For the flavors YAML and Struct, these are the types of decoded JSON.
func plainData(obj *scenario.Object) any {
	switch obj.Flavor {
	case tree.YAML, tree.Struct:
		obj = asPlainObject(obj)
	}
	return tree.Build(obj.Tree, obj.Flavor)
}
