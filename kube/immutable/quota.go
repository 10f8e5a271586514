// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

// quotaScopes requires that a ResourceQuota keeps its scopes. Their order may change.
func quotaScopes(c *check) {
	scopes := func(v any) map[string]bool {
		all := map[string]bool{}
		for _, s := range list(v) {
			all[text(s)] = true
		}
		return all
	}
	before, after := scopes(c.oldValue(".spec.scopes")), scopes(c.newValue(".spec.scopes"))
	same := len(before) == len(after)
	for s := range before {
		same = same && after[s]
	}
	if !same {
		c.reject(".spec.scopes", fieldIsImmutable, "")
	}
}
