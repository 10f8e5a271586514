// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/internal/amount"
)

// podLevelRules fill in the resources of a whole pod. Up to 1.36, servers do this when
// they decode a pod. Since 1.37, they do it only for new pods, after admission.
var podLevelRules = []*rule{
	{
		name:    "pod-limits-of-huge-pages",
		summary: "If a pod sets pod-level resources, its limits for huge pages are the total of its containers.",
		types:   core("Pod"),
		writes:  []string{"spec.resources.limits"},
		until:   "1.36",
		fill: func(p *place) {
			spec := object(p.data["spec"])
			own := object(spec["resources"])
			limits, requests := object(own["limits"]), object(own["requests"])
			if len(limits) == 0 && len(requests) == 0 {
				return
			}
			totals := map[string]any{}
			for name, v := range ofContainers(spec, "limits", isHugePages) {
				if _, asked := requests[name]; !asked {
					totals[name] = v
				}
			}
			if all := missing(limits, totals); all != nil {
				p.at("spec").at("resources").set("limits", all)
			}
		},
	},
	{
		name:    "pod-requests",
		summary: "If a pod sets pod-level limits, its requests are the total of its containers, or else its limits.",
		types:   core("Pod"),
		writes:  []string{"spec.resources.requests"},
		until:   "1.36",
		fill: func(p *place) {
			spec := object(p.data["spec"])
			own := object(spec["resources"])
			limits, requests := object(own["limits"]), object(own["requests"])
			if len(limits) == 0 {
				return
			}
			all := missing(requests, ofContainers(spec, "requests", isCPUOrMemory))
			if all != nil {
				requests = all
			}
			totals := map[string]any{}
			for name, v := range limits {
				if isCPUOrMemory(name) || isHugePages(name) {
					totals[name] = v
				}
			}
			if more := missing(requests, totals); more != nil {
				all = more
			}
			if all != nil {
				p.at("spec").at("resources").set("requests", all)
			}
		},
	},
}

func isCPUOrMemory(resource string) bool { return resource == "cpu" || resource == "memory" }

func isHugePages(resource string) bool { return strings.HasPrefix(resource, "hugepages-") }

// ofContainers returns the total resources of a pod's containers: their limits if part is "limits", or
// their requests if part is "requests". The total is the maximum that is needed at the same time; see
// amount.PodTotal. It omits resources for which included returns false.
func ofContainers(spec map[string]any, part string, included func(resource string) bool) map[string]any {
	return amount.PodTotal(spec, func(container map[string]any) map[string]any {
		needs := map[string]any{}
		for name, v := range object(object(container["resources"])[part]) {
			if included(name) {
				needs[name] = v
			}
		}
		return needs
	})
}
