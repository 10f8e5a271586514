// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

var serviceRules = []*rule{
	{
		name:   "target-port",
		says:   "The targetPort of a port is the port.",
		types:  core("ServicePort"),
		writes: []string{"targetPort"},
		fill: func(p *place) {
			switch to, port := p.data["targetPort"], p.data["port"]; {
			case zero(to) && !zero(port):
				p.set("targetPort", port)
			case to == "":
				p.set("targetPort", int64(0)) // the port that there is not
			}
		},
	},
	{
		name:   "session-affinity",
		says:   "Affinity by ClientIP lasts 10800 seconds; without affinity there is no configuration of it.",
		types:  core("ServiceSpec"),
		writes: []string{"sessionAffinityConfig", "sessionAffinityConfig.clientIP", "sessionAffinityConfig.clientIP.timeoutSeconds"},
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
		name:   "external-traffic-policy",
		says:   "Cluster for a service that is reached from outside: NodePort, LoadBalancer, or with externalIPs.",
		types:  core("ServiceSpec"),
		writes: []string{"externalTrafficPolicy"},
		fill: func(p *place) {
			if zero(p.data["externalTrafficPolicy"]) && (isOneOf(p.data["type"], "NodePort", "LoadBalancer") ||
				p.data["type"] == "ClusterIP" && len(array(p.data["externalIPs"])) > 0) {
				p.set("externalTrafficPolicy", "Cluster")
			}
		},
	},
	{
		name:   "internal-traffic-policy",
		says:   "Cluster for a service with addresses: all but ExternalName.",
		types:  core("ServiceSpec"),
		writes: []string{"internalTrafficPolicy"},
		fill: func(p *place) {
			if p.data["internalTrafficPolicy"] == nil && isOneOf(p.data["type"], "NodePort", "LoadBalancer", "ClusterIP") {
				p.set("internalTrafficPolicy", "Cluster")
			}
		},
	},
	{
		name:   "load-balancer-node-ports",
		says:   "A LoadBalancer has node ports allocated.",
		types:  core("ServiceSpec"),
		writes: []string{"allocateLoadBalancerNodePorts"},
		fill: func(p *place) {
			if p.data["type"] == "LoadBalancer" && p.data["allocateLoadBalancerNodePorts"] == nil {
				p.set("allocateLoadBalancerNodePorts", true)
			}
		},
	},
	{
		name:   "load-balancer-ip-mode",
		says:   "An address of a LoadBalancer that is an IP has the mode VIP.",
		types:  core("Service"),
		writes: []string{"status.loadBalancer.ingress[].ipMode"},
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

// isOneOf says whether v is one of some strings.
func isOneOf(v any, of ...string) bool {
	s, ok := v.(string)
	for _, o := range of {
		if ok && s == o {
			return true
		}
	}
	return false
}
