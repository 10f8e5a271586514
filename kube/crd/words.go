// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// words is what an error of the API server's libraries about a value says,
// without its path and with what is there as YAML.
func words(err *field.Error, value any) string {
	detail, _, _ := strings.Cut(brief([]string{err.Detail}), "\n")
	// The validator of kube-openapi repeats the path, and some of the value.
	if _, after, ok := strings.Cut(detail, " in body "); ok {
		detail = after
	}
	detail = strings.TrimPrefix(detail, `"" `)
	bad := err.BadValue
	steps, complete := follow(value, fieldOf(err))
	if complete {
		bad = at(value, steps)
	}
	if err.Type == field.ErrorTypeTypeInvalid {
		detail, _, _ = strings.Cut(detail, `: "`)
	}
	if detail != "" {
		detail = ": " + shorten(detail, 4*maxValue)
	}
	switch err.Type {
	case field.ErrorTypeRequired:
		return "found nothing, which is required" + detail
	case field.ErrorTypeDuplicate:
		return "found " + found(err.BadValue) + " twice" + detail
	case field.ErrorTypeForbidden, field.ErrorTypeInternal:
		return strings.TrimPrefix(detail, ": ")
	}
	switch bad.(type) {
	case string, bool, int64, float64, int:
	default:
		if !complete { // it is about a field that is not there
			return strings.TrimPrefix(detail, ": ")
		}
	}
	return "found " + found(bad) + detail
}

// fieldOf is the path of an error, empty for the value itself.
func fieldOf(err *field.Error) string {
	if err.Field == "<nil>" {
		return ""
	}
	return err.Field
}

// without drops what is said again: the validator finds numbers to be of the
// wrong type twice, the second time with the path in the text.
func without(errs field.ErrorList) field.ErrorList {
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

// found renders a value that an error carries.
func found(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any, []any:
		return flow(v)
	case string:
		return fmt.Sprintf("%q", shorten(v, maxValue))
	}
	return shorten(fmt.Sprint(v), maxValue)
}
