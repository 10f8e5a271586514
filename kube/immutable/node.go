// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "slices"

// nodeRanges: a Node keeps the ranges of its Pods' addresses, once it has some.
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
			all = []string{one} // the server takes the one that old clients know
		}
		return all
	}
	was, is := ranges(c.old), ranges(c.next)
	if len(was) == 0 || slices.Equal(was, is) {
		return
	}
	field := ".spec.podCIDRs"
	if c.same(field) {
		field = ".spec.podCIDR"
	}
	c.refuse(field, "may not change once set", "")
}
