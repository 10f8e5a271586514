// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "github.com/dovetail-ssa/dovetail/internal/document"

// addresses returns the cluster IPs of a Service before and after an update. Like a server, it
// keeps the old addresses if the update omits them. If an update changes only clusterIP, the server
// changes clusterIPs to match.
func addresses(oldSpec, newSpec map[string]any) (before, after []string) {
	strings := func(v any) (all []string) {
		for _, s := range list(v) {
			all = append(all, text(s))
		}
		return all
	}
	one, all := text(oldSpec["clusterIP"]), strings(oldSpec["clusterIPs"])
	if len(all) == 0 && one != "" {
		all = []string{one}
	}
	nextOne, nextAll := text(newSpec["clusterIP"]), strings(newSpec["clusterIPs"])
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

// typesOf returns the type of a Service before and after the update. An absent type is
// ClusterIP.
func (c *check) typesOf() (oldType, newType string) {
	oldType, newType = text(c.oldValue(".spec.type")), text(c.newValue(".spec.type"))
	if oldType == "" {
		oldType = "ClusterIP"
	}
	if newType == "" {
		newType = "ClusterIP"
	}
	return oldType, newType
}

// serviceAddresses requires that a Service keeps its first cluster IP. A second cluster IP
// may be added or removed.
func serviceAddresses(c *check) {
	oldType, newType := c.typesOf()
	if oldType == "ExternalName" || newType == "ExternalName" {
		return
	}
	spec, _ := c.old["spec"].(map[string]any)
	next, _ := c.next["spec"].(map[string]any)
	before, after := addresses(spec, next)
	if len(before) == 0 || len(after) == 0 {
		return
	}
	const hint = "change the type to ExternalName first, which releases the addresses"
	field := ".spec.clusterIPs"
	if text(spec["clusterIP"]) != text(next["clusterIP"]) && text(next["clusterIP"]) != "" {
		field = ".spec.clusterIP"
	}
	switch {
	case before[0] != after[0], len(before) == 2 && len(after) == 2 && before[1] != after[1]:
		c.reject(field, "may not change once set", hint)
	}
}

// serviceFamilies requires that a Service keeps its first IP family. A second IP family
// may be added or removed.
func serviceFamilies(c *check) {
	oldType, newType := c.typesOf()
	old, next := list(c.oldValue(".spec.ipFamilies")), list(c.newValue(".spec.ipFamilies"))
	if oldType == "ExternalName" || newType == "ExternalName" || len(old) == 0 || len(next) == 0 {
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
		c.reject(".spec.ipFamilies", "may not change once set", "only a second IP family may be added or removed")
	}
}

// loadBalancerClass requires that a load balancer keeps its class. The class can be set
// only when the type of the Service becomes LoadBalancer.
func loadBalancerClass(c *check) {
	oldType, newType := c.typesOf()
	if oldType == "LoadBalancer" && newType == "LoadBalancer" {
		c.requireUnchanged(".spec.loadBalancerClass", "may not change once set", "change the type first, which releases the class")
	}
}

// healthCheckPort rejects changes of a Service's health check port while the Service uses the port.
func healthCheckPort(c *check) {
	checked := func(object map[string]any) bool {
		return text(child(object["spec"], "type")) == "LoadBalancer" && text(child(object["spec"], "externalTrafficPolicy")) == "Local"
	}
	oldPort, _ := document.Integer(c.oldValue(".spec.healthCheckNodePort"))
	newPort, _ := document.Integer(c.newValue(".spec.healthCheckNodePort"))
	if checked(c.old) && checked(c.next) && oldPort != 0 && newPort != 0 && oldPort != newPort {
		c.reject(".spec.healthCheckNodePort", fieldIsImmutable, "set externalTrafficPolicy: Cluster first, which releases the port")
	}
}
