// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "strings"

// conditions maps kinds to checks that a transition rule cannot express. For example, the check
// depends on other fields, or a value may change in only one direction.
var conditions = map[string][]func(*check){
	"ConfigMap":                     {immutableData},
	"Secret":                        {immutableData},
	"Node":                          {nodeRanges},
	"ResourceQuota":                 {quotaScopes},
	"Pod":                           {podSpec},
	"Job.batch":                     {jobTemplate, jobCompletions},
	"PersistentVolume":              {persistentVolume},
	"PersistentVolumeClaim":         {claimSpec},
	"Service":                       {serviceAddresses, serviceFamilies, loadBalancerClass, healthCheckPort},
	"ServiceCIDR.networking.k8s.io": {serviceCIDR},
	"PodGroup.scheduling.k8s.io":    {groupPolicy},
	"Workload.scheduling.k8s.io":    {templatePolicies},
	"CustomResourceDefinition.apiextensions.k8s.io": {establishedNames},
}

func groupKind(apiVersion, kind string) string {
	if group, _, ok := strings.Cut(apiVersion, "/"); ok {
		return kind + "." + group
	}
	return kind
}

func text(v any) string { s, _ := v.(string); return s }

func isTrue(v any) bool { b, _ := v.(bool); return b }

func list(v any) []any { l, _ := v.([]any); return l }
