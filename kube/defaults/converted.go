// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

// What an object gains on the way through the internal version of its kind, in which a
// server has it in memory.
var convertedRules = []*rule{
	{
		name:     "claim-templates",
		says:     "The claims of a StatefulSet say that they are PersistentVolumeClaims of v1.",
		types:    inGroup("apps.v1", "StatefulSetSpec"),
		writes:   []string{"volumeClaimTemplates[].apiVersion", "volumeClaimTemplates[].kind"},
		converts: true,
		fill: func(p *place) {
			p.each("volumeClaimTemplates", func(claim *place) {
				if claim.data["apiVersion"] != "v1" {
					claim.set("apiVersion", "v1")
				}
				if claim.data["kind"] != "PersistentVolumeClaim" {
					claim.set("kind", "PersistentVolumeClaim")
				}
			})
		},
	},
	{
		name:     "target-cpu",
		says:     "An autoscaler of v1 without any metric aims at 80 % of the CPU that is requested.",
		types:    inGroup("autoscaling.v1", "HorizontalPodAutoscaler"),
		writes:   []string{"spec.targetCPUUtilizationPercentage"},
		converts: true,
		fill: func(p *place) {
			metrics := object(object(p.data["metadata"])["annotations"])[metricsAnnotation]
			if object(p.data["spec"])["targetCPUUtilizationPercentage"] == nil && zero(metrics) {
				p.at("spec").set("targetCPUUtilizationPercentage", int64(80))
			}
		},
	},
	{
		name:     "pod-cidrs",
		says:     "podCIDR and the first of podCIDRs are one; podCIDR counts.",
		types:    core("Node"),
		writes:   []string{"spec.podCIDR", "spec.podCIDRs"},
		converts: true,
		fill: func(p *place) {
			spec := object(p.data["spec"])
			one, all := text(spec["podCIDR"]), array(spec["podCIDRs"])
			first := ""
			if len(all) > 0 {
				first = text(all[0])
			}
			switch {
			case one == "" && first != "":
				p.at("spec").set("podCIDR", first)
			case one != "" && one != first:
				p.at("spec").set("podCIDRs", []any{one})
			}
		},
	},
}

// metricsAnnotation has the metrics of an autoscaler for which v1 has no field.
const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics"
