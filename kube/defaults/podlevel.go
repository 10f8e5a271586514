// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import "strings"

// Resources of a pod as a whole. From 1.37 on they are filled in when a pod is created,
// after admission, and not when it is decoded.
var podLevelRules = []*rule{
	{
		name:   "pod-limits-of-huge-pages",
		says:   "A pod that has resources of its own is limited to the huge pages of its containers.",
		types:  core("Pod"),
		writes: []string{"spec.resources.limits"},
		until:  "1.36",
		fill: func(p *place) {
			spec := object(p.data["spec"])
			own := object(spec["resources"])
			limits, requests := object(own["limits"]), object(own["requests"])
			if len(limits) == 0 && len(requests) == 0 {
				return
			}
			of := map[string]any{}
			for name, v := range ofContainers(spec, "limits", isHugePages) {
				if _, asked := requests[name]; !asked {
					of[name] = v
				}
			}
			if all := missing(limits, of); all != nil {
				p.at("spec").at("resources").set("limits", all)
			}
		},
	},
	{
		name:   "pod-requests",
		says:   "A pod that has limits of its own requests what its containers do, else its limits.",
		types:  core("Pod"),
		writes: []string{"spec.resources.requests"},
		until:  "1.36",
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
			of := map[string]any{}
			for name, v := range limits {
				if isCPUOrMemory(name) || isHugePages(name) {
					of[name] = v
				}
			}
			if more := missing(requests, of); more != nil {
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

// ofContainers is what the containers of a pod need at most at a time of some resources,
// by their limits or requests. All containers run at once; init containers run before, one
// after the other, but for those that restart always: these go on.
func ofContainers(spec map[string]any, part string, of func(resource string) bool) map[string]any {
	all, started, most := amounts{}, amounts{}, amounts{}
	each := func(list string, f func(container map[string]any, needs amounts)) {
		for _, c := range array(spec[list]) {
			c := object(c)
			needs := amounts{}
			for name, v := range object(object(c["resources"])[part]) {
				if a, ok := readAmount(v); ok && of(name) {
					needs[name] = a
				}
			}
			f(c, needs)
		}
	}
	each("containers", func(_ map[string]any, needs amounts) { all.add(needs) })
	each("initContainers", func(c map[string]any, needs amounts) {
		if c["restartPolicy"] == "Always" {
			all.add(needs)
			started.add(needs)
			needs = started
		} else {
			needs.add(started)
		}
		most.atLeast(needs)
	})
	all.atLeast(most)
	sum := make(map[string]any, len(all))
	for name, a := range all {
		sum[name] = a.String()
	}
	return sum
}

// amounts are quantities of resources.
type amounts map[string]amount

func (l amounts) add(more amounts) {
	for name, a := range more {
		if has, ok := l[name]; ok {
			a = has.plus(a)
		}
		l[name] = a
	}
}

func (l amounts) atLeast(least amounts) {
	for name, a := range least {
		if has, ok := l[name]; !ok || a.number.Cmp(has.number) > 0 {
			l[name] = a
		}
	}
}
