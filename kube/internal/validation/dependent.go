// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/internal/amount"
)

// secretKeys maps types of Secrets to the keys that a Secret of the type must
// have.
var secretKeys = map[string][]string{
	"kubernetes.io/dockercfg":        {".dockercfg"},
	"kubernetes.io/dockerconfigjson": {".dockerconfigjson"},
	"kubernetes.io/ssh-auth":         {"ssh-privatekey"},
	"kubernetes.io/tls":              {"tls.crt", "tls.key"},
}

// dependent checks rules about fields that depend on other fields. These rules are not part of the
// table, because they are the same in all known releases.
func (w *walk) dependent(apiVersion, kind string, object map[string]any) {
	spec := mapOf(object["spec"])
	switch {
	case apiVersion == "v1" && kind == "Service":
		addresses := listOf(spec["clusterIPs"])
		headless := spec["clusterIP"] == "None" || len(addresses) > 0 && addresses[0] == "None"
		external := spec["type"] == "ExternalName"
		if len(listOf(spec["ports"])) == 0 && !headless && !external {
			w.add(required("spec.ports", ""))
		}
		if name, _ := spec["externalName"].(string); external && strings.TrimSuffix(name, ".") == "" {
			w.add(required("spec.externalName", ""))
		}
	case apiVersion == "v1" && kind == "Secret":
		has := func(key string) bool {
			_, inData := mapOf(object["data"])[key]
			_, inText := mapOf(object["stringData"])[key]
			return inData || inText
		}
		of, _ := object["type"].(string)
		needed := secretKeys[of]
		if of == "kubernetes.io/basic-auth" && !has("username") && !has("password") {
			needed = []string{"username", "password"}
		}
		for _, key := range needed {
			if !has(key) {
				w.add(required(fmt.Sprintf("data[%s]", key), ""))
			}
		}
	case apiVersion == "networking.k8s.io/v1" && kind == "Ingress":
		if len(listOf(spec["rules"])) == 0 && spec["defaultBackend"] == nil {
			w.add(invalid("spec", nil, "either `defaultBackend` or `rules` must be specified"))
		}
	case strings.HasPrefix(apiVersion, "autoscaling/") && kind == "HorizontalPodAutoscaler":
		least, hasLeast := document.Integer(spec["minReplicas"])
		most, hasMost := document.Integer(spec["maxReplicas"])
		if hasLeast && hasMost && most < least {
			w.add(invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"))
		}
	}
	if pod, at := podSpec(apiVersion, kind, object); pod != nil {
		for _, list := range []string{"initContainers", "containers"} {
			for i, c := range listOf(pod[list]) {
				at := fmt.Sprintf("%s.%s[%d]", at, list, i)
				w.requests(at+".resources", mapOf(mapOf(c)["resources"]))
				w.probes(at, mapOf(c))
			}
		}
	}
}

// podSpec returns the Pod specification in an object of a built-in kind, with its path. It returns
// nil if the object has none.
func podSpec(apiVersion, kind string, object map[string]any) (spec map[string]any, at string) {
	var path []string
	switch group, _, _ := strings.Cut(apiVersion, "/"); {
	case apiVersion == "v1" && kind == "Pod":
		path = []string{"spec"}
	case apiVersion == "v1" && kind == "PodTemplate":
		path = []string{"template", "spec"}
	case apiVersion == "v1" && kind == "ReplicationController", group == "batch" && kind == "Job",
		group == "apps" && slices.Contains([]string{"DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"}, kind):
		path = []string{"spec", "template", "spec"}
	case group == "batch" && kind == "CronJob":
		path = []string{"spec", "jobTemplate", "spec", "template", "spec"}
	default:
		return nil, ""
	}
	spec = object
	for _, name := range path {
		spec = mapOf(spec[name])
	}
	return spec, strings.Join(path, ".")
}

// requests checks that the resource requests of a container do not exceed its limits. The argument at
// is the path of the field resources.
func (w *walk) requests(at string, resources map[string]any) {
	requests, limits := mapOf(resources["requests"]), mapOf(resources["limits"])
	for _, name := range []string{"cpu", "memory", "ephemeral-storage"} {
		if requests[name] == nil || limits[name] == nil {
			continue
		}
		request, limit := amount.Number(requests[name]), amount.Number(limits[name])
		if request == nil || limit == nil || request.Cmp(limit) <= 0 {
			continue
		}
		asked, _ := amount.Canonical(requests[name])
		allowed, _ := amount.Canonical(limits[name])
		w.add(invalid(at+".requests", asked, fmt.Sprintf("must be less than or equal to %s limit of %s", name, allowed)))
	}
}

// probes rejects liveness and startup probes with a successThreshold above 1. Only readiness probes may
// require more than one success. The argument at is the path of the container.
func (w *walk) probes(at string, container map[string]any) {
	for _, name := range []string{"livenessProbe", "startupProbe"} {
		if n, ok := document.Integer(mapOf(container[name])["successThreshold"]); ok && n > 1 {
			w.add(invalid(at+"."+name+".successThreshold", n, "must be 1"))
		}
	}
}
