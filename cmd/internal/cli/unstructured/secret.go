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

// These fields contain the values of a Secret. stringData is write-only: a server encodes its
// values and stores them in data.
const (
	SecretData       = "data"
	SecretStringData = "stringData"
)

// IsSecret reports whether an object is a Secret.
func IsSecret(object map[string]any) bool {
	return Text(object, "apiVersion") == "v1" && Text(object, "kind") == "Secret"
}

// LooksLikeSecret reports whether an object is a Secret, or was probably meant to be one. Its kind
// and its API version may be misspelled, and the API version may be missing.
//
// If the kind is not similar to Secret, LooksLikeSecret looks at the fields. An object with
// stringData looks like a Secret, because no other kind has this field. If the kind is not
// ConfigMap, an object with data also looks like a Secret if it has a type or was last applied as a
// Secret. Custom resources never look like Secrets: their group contains a dot.
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

// maxKindTypos is the maximum number of wrong letters in a misspelled kind that still counts as
// Secret.
const maxKindTypos = 2

// builtIn reports whether an object can be of a built-in kind, according to its API version. The
// API version may be misspelled.
func builtIn(object map[string]any) bool {
	group := GroupOf(Text(object, "apiVersion"))
	return !strings.Contains(group, ".") || group == "k8s.io" || strings.HasSuffix(group, ".k8s.io")
}

// SecretAsWritten returns a copy of a stored Secret that also has stringData, as in a request. A
// server does not store stringData, but managers can own its keys. So each key of data becomes a
// key of stringData with an empty value. Other objects are returned unchanged.
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

// SecretAsStored returns a Secret as an API server stores it: with the values of stringData in
// data, encoded. Other objects are returned unchanged.
func SecretAsStored(object map[string]any) map[string]any {
	return predict.SecretAsStored(object, EncodeText)
}

// EncodeText encodes a value of stringData for data. A mask stays unchanged, because a value has
// the same mask in both fields.
func EncodeText(text string) string {
	if isMask(text) {
		return text
	}
	return base64.StdEncoding.EncodeToString([]byte(text))
}
