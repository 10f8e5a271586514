// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "slices"

// groupPolicy rejects a PodGroup update that adds or removes the gang scheduling policy.
// Other fields of the policy may change unless a transition rule forbids the change.
func groupPolicy(c *check) {
	at, old, next := c.valuesAt(".spec.schedulingPolicy")
	c.keepsMember(at, old, next)
}

// templatePolicies rejects adding or removing the gang scheduling policy in a Workload's
// templates.
func templatePolicies(c *check) {
	at, old, next := c.valuesAt(".spec.podGroupTemplates")
	for _, before := range list(old) {
		name, ok := nameOf(c.t.Schema, at.ref, before)
		i := slices.IndexFunc(list(next), func(after any) bool {
			other, _ := nameOf(c.t.Schema, at.ref, after)
			return ok && name.Equals(other)
		})
		if i >= 0 { // added and removed templates are reported by a transition rule
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
