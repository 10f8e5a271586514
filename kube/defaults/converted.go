// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

// convertedRules set fields that a server fills in when it converts an object. Servers convert each
// object to an internal version of its kind and back.
var convertedRules = []*rule{
	{
		name:     "claim-templates",
		summary:  "The volumeClaimTemplates of a StatefulSet have the apiVersion v1 and the kind PersistentVolumeClaim.",
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
		summary:  "A HorizontalPodAutoscaler in v1 without metrics targets 80% of the requested CPU.",
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
		summary:  "podCIDR equals the first item of podCIDRs; podCIDR takes precedence.",
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

// metricsAnnotation is an annotation of a v1 autoscaler. It stores the metrics that have no
// field in v1.
const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics"
