// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "slices"

// groupPolicy: a PodGroup stays with the member of its scheduling policy that it has, gang or not.
// What is in the member may change where no rule forbids it.
func groupPolicy(c *check) {
	at, old, next := c.both(".spec.schedulingPolicy")
	c.keepsMember(at, old, next)
}

// templatePolicies: so do the templates of a Workload.
func templatePolicies(c *check) {
	at, old, next := c.both(".spec.podGroupTemplates")
	for _, was := range list(old) {
		name, ok := nameOf(c.t.Schema, at.ref, was)
		i := slices.IndexFunc(list(next), func(is any) bool {
			other, _ := nameOf(c.t.Schema, at.ref, is)
			return ok && name.Equals(other)
		})
		if i >= 0 { // what comes or goes is told by a rule
			const policy = "schedulingPolicy"
			c.keepsMember(at.item(c.t.Schema, name).child(c.t.Schema, policy), child(was, policy), child(list(next)[i], policy))
		}
	}
}

func (c *check) keepsMember(at spot, old, next any) {
	const gang = "gang"
	was, is := child(old, gang), child(next, gang)
	if (was == nil) != (is == nil) {
		c.report(differing{at.child(c.t.Schema, gang), was, is}, 0, "may be neither set nor unset: the policy is chosen at creation", "")
	}
}
