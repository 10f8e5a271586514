// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

var networkRules = []*rule{{
	name:    "policy-types",
	summary: "policyTypes of a NetworkPolicy contains Ingress, and also Egress if the policy has egress rules.",
	types:   []string{"io.k8s.api.networking.v1.NetworkPolicySpec"},
	writes:  []string{"policyTypes"},
	fill: func(p *place) {
		if !zero(p.data["policyTypes"]) {
			return
		}
		types := []any{"Ingress"}
		if len(array(p.data["egress"])) > 0 {
			types = append(types, "Egress")
		}
		p.set("policyTypes", types)
	},
}}
