// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// withAllocated returns a Service as the server stores it after an update. It keeps allocated
// values of the live Service, such as clusterIP, if the update omits them. If the type of the
// Service changes, it removes values that only the old type uses, unless the request changes these
// values.
func withAllocated(service, live map[string]any) map[string]any {
	if specOf(service) == nil || specOf(live) == nil {
		return service
	}
	service = keepAllocated(service, live)
	return dropOfOldType(withFamilyPolicy(service, live), live)
}

// The next functions report which allocated values a Service has, according to its type.
func hasIP(spec map[string]any) bool { return spec["type"] != "ExternalName" }

func hasNodePorts(spec map[string]any) bool {
	return spec["type"] == "NodePort" || spec["type"] == "LoadBalancer"
}

func hasHealthPort(spec map[string]any) bool {
	return spec["type"] == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local"
}

// isExternal reports whether the Service receives traffic from outside of the cluster.
func isExternal(spec map[string]any) bool {
	ips, _ := spec["externalIPs"].([]any)
	return hasNodePorts(spec) || spec["type"] == "ClusterIP" && len(ips) > 0
}

// specOf returns the spec of an object. The spec is a part of the object, so do not modify
// it.
func specOf(object map[string]any) map[string]any {
	spec, _ := object["spec"].(map[string]any)
	return spec
}

// isUnset reports whether Go's encoder treats a value as absent.
func isUnset(v any) bool { return v == nil || document.IsZero(v) }

// keepFields copies fields of the live Service to the spec of the new Service, unless the new spec
// already has them.
func keepFields(spec, liveSpec map[string]any, fields ...string) {
	for _, name := range fields {
		if isUnset(spec[name]) && !isUnset(liveSpec[name]) {
			spec[name] = liveSpec[name]
		}
	}
}

func keepAllocated(service, live map[string]any) map[string]any {
	liveSpec := specOf(live)
	service, spec := field(service, "spec")
	if hasIP(liveSpec) && hasIP(spec) {
		keepFields(spec, liveSpec, "clusterIP", "clusterIPs")
		if document.Equal(spec["clusterIPs"], liveSpec["clusterIPs"]) {
			keepFields(spec, liveSpec, "ipFamilies")
		}
	}
	if hasNodePorts(liveSpec) && hasNodePorts(spec) {
		keepNodePorts(spec, liveSpec)
	}
	if hasHealthPort(liveSpec) && hasHealthPort(spec) {
		keepFields(spec, liveSpec, "healthCheckNodePort")
	}
	return service
}

// keepNodePorts keeps node ports from the live Service. A port without a node port gets
// the node port of the live port with the same name, unless another port already uses it.
func keepNodePorts(spec, liveSpec map[string]any) {
	ports, _ := spec["ports"].([]any)
	olds, _ := liveSpec["ports"].([]any)
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
		if ok && there && n != 0 && isUnset(port["nodePort"]) && !slices.Contains(taken, n) {
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

// withFirstIP copies the clusterIP of a new Service to clusterIPs.
func withFirstIP(service map[string]any) map[string]any {
	spec := specOf(service)
	if isUnset(spec["clusterIP"]) || !isUnset(spec["clusterIPs"]) {
		return service
	}
	service, spec = field(service, "spec")
	spec["clusterIPs"] = []any{spec["clusterIP"]}
	return service
}

// withFamilyPolicy sets ipFamilyPolicy as a server would, if the request has none.
func withFamilyPolicy(service, live map[string]any) map[string]any {
	if spec := specOf(service); spec == nil || !hasIP(spec) || !isUnset(spec["ipFamilyPolicy"]) {
		return service
	}
	service, spec := field(service, "spec")
	keepFields(spec, specOf(live), "ipFamilyPolicy")
	if isUnset(spec["ipFamilyPolicy"]) && (live == nil || !hasIP(specOf(live))) {
		spec["ipFamilyPolicy"] = "SingleStack"
		if spec["clusterIP"] == "None" && isUnset(spec["selector"]) {
			spec["ipFamilyPolicy"] = "RequireDualStack"
		}
	}
	return service
}

// dropOfOldType removes fields that the old type of a Service uses and the new type does not
// use. It keeps such fields if the request changes them.
func dropOfOldType(service, live map[string]any) map[string]any {
	liveSpec := specOf(live)
	service, spec := field(service, "spec")
	drop := func(fields ...string) {
		for _, name := range fields {
			if document.Equal(spec[name], liveSpec[name]) {
				delete(spec, name)
			}
		}
	}
	if hasIP(liveSpec) && !hasIP(spec) {
		if document.Equal(spec["clusterIP"], liveSpec["clusterIP"]) && document.Equal(spec["clusterIPs"], liveSpec["clusterIPs"]) {
			drop("clusterIP", "clusterIPs")
		}
		drop("ipFamilies", "ipFamilyPolicy")
	}
	if hasNodePorts(liveSpec) && !hasNodePorts(spec) {
		dropNodePorts(spec, liveSpec)
	}
	if hasHealthPort(liveSpec) && !hasHealthPort(spec) {
		drop("healthCheckNodePort")
	}
	if liveSpec["type"] == "LoadBalancer" && spec["type"] != "LoadBalancer" {
		drop("allocateLoadBalancerNodePorts", "loadBalancerClass")
	}
	if isExternal(liveSpec) && !isExternal(spec) {
		drop("externalTrafficPolicy")
	}
	if status, ok := service["status"].(map[string]any); ok && spec["type"] != "LoadBalancer" && !isUnset(status["loadBalancer"]) {
		service, status = field(service, "status")
		status["loadBalancer"] = map[string]any{}
	}
	return service
}

// dropNodePorts removes all node ports from the spec of a Service. It keeps them if the request adds or
// changes a node port.
func dropNodePorts(spec, liveSpec map[string]any) {
	ports, _ := spec["ports"].([]any)
	olds, _ := liveSpec["ports"].([]any)
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
