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

// otherDefault is a field that one of two states of an object has another value in.
type otherDefault struct {
	at       string
	old, now any
}

// otherDefaults compares what two schemas make of one object where both have the field, or
// one fills it in. What one drops is not compared.
func otherDefaults(a, b any, path string) (all []otherDefault) {
	switch is := b.(type) {
	case map[string]any:
		was, ok := a.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(is)) {
			at := path + "." + name
			if w, had := was[name]; had {
				all = append(all, otherDefaults(w, is[name], at)...)
			} else {
				all = append(all, otherDefault{at, nil, is[name]})
			}
		}
		return all
	case []any:
		was, ok := a.([]any)
		if !ok || len(was) != len(is) {
			break
		}
		for i := range is {
			all = append(all, otherDefaults(was[i], is[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
		return all
	}
	if !reflect.DeepEqual(a, b) {
		all = append(all, otherDefault{path, a, b})
	}
	return all
}

func text(v any) string {
	if v == nil {
		return "nothing"
	}
	return words.Flow(v)
}
