// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

// serviceCIDR: a ServiceCIDR keeps its ranges; one of a single family may get a second.
func serviceCIDR(c *check) {
	was, is := list(c.was(".spec.cidrs")), list(c.is(".spec.cidrs"))
	if len(was) == 0 || len(is) < len(was) {
		if len(is) < len(was) {
			c.refuse(".spec.cidrs", fieldIsImmutable, "")
		}
		return
	}
	for i := range was {
		if text(was[i]) != text(is[i]) {
			c.refuse(".spec.cidrs", fieldIsImmutable, "a range of the other family may be added")
			return
		}
	}
}
