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

// LooksLikeSecret reports whether an object is a Secret, or probably was meant to be one. Its
// kind may be misspelled, and its API version may be missing or misspelled. An object of any
// other kind looks like a Secret if it has stringData, which only Secrets have. So does one
// with data, other than a ConfigMap, if it has a type or was last applied as a Secret. A group
// with a dot is that of a custom resource, which never looks like a Secret.
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
