// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"encoding/base64"
	"fmt"
	"net/http"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
)

// SecretAsStored is a Secret as the server stores it: without stringData, which is written
// only and goes into data, encoded. Another object is returned as it is.
func (s *Server) SecretAsStored(object map[string]any) map[string]any {
	return SecretAsStored(object, s.EncodeText)
}

// SecretAsStored is Server.SecretAsStored with a way to encode texts, nil for base64.
func SecretAsStored(object map[string]any, encode func(string) string) map[string]any {
	texts, ok := object["stringData"].(map[string]any)
	if apiVersion, kind := document.TypeOf(object); !ok || apiVersion != "v1" || kind != "Secret" {
		return object
	}
	if encode == nil {
		encode = func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	}
	data, _ := object["data"].(map[string]any)
	data = document.Shallow(data)
	for key, v := range texts {
		text, _ := v.(string) // null is an empty text, as in the API server
		data[key] = encode(text)
	}
	object = document.Shallow(object)
	delete(object, "stringData")
	if len(data) > 0 {
		object["data"] = data
	}
	return object
}

// checkFrozen returns how a server refuses an object, as it was sent or merged, that has an empty map
// where the live one, a Secret or ConfigMap that is immutable, has nothing: it compares what it has
// decoded, strictly. Nothing else of what may not change needs to be known to merge.
func (p *Prepared) checkFrozen(object map[string]any) error {
	kind := kindOf(object)
	if kind != "Secret" && kind != "ConfigMap" || p.Live["immutable"] != true || !p.server.predicts(object) {
		return nil
	}
	for _, name := range []string{"data", "binaryData"} {
		m, ok := object[name].(map[string]any)
		if ok && m != nil && len(m) == 0 && p.Live[name] == nil && (name == "data" || kind == "ConfigMap") {
			return &fieldmanager.RequestError{Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf(
				"%s %q is invalid: %s: Forbidden: field is immutable when `immutable` is set", kind, document.MetaString(object, "name"), name)}
		}
	}
	return nil
}
