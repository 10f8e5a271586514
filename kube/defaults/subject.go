// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

var subjectRules = []*rule{{
	name:   "subject-group",
	says:   "Users and Groups are of the group rbac.authorization.k8s.io.",
	types:  []string{"io.k8s.api.rbac.v1.Subject", "io.k8s.api.rbac.v1beta1.Subject"},
	writes: []string{"apiGroup"},
	fill: func(p *place) {
		if zero(p.data["apiGroup"]) && isOneOf(p.data["kind"], "User", "Group") {
			p.set("apiGroup", "rbac.authorization.k8s.io")
		}
	},
}, {
	name:   "subject-version",
	says:   "In v1alpha1, subjects have versions: that of RBAC for Users and Groups, v1 for ServiceAccounts.",
	types:  []string{"io.k8s.api.rbac.v1alpha1.Subject"},
	writes: []string{"apiVersion"},
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
