// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"strings"
)

// secretKeys maps types of Secrets to the keys that a Secret of the type must
// have.
var secretKeys = map[string][]string{
	"kubernetes.io/dockercfg":        {".dockercfg"},
	"kubernetes.io/dockerconfigjson": {".dockerconfigjson"},
	"kubernetes.io/ssh-auth":         {"ssh-privatekey"},
	"kubernetes.io/tls":              {"tls.crt", "tls.key"},
}

// dependent checks for fields that are required only if another field has or lacks a value. The
// table of rules has no such fields. All known releases have these rules.
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
	}
}
