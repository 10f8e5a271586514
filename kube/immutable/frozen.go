// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"encoding/base64"
	"maps"
)

// frozen: a ConfigMap or Secret with immutable: true keeps its data, and stays so.
func frozen(c *check) {
	if !isTrue(c.old["immutable"]) {
		return
	}
	const message = "field is immutable when `immutable` is set"
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
