// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package plain reads and writes plain data in tests: maps, lists and scalars, as Kubernetes
// decodes them. Its functions panic instead of returning an error.
package plain

import (
	"encoding/json"
	"maps"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Text returns a value as JSON.
func Text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Object reads an object from JSON or YAML. Whole numbers become int64.
func Object(text string) map[string]any {
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		panic(err)
	}
	var object map[string]any
	if err := utiljson.Unmarshal(data, &object); err != nil {
		panic(err)
	}
	return object
}

// Of encodes a value as JSON and decodes the JSON to plain data.
func Of(v any) map[string]any {
	var object map[string]any
	if err := utiljson.Unmarshal([]byte(Text(v)), &object); err != nil {
		panic(err)
	}
	return object
}

// MergePatch applies a JSON merge patch (RFC 7386) and returns the result. It does not modify
// its arguments. The result may share memory with the arguments.
func MergePatch(object, patch map[string]any) map[string]any {
	out := maps.Clone(object)
	if out == nil {
		out = map[string]any{}
	}
	for name, p := range patch {
		switch p := p.(type) {
		case nil:
			delete(out, name)
		case map[string]any:
			o, _ := out[name].(map[string]any)
			out[name] = MergePatch(o, p)
		default:
			out[name] = p
		}
	}
	return out
}
