// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

// serviceCIDR requires that a ServiceCIDR keeps its ranges. If all ranges are of one IP
// family, a range of the other family may be added.
func serviceCIDR(c *check) {
	before, after := list(c.oldValue(".spec.cidrs")), list(c.newValue(".spec.cidrs"))
	if len(before) == 0 || len(after) < len(before) {
		if len(after) < len(before) {
			c.reject(".spec.cidrs", fieldIsImmutable, "")
		}
		return
	}
	for i := range before {
		if text(before[i]) != text(after[i]) {
			c.reject(".spec.cidrs", fieldIsImmutable, "only a range of the other IP family may be added")
			return
		}
	}
}
