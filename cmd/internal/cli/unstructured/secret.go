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

// The two fields with the values of a Secret. stringData is write-only: an API server encodes its
// values into data.
const (
	SecretData       = "data"
	SecretStringData = "stringData"
)

// IsSecret reports whether an object is a Secret.
func IsSecret(object map[string]any) bool {
	return Text(object, "apiVersion") == "v1" && Text(object, "kind") == "Secret"
}

// LooksLikeSecret reports whether an object is a Secret or is probably intended as one. Its kind may be
// misspelled, and its API version may be missing or misspelled. An object of another kind looks like a
// Secret if it has stringData, which only Secrets have. An object with data, except a ConfigMap, looks
// like a Secret if it has a type or was last applied as a Secret. Custom resources, whose group has a
// dot, never look like Secrets.
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

// maxKindTypos is the number of letters in which a misspelled kind may differ from Secret.
const maxKindTypos = 2

// builtIn reports whether an object may have the API version of a built-in kind, or a
// misspelling of it.
func builtIn(object map[string]any) bool {
	group := GroupOf(Text(object, "apiVersion"))
	return !strings.Contains(group, ".") || group == "k8s.io" || strings.HasSuffix(group, ".k8s.io")
}

// SecretAsWritten returns a stored Secret in which stringData also has the keys of data, with
// empty values. Owned paths below stringData then exist in the object. It returns other objects
// unchanged.
func SecretAsWritten(object map[string]any) map[string]any {
	data, ok := object[SecretData].(map[string]any)
	if !ok || !IsSecret(object) || object[SecretStringData] != nil {
		return object
	}
	texts := make(map[string]any, len(data))
	for key := range data {
		texts[key] = "" // the value is in data
	}
	object = Shallow(object)
	object[SecretStringData] = texts
	return object
}

// SecretAsStored returns a Secret as an API server stores it: with stringData encoded into data. It
// returns other objects unchanged.
func SecretAsStored(object map[string]any) map[string]any {
	return predict.SecretAsStored(object, EncodeText)
}

// EncodeText encodes a value of stringData for data. It returns masks unchanged, because a value has
// the same mask in both fields.
func EncodeText(text string) string {
	if isMask(text) {
		return text
	}
	return base64.StdEncoding.EncodeToString([]byte(text))
}
