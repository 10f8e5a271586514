// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"encoding/base64"
	"fmt"
	"maps"
)

const frozenMessage = "field is immutable when `immutable` is set"

// Emptied says how a server refuses object, as it was sent or merged, if live is an immutable ConfigMap or
// Secret that lacks one of its maps, and object has that, empty: a server compares what it has decoded, where
// the two are not the same. What is stored shows no difference, so that Check does not see it. refusal is empty
// if there is nothing to refuse, and of other kinds. Neither object is modified.
func Emptied(live, object map[string]any) (refusal string) {
	kind, _ := object["kind"].(string)
	if object["apiVersion"] != "v1" || kind != "ConfigMap" && kind != "Secret" || !isTrue(live["immutable"]) {
		return ""
	}
	for _, name := range []string{"data", "binaryData"} {
		m, _ := object[name].(map[string]any)
		if m != nil && len(m) == 0 && live[name] == nil && (name == "data" || kind == "ConfigMap") {
			metadata, _ := object["metadata"].(map[string]any)
			return fmt.Sprintf("%s %q is invalid: %s: Forbidden: %s", kind, text(metadata["name"]), name, frozenMessage)
		}
	}
	return ""
}

// frozen: a ConfigMap or Secret with immutable: true keeps its data, and stays so.
func frozen(c *check) {
	if !isTrue(c.old["immutable"]) {
		return
	}
	const message = frozenMessage
	const hint = "or create one of another name, and refer to that"
	if !isTrue(c.next["immutable"]) {
		c.refuse(".immutable", message, hint)
	}
	c.keep(".data", message, hint)
	if c.kind.kind == "ConfigMap" {
		c.keep(".binaryData", message, hint)
	}
}

// withStrings is a Secret as a server stores it: with stringData in data.
func withStrings(secret map[string]any) map[string]any {
	strings, _ := secret["stringData"].(map[string]any)
	if _, there := secret["stringData"]; !there {
		return secret
	}
	secret = maps.Clone(secret)
	delete(secret, "stringData")
	if len(strings) == 0 {
		return secret
	}
	data, _ := secret["data"].(map[string]any)
	if data = maps.Clone(data); data == nil {
		data = map[string]any{}
	}
	for name, v := range strings {
		data[name] = base64.StdEncoding.EncodeToString([]byte(text(v)))
	}
	secret["data"] = data
	return secret
}
