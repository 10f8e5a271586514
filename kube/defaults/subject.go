// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

var subjectRules = []*rule{{
	name:    "subject-group",
	summary: "apiGroup of a User or Group is rbac.authorization.k8s.io.",
	types:   []string{"io.k8s.api.rbac.v1.Subject", "io.k8s.api.rbac.v1beta1.Subject"},
	writes:  []string{"apiGroup"},
	fill: func(p *place) {
		if zero(p.data["apiGroup"]) && isOneOf(p.data["kind"], "User", "Group") {
			p.set("apiGroup", "rbac.authorization.k8s.io")
		}
	},
}, {
	name:    "subject-version",
	summary: "In v1alpha1, apiVersion of a User or Group is rbac.authorization.k8s.io/v1alpha1, and of a ServiceAccount v1.",
	types:   []string{"io.k8s.api.rbac.v1alpha1.Subject"},
	writes:  []string{"apiVersion"},
	fill: func(p *place) {
		switch {
		case !zero(p.data["apiVersion"]):
		case p.data["kind"] == "ServiceAccount":
			p.set("apiVersion", "v1")
		case isOneOf(p.data["kind"], "User", "Group"):
			p.set("apiVersion", "rbac.authorization.k8s.io/v1alpha1")
		}
	},
}}
