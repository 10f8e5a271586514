// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package unstructured

import (
	"encoding/base64"

	"github.com/dovetail-ssa/dovetail/kube/predict"
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
	return predict.SecretAsStored(object, EncodeText)
}

// EncodeText is how a text of stringData stands in data. A mask stands for either.
func EncodeText(text string) string {
	if isMask(text) {
		return text
	}
	return base64.StdEncoding.EncodeToString([]byte(text))
}
