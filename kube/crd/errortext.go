// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// errorText returns the text of an error that the API server's libraries report for a value. It omits
// the path, and shows the invalid part of the value as YAML.
func errorText(err *field.Error, value any) string {
	detail, _, _ := strings.Cut(brief([]string{err.Detail}), "\n")
	if what, _, ok := outOfFormat(err); ok {
		detail = what
	}
	// The validator of kube-openapi starts its messages with the path and a part of the value,
	// followed by " in body". Remove this start.
	if _, after, ok := strings.Cut(detail, " in body "); ok {
		detail = after
	}
	detail = strings.TrimPrefix(detail, `"" `)
	bad := err.BadValue
	steps, complete := splitPath(value, fieldOf(err))
	if complete {
		bad = valueAt(value, steps)
	}
	if err.Type == field.ErrorTypeTypeInvalid {
		detail, _, _ = strings.Cut(detail, `: "`)
	}
	if detail != "" {
		detail = ": " + tree.Shorten(detail, 4*tree.MaxValue)
	}
	switch err.Type {
	case field.ErrorTypeRequired:
		return "missing, but required" + detail
	case field.ErrorTypeDuplicate:
		return "found " + valueText(err.BadValue) + " twice" + detail
	case field.ErrorTypeForbidden, field.ErrorTypeInternal:
		return strings.TrimPrefix(detail, ": ")
	}
	switch bad.(type) {
	case string, bool, int64, float64, int:
	default:
		if !complete { // the path leads to a field that value does not have
			return strings.TrimPrefix(detail, ": ")
		}
	}
	return "found " + valueText(bad) + detail
}

// fieldOf returns the path of an error, or "" if the error is about the whole value.
func fieldOf(err *field.Error) string {
	if err.Field == "<nil>" {
		_, path, _ := outOfFormat(err)
		return path
	}
	return err.Field
}

// outOfFormat returns the message and the path of an error about a number format. The
// validator of kube-openapi puts the path of such an error only into its text: "Maximum
// boundary value must be of type integer with format int32 in spec.asn".
func outOfFormat(err *field.Error) (message, path string, ok bool) {
	subject, rest, ok := strings.Cut(err.Detail, " value must be of type ")
	if !ok {
		return "", "", false
	}
	format, path, ok := strings.Cut(rest, " in ")
	if !ok {
		return "", "", false
	}
	path = strings.TrimPrefix(path, ".")
	if bound, ok := boundNames[subject]; ok {
		return "no value is valid, because the schema's " + bound + " is not of type " + format + "; correct the " + bound + " or the format of the field", path, true
	}
	if subject == "Checked" {
		return "want a value of type " + format, path, true
	}
	return "", "", false
}

// boundNames maps kube-openapi's names for bounds to schema keywords.
var boundNames = map[string]string{"Maximum boundary": "maximum", "Minimum boundary": "minimum", "MultipleOf": "multipleOf"}

// withoutRepeated removes repeated errors. For a number of a wrong type, the validator of kube-openapi
// returns two errors. withoutRepeated removes the error that has the path only in its text.
func withoutRepeated(errs field.ErrorList) field.ErrorList {
	typed := map[string]bool{}
	for _, err := range errs {
		if err.Type == field.ErrorTypeTypeInvalid {
			typed[fieldOf(err)] = true
		}
	}
	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		text, path, ok := strings.Cut(err.Detail, " in ")
		return ok && strings.HasPrefix(text, "Checked value must be of type ") && typed[path]
	})
}

// valueText returns a value as text for an error message.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any, []any:
		return tree.Flow(v)
	case string:
		return fmt.Sprintf("%q", tree.Shorten(v, tree.MaxValue))
	}
	return tree.Shorten(fmt.Sprint(v), tree.MaxValue)
}

// splitPath splits a path such as spec.ports[0] into steps. The path comes from a library's error
// about the value v. It is ambiguous if names contain dots or brackets, so splitPath prefers steps
// that exist in v. If some steps do not exist, complete is false, and the last step is the part of the
// path that could not be split.
func splitPath(v any, path string) (steps []any, complete bool) {
	for len(path) > 0 && path[0] == '.' {
		path = path[1:]
	}
	if path == "" {
		return nil, true
	}
	best := []any{path}
	length := -1
	for _, c := range firstSteps(path) {
		var step, value any
		switch v := v.(type) {
		case map[string]any:
			there := false
			if value, there = v[c.name]; !there {
				continue
			}
			step = c.name
		case []any:
			i, err := strconv.Atoi(c.name)
			if err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != c.name {
				continue
			}
			step, value = i, v[i]
		default:
			return best, false
		}
		below, complete := splitPath(value, c.rest)
		if complete {
			return append([]any{step}, below...), true
		}
		if len(c.name) > length {
			best, length = append([]any{step}, below...), len(c.name)
		}
	}
	return best, false
}

// firstStep is a path that is split into a name and the rest of the path.
type firstStep struct{ name, rest string }

// firstSteps returns all ways to split a path after its first step. For example, a.b can be the
// field b in the field a, or a single field with the name a.b. Libraries write a step as name or
// [name].
func firstSteps(path string) (all []firstStep) {
	for end := 1; end <= len(path); end++ {
		if end < len(path) && path[end] != '.' && path[end] != '[' {
			continue
		}
		all = append(all, firstStep{path[:end], path[end:]})
		if path[0] == '[' && path[end-1] == ']' {
			all = append(all, firstStep{path[1 : end-1], path[end:]})
		}
	}
	return all
}

// valueAt follows a path of field names and list indexes into a value, and returns the value that it
// finds. The path must exist.
func valueAt(v any, steps []any) any {
	for _, s := range steps {
		switch s := s.(type) {
		case string:
			v = v.(map[string]any)[s]
		case int:
			v = v.([]any)[s]
		}
	}
	return v
}
