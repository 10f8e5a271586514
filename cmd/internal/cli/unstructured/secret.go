// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package unstructured

import (
	"encoding/base64"
)

// The fields of a Secret that the API server makes one of: stringData, which is
// written only, goes into data, encoded.
const (
	SecretData       = "data"
	SecretStringData = "stringData"
)

// IsSecret says whether an object is a Secret.
func IsSecret(object map[string]any) bool {
	return Text(object, "apiVersion") == "v1" && Text(object, "kind") == "Secret"
}

// SecretAsWritten is a stored Secret with its data as stringData, too, so that what
// owners have there is in the object; another object is returned as it is.
func SecretAsWritten(object map[string]any) map[string]any {
	data, ok := object[SecretData].(map[string]any)
	if !ok || !IsSecret(object) || object[SecretStringData] != nil {
		return object
	}
	texts := make(map[string]any, len(data))
	for key := range data {
		texts[key] = "" // what it says is in data
	}
	object = Shallow(object)
	object[SecretStringData] = texts
	return object
}

// SecretAsStored is a Secret as an API server stores it, without stringData; another
// object is returned as it is.
func SecretAsStored(object map[string]any) map[string]any {
	texts, ok := object[SecretStringData].(map[string]any)
	if !ok || !IsSecret(object) {
		return object
	}
	data, _ := object[SecretData].(map[string]any)
	data = Shallow(data)
	for key, v := range texts {
		s, _ := v.(string) // null is an empty text, as in the API server
		if !isMask(s) {
			s = base64.StdEncoding.EncodeToString([]byte(s))
		}
		data[key] = s
	}
	object = Shallow(object)
	delete(object, SecretStringData)
	if len(data) > 0 {
		object[SecretData] = data
	}
	return object
}
