// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package amount

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/quantity"
)

// PodTotal returns, for each resource, the maximum amount that the containers of a Pod need at the
// same time. Ordinary containers run together. Init containers run earlier, one after the other,
// except that an init container with restartPolicy: Always keeps running.
//
// PodTotal calls the function needed for each container, to get the resources of the container. It
// ignores values that are not quantities.
func PodTotal(spec map[string]any, needed func(container map[string]any) map[string]any) map[string]any {
	all, sidecars, before := sums{}, sums{}, sums{}
	for _, c := range containers(spec, "containers") {
		all.add(needed(c))
	}
	for _, c := range containers(spec, "initContainers") {
		needs := sums{}
		needs.add(needed(c))
		if c["restartPolicy"] == "Always" {
			all.join(needs)
			sidecars.join(needs)
			before.atLeast(sidecars)
		} else {
			needs.join(sidecars)
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

// sums maps each resource to quantities that are to be added up.
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

// atLeast raises each sum in s to the sum of the same resource in others, if that sum is larger.
func (s sums) atLeast(others sums) {
	for name, parts := range others {
		if order, _ := quantity.Compare(sum(parts), sum(s[name])); s[name] == nil || order > 0 {
			s[name] = parts
		}
	}
}
