// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

// strategyRules fill in the parameters of rolling updates.
var strategyRules = []*rule{
	{
		name:    "rolling-update",
		summary: "For a rolling update of a Deployment, maxSurge and maxUnavailable are 25%.",
		types:   []string{"io.k8s.api.apps.v1.DeploymentStrategy", "io.k8s.api.apps.v1beta2.DeploymentStrategy", "io.k8s.api.apps.v1beta1.DeploymentStrategy"},
		writes:  []string{"rollingUpdate", "rollingUpdate.maxSurge", "rollingUpdate.maxUnavailable"},
		fill:    func(p *place) { rollingUpdate(p, "25%", "25%") },
	},
	{
		name:    "rolling-update-daemons",
		summary: "For a rolling update of a DaemonSet, maxUnavailable is 1 and maxSurge is 0.",
		types:   []string{"io.k8s.api.apps.v1.DaemonSetUpdateStrategy", "io.k8s.api.apps.v1beta2.DaemonSetUpdateStrategy"},
		writes:  []string{"rollingUpdate", "rollingUpdate.maxSurge", "rollingUpdate.maxUnavailable"},
		fill:    func(p *place) { rollingUpdate(p, int64(0), int64(1)) },
	},
	{
		name:    "rolling-update-stateful",
		summary: "The update strategy of a StatefulSet is a rolling update with partition 0.",
		types:   []string{"io.k8s.api.apps.v1.StatefulSetUpdateStrategy", "io.k8s.api.apps.v1beta2.StatefulSetUpdateStrategy"},
		writes:  []string{"type", "rollingUpdate", "rollingUpdate.partition"},
		fill: func(p *place) {
			if zero(p.data["type"]) {
				p.set("type", "RollingUpdate")
				if p.data["rollingUpdate"] == nil {
					p.set("rollingUpdate", map[string]any{})
				}
			}
			rollingSet(p, "partition", int64(0))
		},
	},
	{
		name:    "rolling-update-stateful-old",
		summary: "In v1beta1, partition is 0 for a rolling update of a StatefulSet.",
		types:   []string{"io.k8s.api.apps.v1beta1.StatefulSetUpdateStrategy"},
		writes:  []string{"rollingUpdate.partition"},
		fill:    func(p *place) { rollingSet(p, "partition", int64(0)) },
	},
	{
		name:    "rolling-update-stateful-one",
		summary: "For a rolling update of a StatefulSet, maxUnavailable is 1.",
		types:   []string{"io.k8s.api.apps.v1.StatefulSetUpdateStrategy", "io.k8s.api.apps.v1beta2.StatefulSetUpdateStrategy", "io.k8s.api.apps.v1beta1.StatefulSetUpdateStrategy"},
		writes:  []string{"rollingUpdate.maxUnavailable"},
		since:   "1.37",
		fill:    func(p *place) { rollingSet(p, "maxUnavailable", int64(1)) },
	},
}

func rollingUpdate(p *place, surge, unavailable any) {
	if p.data["type"] != "RollingUpdate" {
		return
	}
	if p.data["rollingUpdate"] == nil {
		p.set("rollingUpdate", map[string]any{"maxSurge": surge, "maxUnavailable": unavailable})
		return
	}
	to := p.at("rollingUpdate")
	if to.data["maxSurge"] == nil {
		to.set("maxSurge", surge)
	}
	if to.data["maxUnavailable"] == nil {
		to.set("maxUnavailable", unavailable)
	}
}

// rollingSet sets a parameter of a StatefulSet's rolling update. It does nothing if the StatefulSet
// does not have the field rollingUpdate.
func rollingSet(p *place, name string, v any) {
	if to, ok := p.data["rollingUpdate"].(map[string]any); ok && p.data["type"] == "RollingUpdate" && to[name] == nil {
		p.at("rollingUpdate").set(name, v)
	}
}
