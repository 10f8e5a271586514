// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import "math"

var jobRules = []*rule{
	{
		name:    "completions",
		summary: "If a Job sets neither completions nor parallelism, both are 1; if it sets only completions, parallelism is 1.",
		types:   inGroup("batch.v1", "Job"),
		writes:  []string{"spec.completions", "spec.parallelism"},
		fill: func(p *place) {
			spec := p.at("spec")
			if spec.data["parallelism"] != nil {
				return
			}
			if spec.data["completions"] == nil {
				spec.set("completions", int64(1))
			}
			spec.set("parallelism", int64(1))
		},
	},
	{
		name:    "backoff-limit",
		summary: "backoffLimit of a Job is 6; if the Job sets backoffLimitPerIndex, it is the largest int32, which means no limit.",
		types:   inGroup("batch.v1", "Job"),
		writes:  []string{"spec.backoffLimit"},
		fill: func(p *place) {
			spec := object(p.data["spec"])
			if spec["backoffLimit"] != nil {
				return
			}
			limit := int64(6)
			if spec["backoffLimitPerIndex"] != nil {
				limit = math.MaxInt32
			}
			p.at("spec").set("backoffLimit", limit)
		},
	},
	{
		name:    "pod-replacement-policy",
		summary: "podReplacementPolicy of a Job is TerminatingOrFailed; if the Job sets podFailurePolicy, it is Failed.",
		types:   inGroup("batch.v1", "Job"),
		writes:  []string{"spec.podReplacementPolicy"},
		fill: func(p *place) {
			spec := object(p.data["spec"])
			if spec["podReplacementPolicy"] != nil {
				return
			}
			policy := "TerminatingOrFailed"
			if spec["podFailurePolicy"] != nil {
				policy = "Failed"
			}
			p.at("spec").set("podReplacementPolicy", policy)
		},
	},
}
