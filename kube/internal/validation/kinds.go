// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation

import "slices"

// nameFormats are the formats of names of built-in kinds, by group and kind. Names of
// other kinds are subdomains.
var nameFormats = map[string]string{
	" Event":                            "segment",
	" Namespace":                        "label",
	" Service":                          "label",
	"apiregistration.k8s.io APIService": "segment",
	"apps StatefulSet":                  "label",
	"certificates.k8s.io CertificateSigningRequest": "segment",
	"networking.k8s.io IPAddress":                   "ip",
	"policy PodDisruptionBudget":                    "segment",
	"rbac.authorization.k8s.io ClusterRole":         "segment",
	"rbac.authorization.k8s.io ClusterRoleBinding":  "segment",
	"rbac.authorization.k8s.io Role":                "segment",
	"rbac.authorization.k8s.io RoleBinding":         "segment",
}

// anyFinalizers are the built-in kinds whose finalizers need no domain.
var anyFinalizers = []string{
	" Event", "apiregistration.k8s.io APIService", "apiextensions.k8s.io CustomResourceDefinition", "coordination.k8s.io Lease",
	"node.k8s.io RuntimeClass", "policy PodDisruptionBudget",
}

// RulesOf returns the rules for metadata of a built-in kind.
func RulesOf(group, kind string) NameRules {
	key := group + " " + kind
	return NameRules{
		Name:            nameFormats[key],
		KnownFinalizers: group != "admissionregistration.k8s.io" && !slices.Contains(anyFinalizers, key),
	}
}
