// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// ErrUnknown is returned if the conversion of a kind between two versions is not
// implemented.
var ErrUnknown = errors.New("how the server converts it is not known here")

// Builtin converts an object of a built-in kind to another version of its group. It does not
// modify object. The result shares unchanged parts with object. If object already has the
// version, the result is object itself. types has the types of both versions. The error is
// [ErrUnknown] if Builtin has no conversion between the two versions. Builtin returns another
// error if types lacks one of the versions.
func Builtin(types *openapi.Catalog, object map[string]any, apiVersion string) (map[string]any, error) {
	from, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	if from == apiVersion {
		return object, nil
	}
	a, known := types.Type(from, kind)
	b, wanted := types.Type(apiVersion, kind)
	if !known || !wanted {
		return nil, fmt.Errorf("%s: no type in %s or %s", kind, from, apiVersion)
	}
	change := rules[rule{kind, from, apiVersion}]
	if of, ok := strings.CutSuffix(kind, "List"); ok && rules[rule{of, from, apiVersion}] != nil {
		change = eachItem(rules[rule{of, from, apiVersion}])
	}
	if change == nil && (group(from) != group(apiVersion) || !sameShape(a, b)) {
		return nil, fmt.Errorf("%s from %s to %s: %w", kind, from, apiVersion, ErrUnknown)
	}
	converted := maps.Clone(object)
	converted["apiVersion"] = apiVersion
	if change != nil {
		change(converted)
	}
	return converted, nil
}

// rule identifies a conversion.
type rule struct{ kind, from, to string }

// rules has the conversion functions. They may replace maps of the object, but must not
// modify them.
var rules = map[rule]func(map[string]any){
	{"HorizontalPodAutoscaler", "autoscaling/v1", "autoscaling/v2"}: scalerToV2,
	{"HorizontalPodAutoscaler", "autoscaling/v2", "autoscaling/v1"}: scalerToV1,
}

// eachItem applies change to each item of a list.
func eachItem(change func(map[string]any)) func(map[string]any) {
	return func(list map[string]any) {
		all, ok := list["items"].([]any)
		if !ok {
			return
		}
		items := make([]any, len(all))
		for i := range all {
			item := maps.Clone(object(all[i]))
			if item != nil {
				change(item)
			}
			items[i] = item
		}
		list["items"] = items
	}
}

func group(apiVersion string) string {
	if g, _, ok := strings.Cut(apiVersion, "/"); ok {
		return g
	}
	return ""
}
