// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// withAllocated is a Service as an update stores it: with what was allocated for the live
// one and is left out, and without what the type had that it is no more of, unless the
// request changes that, too.
func withAllocated(service, live map[string]any) map[string]any {
	if specOf(service) == nil || specOf(live) == nil {
		return service
	}
	service = keepAllocated(service, live)
	return dropOfOldType(withFamilyPolicy(service, live), live)
}

// What a Service has depends on its type.
func hasIP(spec map[string]any) bool { return spec["type"] != "ExternalName" }

func hasNodePorts(spec map[string]any) bool {
	return spec["type"] == "NodePort" || spec["type"] == "LoadBalancer"
}

func hasHealthPort(spec map[string]any) bool {
	return spec["type"] == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local"
}

// isExternal says whether traffic comes from outside of the cluster.
func isExternal(spec map[string]any) bool {
	ips, _ := spec["externalIPs"].([]any)
	return hasNodePorts(spec) || spec["type"] == "ClusterIP" && len(ips) > 0
}

// specOf is the spec of an object, to be read.
func specOf(object map[string]any) map[string]any {
	spec, _ := object["spec"].(map[string]any)
	return spec
}

// unset says whether a field is to Go as if it was not there.
func unset(v any) bool { return v == nil || document.IsZero(v) }

// take takes fields over that object leaves out.
func take(spec, was map[string]any, fields ...string) {
	for _, name := range fields {
		if unset(spec[name]) && !unset(was[name]) {
			spec[name] = was[name]
		}
	}
}

func keepAllocated(service, live map[string]any) map[string]any {
	was := specOf(live)
	service, spec := field(service, "spec")
	if hasIP(was) && hasIP(spec) {
		take(spec, was, "clusterIP", "clusterIPs")
		if document.Equal(spec["clusterIPs"], was["clusterIPs"]) {
			take(spec, was, "ipFamilies")
		}
	}
	if hasNodePorts(was) && hasNodePorts(spec) {
		keepNodePorts(spec, was)
	}
	if hasHealthPort(was) && hasHealthPort(spec) {
		take(spec, was, "healthCheckNodePort")
	}
	return service
}

// keepNodePorts gives ports without a node port that of the live port of their name, unless
// another one has it.
func keepNodePorts(spec, was map[string]any) {
	ports, _ := spec["ports"].([]any)
	olds, _ := was["ports"].([]any)
	byName := map[any]any{}
	for _, old := range olds {
		old, _ := old.(map[string]any)
		name, _ := old["name"].(string)
		byName[name] = old["nodePort"]
	}
	taken := nodePorts(ports)
	ports = slices.Clone(ports)
	for i, v := range ports {
		port, ok := v.(map[string]any)
		name, _ := port["name"].(string)
		n, there := document.Integer(byName[name])
		if ok && there && n != 0 && unset(port["nodePort"]) && !slices.Contains(taken, n) {
			port = document.Shallow(port)
			port["nodePort"] = byName[name]
			ports[i] = port
		}
	}
	if len(ports) > 0 {
		spec["ports"] = ports
	}
}

func nodePorts(ports []any) (all []int64) {
	for _, v := range ports {
		port, _ := v.(map[string]any)
		if n, ok := document.Integer(port["nodePort"]); ok && n != 0 {
			all = append(all, n)
		}
	}
	return all
}

// withFirstIP is a new Service with the address that it asks for in the list of them.
func withFirstIP(service map[string]any) map[string]any {
	spec := specOf(service)
	if unset(spec["clusterIP"]) || !unset(spec["clusterIPs"]) {
		return service
	}
	service, spec = field(service, "spec")
	spec["clusterIPs"] = []any{spec["clusterIP"]}
	return service
}

// withFamilyPolicy is a Service with the policy that it has if it asks for none.
func withFamilyPolicy(service, live map[string]any) map[string]any {
	if spec := specOf(service); spec == nil || !hasIP(spec) || !unset(spec["ipFamilyPolicy"]) {
		return service
	}
	service, spec := field(service, "spec")
	take(spec, specOf(live), "ipFamilyPolicy")
	if unset(spec["ipFamilyPolicy"]) && (live == nil || !hasIP(specOf(live))) {
		spec["ipFamilyPolicy"] = "SingleStack"
		if spec["clusterIP"] == "None" && unset(spec["selector"]) {
			spec["ipFamilyPolicy"] = "RequireDualStack"
		}
	}
	return service
}

// dropOfOldType takes fields out of a Service that its type had and has no more, and that
// the request leaves as they were.
func dropOfOldType(service, live map[string]any) map[string]any {
	was := specOf(live)
	service, spec := field(service, "spec")
	drop := func(fields ...string) {
		for _, name := range fields {
			if document.Equal(spec[name], was[name]) {
				delete(spec, name)
			}
		}
	}
	if hasIP(was) && !hasIP(spec) {
		if document.Equal(spec["clusterIP"], was["clusterIP"]) && document.Equal(spec["clusterIPs"], was["clusterIPs"]) {
			drop("clusterIP", "clusterIPs")
		}
		drop("ipFamilies", "ipFamilyPolicy")
	}
	if hasNodePorts(was) && !hasNodePorts(spec) {
		dropNodePorts(spec, was)
	}
	if hasHealthPort(was) && !hasHealthPort(spec) {
		drop("healthCheckNodePort")
	}
	if was["type"] == "LoadBalancer" && spec["type"] != "LoadBalancer" {
		drop("allocateLoadBalancerNodePorts", "loadBalancerClass")
	}
	if isExternal(was) && !isExternal(spec) {
		drop("externalTrafficPolicy")
	}
	if status, ok := service["status"].(map[string]any); ok && spec["type"] != "LoadBalancer" && !unset(status["loadBalancer"]) {
		service, status = field(service, "status")
		status["loadBalancer"] = map[string]any{}
	}
	return service
}

// dropNodePorts takes all node ports out if none of them is new.
func dropNodePorts(spec, was map[string]any) {
	ports, _ := spec["ports"].([]any)
	olds, _ := was["ports"].([]any)
	had := nodePorts(olds)
	for _, n := range nodePorts(ports) {
		if !slices.Contains(had, n) {
			return
		}
	}
	ports = slices.Clone(ports)
	for i, v := range ports {
		if port, ok := v.(map[string]any); ok && port["nodePort"] != nil {
			port = document.Shallow(port)
			delete(port, "nodePort")
			ports[i] = port
		}
	}
	if len(ports) > 0 {
		spec["ports"] = ports
	}
}
