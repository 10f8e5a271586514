// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package podsecurity_test

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/kube/policy/podsecurity"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

func read(t *testing.T, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func namespace(labels string) string {
	return "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {" + labels + "}}\n"
}

const (
	enforce = "pod-security.kubernetes.io/enforce: "
	warn    = "pod-security.kubernetes.io/warn: "
	// inPod is a Pod spec that violates the level baseline.
	inPod = "{hostNetwork: true, containers: [{name: c, image: c}]}"
	pod   = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec: " + inPod
	why   = "host namespaces (hostNetwork=true)"
)

// restricted contains the reasons why inPod violates the level restricted.
const restricted = why + `, allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ` +
	`unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ` +
	`runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ` +
	`seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`

func TestEvaluate(t *testing.T) {
	deployment := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: shop}\nspec: {template: {metadata: {}, spec: " + inPod + "}}"
	cronJob := "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c, namespace: shop}\nspec: {jobTemplate: {spec: {template: {spec: " + inPod + "}}}}"
	for _, c := range []struct {
		what                    string
		namespace, object, live string
		subresource             string
		want                    predict.PodSecurityResult
	}{
		{"no labels", namespace(""), pod, "", "", predict.PodSecurityResult{}},
		{"privileged", namespace(enforce + "privileged"), pod, "", "", predict.PodSecurityResult{}},
		{"enforce", namespace(enforce + "baseline"), pod, "", "", predict.PodSecurityResult{Forbidden: `violates PodSecurity "baseline:latest": ` + why}},
		{"enforce another version", namespace(enforce + "baseline, pod-security.kubernetes.io/enforce-version: v1.30"), pod, "", "", predict.PodSecurityResult{Forbidden: `violates PodSecurity "baseline:v1.30": ` + why}},
		{"enforce restricted", namespace(enforce + "restricted"), pod, "", "", predict.PodSecurityResult{Forbidden: `violates PodSecurity "restricted:latest": ` + restricted}},
		{"an unknown level is restricted", namespace(enforce + "strict"), pod, "", "", predict.PodSecurityResult{Forbidden: `violates PodSecurity "restricted:latest": ` + restricted}},
		{"warn", namespace(warn + "baseline"), pod, "", "", predict.PodSecurityResult{Warnings: []string{`would violate PodSecurity "baseline:latest": ` + why}}},
		{"audit", namespace("pod-security.kubernetes.io/audit: restricted"), pod, "", "", predict.PodSecurityResult{}},
		{"a workload is not rejected", namespace(enforce + "baseline"), deployment, "", "", predict.PodSecurityResult{Warnings: []string{`would violate PodSecurity "baseline:latest": ` + why}}},
		{"a CronJob", namespace(warn + "baseline"), cronJob, "", "", predict.PodSecurityResult{Warnings: []string{`would violate PodSecurity "baseline:latest": ` + why}}},
		{"the status of a workload", namespace(warn + "baseline"), deployment, deployment, "status", predict.PodSecurityResult{}},
		{"another kind", namespace(warn + "baseline"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}", "", "", predict.PodSecurityResult{}},
		{"an update of a Pod with the same images", namespace(enforce + "baseline"), pod, pod, "", predict.PodSecurityResult{}},
		{"an update of a Pod with another image", namespace(enforce + "baseline"), pod, strings.Replace(pod, "image: c", "image: b", 1), "", predict.PodSecurityResult{Forbidden: `violates PodSecurity "baseline:latest": ` + why}},
		{"another ephemeral container", namespace(enforce + "baseline"), strings.Replace(pod, "hostNetwork: true", "hostNetwork: true, ephemeralContainers: [{name: e, image: e}]", 1), pod, "ephemeralcontainers",
			predict.PodSecurityResult{Forbidden: `violates PodSecurity "baseline:latest": ` + why}},
		{"an invalid level", "", namespace(enforce + "strict"), "", "", predict.PodSecurityResult{Invalid: []predict.Cause{{
			Type: "FieldValueInvalid", Field: "metadata.labels[pod-security.kubernetes.io/enforce]", Message: `Invalid value: "strict": must be one of privileged, baseline, restricted`,
		}}}},
		{"an invalid level that stays", "", namespace(enforce + "strict"), namespace(enforce + "strict"), "", predict.PodSecurityResult{}},
		{"a stricter level", "", namespace(enforce + "baseline"), namespace(""), "", predict.PodSecurityResult{Warnings: []string{
			`existing pods in namespace "shop" violate the new PodSecurity enforce level "baseline:latest"`, "p (and 1 other pod): host namespaces", "q: host namespaces, hostPort",
		}}},
		{"a looser level", "", namespace(enforce + "baseline"), namespace(enforce + "restricted"), "", predict.PodSecurityResult{}},
	} {
		t.Run(c.what, func(t *testing.T) {
			e, err := podsecurity.New("1.37")
			if err != nil {
				t.Fatal(err)
			}
			got := e.Evaluate(&predict.PodSecurityRequest{
				Object: read(t, c.object), Live: read(t, c.live), Subresource: c.subresource, Namespace: read(t, c.namespace),
				Pods: []map[string]any{
					read(t, pod), read(t, strings.Replace(pod, "name: p", "name: r", 1)), read(t, strings.Replace(pod, "namespace: shop", "namespace: other", 1)),
					read(t, strings.Replace(strings.Replace(pod, "name: p", "name: q", 1), "image: c", "image: c, ports: [{containerPort: 80, hostPort: 80}]", 1)),
				},
			})
			if got.Forbidden != c.want.Forbidden || !slices.Equal(got.Warnings, c.want.Warnings) || !slices.Equal(got.Invalid, c.want.Invalid) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// An Evaluator applies the checks of its release, even if a label asks for a newer
// version.
func TestRelease(t *testing.T) {
	probe := strings.Replace(pod, "hostNetwork: true, containers: [{name: c, image: c}]",
		"containers: [{name: c, image: c, livenessProbe: {httpGet: {port: 80, host: 10.0.0.1}}}]", 1)
	for release, forbidden := range map[string]bool{"1.33": false, "1.37": true} {
		e, err := podsecurity.New(release)
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{"latest", "v1.99"} {
			got := e.Evaluate(&predict.PodSecurityRequest{
				Object: read(t, probe), Namespace: read(t, namespace(enforce+"baseline, pod-security.kubernetes.io/enforce-version: "+version)),
			})
			if (got.Forbidden != "") != forbidden {
				t.Errorf("%s with %s: %+v", release, version, got)
			}
		}
	}
	if _, err := podsecurity.New("v1.37.2"); err == nil {
		t.Error("a patch release was accepted")
	}
}
