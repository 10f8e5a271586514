// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "strings"

// conditions are what transition rules cannot say, by kind and group: what an update may not
// do depends on other fields, or a value may change in one direction only.
var conditions = map[string][]func(*check){
	"ConfigMap":                     {frozen},
	"Secret":                        {frozen},
	"Node":                          {nodeRanges},
	"ResourceQuota":                 {quotaScopes},
	"Pod":                           {pod},
	"Job.batch":                     {jobTemplate, jobCompletions},
	"PersistentVolume":              {volume},
	"PersistentVolumeClaim":         {claim},
	"Service":                       {serviceAddresses, serviceFamilies, balancerClass, healthCheckPort},
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
