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

// These two fields contain the values of a Secret. stringData is write-only: an API server
// encodes its values and stores them in data.
const (
	SecretData       = "data"
	SecretStringData = "stringData"
)

// IsSecret reports whether an object is a Secret.
func IsSecret(object map[string]any) bool {
	return Text(object, "apiVersion") == "v1" && Text(object, "kind") == "Secret"
}

// LooksLikeSecret reports whether an object is a Secret, or was probably meant to be a Secret.
// The kind of such an object may be misspelled, and its API version may be misspelled or
// missing.
//
// An object of a different kind looks like a Secret in two cases. In the first case, it has
// stringData, which only Secrets have. In the second case, it has data, is not a ConfigMap,
// and has a type or was last applied as a Secret. Custom resources never look like Secrets,
// because their group contains a dot.
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

// maxKindTypos is the maximum number of wrong letters in a misspelled kind that counts as
// Secret.
const maxKindTypos = 2

// builtIn reports whether the API version of an object could belong to a built-in kind,
// possibly with a typing error.
func builtIn(object map[string]any) bool {
	group := GroupOf(Text(object, "apiVersion"))
	return !strings.Contains(group, ".") || group == "k8s.io" || strings.HasSuffix(group, ".k8s.io")
}

// SecretAsWritten adds stringData to a copy of a stored Secret, and returns the copy.
// stringData gets the keys of data with empty values, so that owned paths below stringData
// exist in the object. SecretAsWritten returns other objects unchanged.
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

// SecretAsStored returns a Secret as an API server stores it, with stringData encoded into
// data. It returns other objects unchanged.
func SecretAsStored(object map[string]any) map[string]any {
	return predict.SecretAsStored(object, EncodeText)
}

// EncodeText encodes a value of stringData for data. It returns a mask unchanged, because a
// value has the same mask in both fields.
func EncodeText(text string) string {
	if isMask(text) {
		return text
	}
	return base64.StdEncoding.EncodeToString([]byte(text))
}
