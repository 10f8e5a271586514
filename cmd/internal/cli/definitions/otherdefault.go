// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// changedDefault is a field of an object whose value changes because its default has changed.
type changedDefault struct {
	at       string
	steps    []any // the path: a string for each field name, and an int for each item
	old, now any
}

// changedDefaults compares two copies of an object: the first has the old defaults, and the second
// has the new defaults. It returns the fields of the second copy that are missing from the first
// copy or have another value there. It ignores fields that only the first copy has.
func changedDefaults(a, b any, path string, steps ...any) (all []changedDefault) {
	step := func(s any) []any { return append(slices.Clip(steps), s) }
	switch is := b.(type) {
	case map[string]any:
		was, ok := a.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(is)) {
			at := path + "." + name
			if w, had := was[name]; had {
				all = append(all, changedDefaults(w, is[name], at, step(name)...)...)
			} else {
				all = append(all, changedDefault{at, step(name), nil, is[name]})
			}
		}
		return all
	case []any:
		was, ok := a.([]any)
		if !ok || len(was) != len(is) {
			break
		}
		for i := range is {
			all = append(all, changedDefaults(was[i], is[i], fmt.Sprintf("%s[%d]", path, i), step(i)...)...)
		}
		return all
	}
	if !reflect.DeepEqual(a, b) {
		all = append(all, changedDefault{path, steps, a, b})
	}
	return all
}

func text(v any) string {
	if v == nil {
		return "(not set)"
	}
	return words.Flow(v)
}
