// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import "github.com/dovetail-ssa/dovetail/internal/data"

// templateRules copy labels of the pod template to the labels and the selector of a
// workload.
var templateRules = []*rule{
	{
		name:    "labels-of-pods",
		summary: "An object without labels gets the labels of its pod template.",
		types: []string{
			"io.k8s.api.core.v1.ReplicationController", "io.k8s.api.batch.v1.Job",
			"io.k8s.api.apps.v1beta1.Deployment", "io.k8s.api.apps.v1beta1.StatefulSet",
		},
		writes: []string{"metadata.labels"},
		fill: func(p *place) {
			if of := labelsOfPods(p); len(of) > 0 && len(object(object(p.data["metadata"])["labels"])) == 0 {
				p.at("metadata").set("labels", data.Clone(of))
			}
		},
	},
	{
		name:    "selector-of-pods",
		summary: "The selector of a ReplicationController equals the labels of its pod template.",
		types:   core("ReplicationController"),
		writes:  []string{"spec.selector"},
		fill: func(p *place) {
			if of := labelsOfPods(p); len(of) > 0 && len(object(object(p.data["spec"])["selector"])) == 0 {
				p.at("spec").set("selector", data.Clone(of))
			}
		},
	},
	{
		name:    "selector-of-pods-old",
		summary: "In old API versions, the selector of a workload equals the labels of its pod template.",
		types: []string{
			"io.k8s.api.apps.v1beta1.Deployment", "io.k8s.api.apps.v1beta1.StatefulSet",
		},
		writes: []string{"spec.selector"},
		fill: func(p *place) {
			if of := labelsOfPods(p); of != nil && object(p.data["spec"])["selector"] == nil {
				selector := map[string]any{}
				if len(of) > 0 {
					selector["matchLabels"] = data.Clone(of)
				}
				p.at("spec").set("selector", selector)
			}
		},
	},
}

// labelsOfPods returns the labels of the pod template inside p, or nil if there are none.
func labelsOfPods(p *place) map[string]any {
	return object(object(object(object(p.data["spec"])["template"])["metadata"])["labels"])
}
