// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

// podRules apply to pods but not to pod templates.
var podRules = []*rule{
	{
		name:    "requests-from-limits",
		summary: "If a container sets a limit for a resource but no request, the request equals the limit.",
		types:   core("Pod"),
		writes:  []string{"spec.containers[].resources.requests", "spec.initContainers[].resources.requests"},
		fill: func(p *place) {
			for _, name := range containerLists {
				p.at("spec").each(name, requestsFromLimits)
			}
		},
	},
	{
		name:    "host-ports",
		summary: "If a pod uses hostNetwork, the hostPort of each container port equals its containerPort.",
		types:   core("Pod"),
		writes:  []string{"spec.containers[].ports[].hostPort", "spec.initContainers[].ports[].hostPort"},
		fill: func(p *place) {
			spec := p.at("spec")
			if spec.data["hostNetwork"] != true {
				return
			}
			for _, name := range containerLists {
				spec.each(name, func(c *place) {
					c.each("ports", func(port *place) {
						if to := port.data["containerPort"]; zero(port.data["hostPort"]) && !zero(to) {
							port.set("hostPort", to)
						}
					})
				})
			}
		},
	},
	{
		name:          "negative-grace-period",
		summary:       "A negative terminationGracePeriodSeconds of a pod becomes 1.",
		types:         core("Pod"),
		writes:        []string{"spec.terminationGracePeriodSeconds"},
		convertsUntil: "1.36",
		changes:       true,
		fill: func(p *place) {
			if n, ok := integer(object(p.data["spec"])["terminationGracePeriodSeconds"]); ok && n < 0 {
				p.at("spec").set("terminationGracePeriodSeconds", int64(1))
			}
		},
	},
}

var containerLists = []string{"containers", "initContainers"}

func requestsFromLimits(container *place) {
	resources := object(container.data["resources"])
	limits, requests := object(resources["limits"]), object(resources["requests"])
	all := missing(requests, limits)
	if all == nil {
		return
	}
	container.at("resources").set("requests", all)
}

// missing returns a copy of the first map with the additional entries of the second map. If the second
// map has no additional entries, missing returns nil.
func missing(has, from map[string]any) map[string]any {
	var all map[string]any
	for name, v := range from {
		if _, ok := has[name]; ok {
			continue
		}
		if all == nil {
			all = make(map[string]any, len(has)+len(from))
			for name, v := range has {
				all[name] = v
			}
		}
		all[name] = v
	}
	return all
}

// integer returns v as an integer. ok is false if v is not a whole number.
func integer(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case int:
		return int64(n), true
	case float64:
		return int64(n), n == float64(int64(n))
	}
	return 0, false
}
