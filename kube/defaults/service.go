// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

var serviceRules = []*rule{
	{
		name:    "target-port",
		summary: "targetPort of a Service port equals its port.",
		types:   core("ServicePort"),
		writes:  []string{"targetPort"},
		fill: func(p *place) {
			switch to, port := p.data["targetPort"], p.data["port"]; {
			case zero(to) && !zero(port):
				p.set("targetPort", port)
			case to == "":
				p.set("targetPort", int64(0)) // a server treats an absent port as 0
			}
		},
	},
	{
		name:    "session-affinity",
		summary: "With sessionAffinity ClientIP, the timeout is 10800 seconds; with None, sessionAffinityConfig is removed.",
		types:   core("ServiceSpec"),
		writes:  []string{"sessionAffinityConfig", "sessionAffinityConfig.clientIP", "sessionAffinityConfig.clientIP.timeoutSeconds"},
		fill: func(p *place) {
			config := p.data["sessionAffinityConfig"]
			switch p.data["sessionAffinity"] {
			case "None":
				if config != nil {
					p.remove("sessionAffinityConfig")
				}
			case "ClientIP":
				if object(object(config)["clientIP"])["timeoutSeconds"] == nil {
					p.set("sessionAffinityConfig", map[string]any{"clientIP": map[string]any{"timeoutSeconds": int64(10800)}})
				}
			}
		},
	},
	{
		name:    "external-traffic-policy",
		summary: "externalTrafficPolicy is Cluster for the types NodePort and LoadBalancer, and for ClusterIP with externalIPs.",
		types:   core("ServiceSpec"),
		writes:  []string{"externalTrafficPolicy"},
		fill: func(p *place) {
			if zero(p.data["externalTrafficPolicy"]) && (isOneOf(p.data["type"], "NodePort", "LoadBalancer") ||
				p.data["type"] == "ClusterIP" && len(array(p.data["externalIPs"])) > 0) {
				p.set("externalTrafficPolicy", "Cluster")
			}
		},
	},
	{
		name:    "internal-traffic-policy",
		summary: "internalTrafficPolicy is Cluster for all Service types except ExternalName.",
		types:   core("ServiceSpec"),
		writes:  []string{"internalTrafficPolicy"},
		fill: func(p *place) {
			if p.data["internalTrafficPolicy"] == nil && isOneOf(p.data["type"], "NodePort", "LoadBalancer", "ClusterIP") {
				p.set("internalTrafficPolicy", "Cluster")
			}
		},
	},
	{
		name:    "load-balancer-node-ports",
		summary: "allocateLoadBalancerNodePorts is true for a Service of type LoadBalancer.",
		types:   core("ServiceSpec"),
		writes:  []string{"allocateLoadBalancerNodePorts"},
		fill: func(p *place) {
			if p.data["type"] == "LoadBalancer" && p.data["allocateLoadBalancerNodePorts"] == nil {
				p.set("allocateLoadBalancerNodePorts", true)
			}
		},
	},
	{
		name:    "load-balancer-ip-mode",
		summary: "ipMode of a LoadBalancer ingress with an IP is VIP.",
		types:   core("Service"),
		writes:  []string{"status.loadBalancer.ingress[].ipMode"},
		fill: func(p *place) {
			if object(p.data["spec"])["type"] != "LoadBalancer" {
				return
			}
			p.at("status").at("loadBalancer").each("ingress", func(in *place) {
				if !zero(in.data["ip"]) && in.data["ipMode"] == nil {
					in.set("ipMode", "VIP")
				}
			})
		},
	},
}

// isOneOf reports whether v is one of the given strings.
func isOneOf(v any, texts ...string) bool {
	s, ok := v.(string)
	for _, o := range texts {
		if ok && s == o {
			return true
		}
	}
	return false
}
