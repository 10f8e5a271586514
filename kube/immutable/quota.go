// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

// quotaScopes: a ResourceQuota keeps its scopes, in whatever order.
func quotaScopes(c *check) {
	scopes := func(v any) map[string]bool {
		all := map[string]bool{}
		for _, s := range list(v) {
			all[text(s)] = true
		}
		return all
	}
	was, is := scopes(c.was(".spec.scopes")), scopes(c.is(".spec.scopes"))
	same := len(was) == len(is)
	for s := range was {
		same = same && is[s]
	}
	if !same {
		c.refuse(".spec.scopes", fieldIsImmutable, "")
	}
}
