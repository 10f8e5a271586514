// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "slices"

// groupPolicy requires that a PodGroup keeps the kind of its scheduling policy, gang or
// not. Fields of the policy may change unless a rule forbids it.
func groupPolicy(c *check) {
	at, old, next := c.valuesAt(".spec.schedulingPolicy")
	c.keepsMember(at, old, next)
}

// templatePolicies requires the same of the templates of a Workload.
func templatePolicies(c *check) {
	at, old, next := c.valuesAt(".spec.podGroupTemplates")
	for _, before := range list(old) {
		name, ok := nameOf(c.t.Schema, at.ref, before)
		i := slices.IndexFunc(list(next), func(after any) bool {
			other, _ := nameOf(c.t.Schema, at.ref, after)
			return ok && name.Equals(other)
		})
		if i >= 0 { // a rule reports added and removed templates
			const policy = "schedulingPolicy"
			c.keepsMember(at.item(c.t.Schema, name).child(c.t.Schema, policy), child(before, policy), child(list(next)[i], policy))
		}
	}
}

func (c *check) keepsMember(at location, old, next any) {
	const gang = "gang"
	before, after := child(old, gang), child(next, gang)
	if (before == nil) != (after == nil) {
		c.report(changedValue{at.child(c.t.Schema, gang), before, after}, 0, "may be neither set nor unset, because the policy is chosen at creation", "")
	}
}
