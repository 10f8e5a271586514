// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import "math"

var jobRules = []*rule{
	{
		name:   "completions",
		says:   "A Job that says neither completions nor parallelism has one pod, to be completed once; else one pod at a time.",
		types:  inGroup("batch.v1", "Job"),
		writes: []string{"spec.completions", "spec.parallelism"},
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
		name:   "backoff-limit",
		says:   "A Job is tried 6 times more; with backoffLimitPerIndex there is no limit of all.",
		types:  inGroup("batch.v1", "Job"),
		writes: []string{"spec.backoffLimit"},
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
		name:   "pod-replacement-policy",
		says:   "A Job replaces pods that terminate or failed; with podFailurePolicy, those that failed.",
		types:  inGroup("batch.v1", "Job"),
		writes: []string{"spec.podReplacementPolicy"},
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
