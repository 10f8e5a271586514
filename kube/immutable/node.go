// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "slices"

// nodeRanges rejects changes of a Node's pod address ranges. Missing ranges may be set.
func nodeRanges(c *check) {
	ranges := func(object map[string]any) (all []string) {
		one := text(child(object["spec"], "podCIDR"))
		for _, v := range list(child(object["spec"], "podCIDRs")) {
			all = append(all, text(v))
		}
		switch {
		case one == "":
		case len(all) == 0:
			all = []string{one}
		case all[0] != one:
			all = []string{one} // podCIDR takes precedence, because old clients set only this field
		}
		return all
	}
	before, after := ranges(c.old), ranges(c.next)
	if len(before) == 0 || slices.Equal(before, after) {
		return
	}
	field := ".spec.podCIDRs"
	if c.equalAt(field) {
		field = ".spec.podCIDR"
	}
	c.reject(field, "may not change once set", "")
}
