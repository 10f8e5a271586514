// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "github.com/dovetail-ssa/dovetail/internal/document"

// addresses are the cluster IPs of a Service after an update: what a client leaves out stays,
// and of clusterIP and clusterIPs one follows the other.
func addresses(was, is map[string]any) (before, after []string) {
	strings := func(v any) (all []string) {
		for _, s := range list(v) {
			all = append(all, text(s))
		}
		return all
	}
	one, all := text(was["clusterIP"]), strings(was["clusterIPs"])
	if len(all) == 0 && one != "" {
		all = []string{one}
	}
	nextOne, nextAll := text(is["clusterIP"]), strings(is["clusterIPs"])
	if nextOne == "" {
		nextOne = one
	}
	if len(nextAll) == 0 {
		nextAll = all
	}
	if nextOne != one && equal(nextAll, all) {
		nextAll = []string{nextOne}
	}
	return all, nextAll
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// typesOf are the types of a Service, which is ClusterIP if it does not say so.
func (c *check) typesOf() (was, is string) {
	was, is = text(c.was(".spec.type")), text(c.is(".spec.type"))
	if was == "" {
		was = "ClusterIP"
	}
	if is == "" {
		is = "ClusterIP"
	}
	return was, is
}

// serviceAddresses: the first cluster IP of a Service stays, while it has some; the second may
// be added, and given up.
func serviceAddresses(c *check) {
	was, is := c.typesOf()
	if was == "ExternalName" || is == "ExternalName" {
		return
	}
	spec, _ := c.old["spec"].(map[string]any)
	next, _ := c.next["spec"].(map[string]any)
	before, after := addresses(spec, next)
	if len(before) == 0 || len(after) == 0 {
		return
	}
	const hint = "type ExternalName in between gives the addresses up"
	field := ".spec.clusterIPs"
	if text(spec["clusterIP"]) != text(next["clusterIP"]) && text(next["clusterIP"]) != "" {
		field = ".spec.clusterIP"
	}
	switch {
	case before[0] != after[0], len(before) == 2 && len(after) == 2 && before[1] != after[1]:
		c.refuse(field, "may not change once set", hint)
	}
}

// serviceFamilies: so does the first family of addresses.
func serviceFamilies(c *check) {
	was, is := c.typesOf()
	old, next := list(c.was(".spec.ipFamilies")), list(c.is(".spec.ipFamilies"))
	if was == "ExternalName" || is == "ExternalName" || len(old) == 0 || len(next) == 0 {
		return
	}
	spec, _ := c.old["spec"].(map[string]any)
	after, _ := c.next["spec"].(map[string]any)
	a, b := addresses(spec, after)
	headless := func(all []string) bool { return len(all) == 1 && all[0] == "None" }
	if len(a) == 0 || len(b) == 0 || headless(a) || headless(b) {
		return
	}
	if text(old[0]) != text(next[0]) || len(old) == 2 && len(next) == 2 && text(old[1]) != text(next[1]) {
		c.refuse(".spec.ipFamilies", "may not change once set", "the second may be added and removed")
	}
}

// balancerClass: the class of a load balancer is chosen when the Service becomes one.
func balancerClass(c *check) {
	was, is := c.typesOf()
	if was == "LoadBalancer" && is == "LoadBalancer" {
		c.keep(".spec.loadBalancerClass", "may not change once set", "another type in between gives the class up")
	}
}

// healthCheckPort: the port of health checks stays while there is one.
func healthCheckPort(c *check) {
	checked := func(object map[string]any) bool {
		return text(child(object["spec"], "type")) == "LoadBalancer" && text(child(object["spec"], "externalTrafficPolicy")) == "Local"
	}
	was, _ := document.Integer(c.was(".spec.healthCheckNodePort"))
	is, _ := document.Integer(c.is(".spec.healthCheckNodePort"))
	if checked(c.old) && checked(c.next) && was != 0 && is != 0 && was != is {
		c.refuse(".spec.healthCheckNodePort", fieldIsImmutable, "externalTrafficPolicy: Cluster in between gives the port up")
	}
}
