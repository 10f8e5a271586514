// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"encoding/base64"
	"fmt"
	"maps"
)

const immutableMessage = "field is immutable when `immutable` is set"

// Emptied detects a change of an immutable ConfigMap or Secret that Check cannot detect: live has no
// data (or binaryData), and object has an empty map in that field. A server compares the decoded
// objects, so it rejects the change. The stored form of an object does not show the change, because a
// server stores an empty map like a missing map. Callers must therefore pass the sent or merged object,
// not the stored one.
//
// Emptied returns the server's error message, or "" if the server accepts the change. It does not
// modify the objects.
func Emptied(live, object map[string]any) (message string) {
	kind, _ := object["kind"].(string)
	if object["apiVersion"] != "v1" || kind != "ConfigMap" && kind != "Secret" || !isTrue(live["immutable"]) {
		return ""
	}
	for _, name := range []string{"data", "binaryData"} {
		m, _ := object[name].(map[string]any)
		if m != nil && len(m) == 0 && live[name] == nil && (name == "data" || kind == "ConfigMap") {
			metadata, _ := object["metadata"].(map[string]any)
			return fmt.Sprintf("%s %q is invalid: %s: Forbidden: %s", kind, text(metadata["name"]), name, immutableMessage)
		}
	}
	return ""
}

// immutableData requires that an immutable ConfigMap or Secret keeps its data and remains
// immutable.
func immutableData(c *check) {
	if !isTrue(c.old["immutable"]) {
		return
	}
	const message = immutableMessage
	const hint = "create an object with another name and refer to it"
	if !isTrue(c.next["immutable"]) {
		c.reject(".immutable", message, hint)
	}
	c.requireUnchanged(".data", message, hint)
	if c.kind.kind == "ConfigMap" {
		c.requireUnchanged(".binaryData", message, hint)
	}
}

// withStringData returns a Secret as a server stores it, with stringData moved to data.
func withStringData(secret map[string]any) map[string]any {
	strings, _ := secret["stringData"].(map[string]any)
	if _, ok := secret["stringData"]; !ok {
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
