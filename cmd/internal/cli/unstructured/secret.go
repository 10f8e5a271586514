// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package unstructured

import (
	"encoding/base64"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// These two fields hold the values of a Secret. stringData is write-only: an API server encodes its
// values into data.
const (
	SecretData       = "data"
	SecretStringData = "stringData"
)

// IsSecret reports whether an object is a Secret.
func IsSecret(object map[string]any) bool {
	return Text(object, "apiVersion") == "v1" && Text(object, "kind") == "Secret"
}

// LooksLikeSecret reports whether an object is a Secret, or was probably meant to be one. The kind
// of such an object may be misspelled. Its API version may be misspelled or missing. An object of
// another kind looks like a Secret in two cases. Either it has stringData, which only Secrets have.
// Or it has data, is no ConfigMap, and has a type or was last applied as a Secret. Custom
// resources, whose group has a dot, never look like Secrets.
func LooksLikeSecret(object map[string]any) bool {
	if IsSecret(object) {
		return true
	}
	if !builtIn(object) {
		return false
	}
	kind := Text(object, "kind")
	switch {
	case suggest.Within(strings.ToLower(kind), "secret", maxKindTypos) || object[SecretStringData] != nil:
		return true
	case kind == "ConfigMap" || object[SecretData] == nil:
		return false
	}
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	applied := Text(annotations, fieldmanager.LastAppliedAnnotation)
	_, secret := withSecret(applied, nil)
	return secret || isMask(applied) || Text(object, "type") != ""
}

// maxKindTypos is the number of letters by which a misspelled kind may differ from Secret.
const maxKindTypos = 2

// builtIn reports whether the API version of an object could be one of a built-in kind, written
// correctly or with a typing error.
func builtIn(object map[string]any) bool {
	group := GroupOf(Text(object, "apiVersion"))
	return !strings.Contains(group, ".") || group == "k8s.io" || strings.HasSuffix(group, ".k8s.io")
}

// SecretAsWritten returns a stored Secret with stringData added. The added stringData has the
// keys of data with empty values, so that owned paths below stringData exist in the object.
// Other objects are returned unchanged.
func SecretAsWritten(object map[string]any) map[string]any {
	data, ok := object[SecretData].(map[string]any)
	if !ok || !IsSecret(object) || object[SecretStringData] != nil {
		return object
	}
	texts := make(map[string]any, len(data))
	for key := range data {
		texts[key] = "" // the real value is in data
	}
	object = Shallow(object)
	object[SecretStringData] = texts
	return object
}

// SecretAsStored returns a Secret as an API server stores it, with stringData encoded into data.
// Other objects are returned unchanged.
func SecretAsStored(object map[string]any) map[string]any {
	return predict.SecretAsStored(object, EncodeText)
}

// EncodeText encodes a value of stringData for data. It returns a mask unchanged, because a value
// has the same mask in both fields.
func EncodeText(text string) string {
	if isMask(text) {
		return text
	}
	return base64.StdEncoding.EncodeToString([]byte(text))
}
