// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package amount

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/quantity"
)

// OfPod is what the containers of a Pod take at most at a time, by the names of resources: all
// containers run at once; init containers run before, one after the other, but for those that
// restart always: these go on. of tells what a container takes; what is no quantity is left out.
func OfPod(spec map[string]any, of func(container map[string]any) map[string]any) map[string]any {
	all, goOn, before := sums{}, sums{}, sums{}
	for _, c := range containers(spec, "containers") {
		all.add(of(c))
	}
	for _, c := range containers(spec, "initContainers") {
		needs := sums{}
		needs.add(of(c))
		if c["restartPolicy"] == "Always" {
			all.join(needs)
			goOn.join(needs)
			before.atLeast(goOn)
		} else {
			needs.join(goOn)
			before.atLeast(needs)
		}
	}
	all.atLeast(before)
	total := make(map[string]any, len(all))
	for name, parts := range all {
		total[name] = sum(parts)
	}
	return total
}

func containers(spec map[string]any, list string) (all []map[string]any) {
	items, _ := spec[list].([]any)
	for _, item := range items {
		c, _ := item.(map[string]any)
		all = append(all, c)
	}
	return all
}

// sums are what is added up of each resource.
type sums map[string][]any

func (s sums) add(more map[string]any) {
	for name, v := range more {
		if _, ok := Canonical(v); ok {
			s[name] = append(s[name], v)
		}
	}
}

func (s sums) join(more sums) {
	for name, parts := range more {
		s[name] = slices.Concat(s[name], parts)
	}
}

// atLeast takes over what is more in others.
func (s sums) atLeast(others sums) {
	for name, parts := range others {
		if order, _ := quantity.Compare(sum(parts), sum(s[name])); s[name] == nil || order > 0 {
			s[name] = parts
		}
	}
}
