// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// sortSiblings sorts errors that a library returned for one object. The library walks through the
// fields of a map in a random order, so sortSiblings sorts the errors by field. The errors of one field
// stay together. Errors that the library always returns before or after the fields of a map keep their
// position. The result is therefore an order that the library can return.
func sortSiblings(errs field.ErrorList) {
	located := make([]locatedError, len(errs))
	for i, err := range errs {
		located[i] = locatedError{err, errorSteps(err)}
	}
	sortBelow(located, 0)
	for i, l := range located {
		errs[i] = l.error
	}
}

// locatedError is an error with the steps of its path.
type locatedError struct {
	error *field.Error
	steps []string
}

// errorSteps splits the path of an error. A list index starts with a bracket.
func errorSteps(err *field.Error) []string {
	return strings.Split(strings.ReplaceAll(fieldOf(err), "[", ".["), ".")
}

// sortBelow sorts errors that have the first depth steps of their paths in common.
func sortBelow(errs []locatedError, depth int) {
	for len(errs) > 0 {
		// An error about the value itself, at this depth, is not moved.
		n := slices.IndexFunc(errs, func(e locatedError) bool { return e.level() <= depth })
		if n < 0 {
			n = len(errs)
		}
		below := errs[:n]
		slices.SortStableFunc(below, func(a, b locatedError) int { return compareSteps(a.steps[depth], b.steps[depth]) })
		for len(below) > 0 {
			same := 1
			for same < len(below) && below[same].steps[depth] == below[0].steps[depth] {
				same++
			}
			sortBelow(below[:same], depth+1)
			below = below[same:]
		}
		errs = errs[min(n+1, len(errs)):]
	}
}

// level returns the depth of the value whose check found the error. This is usually the depth of the
// invalid value. For a missing field, it is the depth of the map. For a duplicate item, it is the depth
// of the list.
func (e locatedError) level() int {
	if e.error.Type == field.ErrorTypeRequired || e.error.Type == field.ErrorTypeDuplicate {
		return len(e.steps) - 1
	}
	return len(e.steps)
}

// compareSteps compares field names by their text, and list indexes by their numbers.
func compareSteps(a, b string) int {
	i, errA := strconv.Atoi(strings.Trim(a, "[]"))
	j, errB := strconv.Atoi(strings.Trim(b, "[]"))
	if errA == nil && errB == nil && i != j {
		return cmp.Compare(i, j)
	}
	return strings.Compare(a, b)
}

// sortLabels sorts the errors about the keys and values of each map of labels or annotations. The path
// of each such error is the path of the map.
func sortLabels(errs field.ErrorList) {
	for len(errs) > 0 {
		same := 1
		for same < len(errs) && errs[same].Field == errs[0].Field {
			same++
		}
		if strings.HasSuffix(errs[0].Field, ".labels") || strings.HasSuffix(errs[0].Field, ".annotations") {
			slices.SortFunc(errs[:same], func(a, b *field.Error) int { return strings.Compare(a.Error(), b.Error()) })
		}
		errs = errs[same:]
	}
}
