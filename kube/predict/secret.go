// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"encoding/base64"
	"net/http"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/immutable"
)

// SecretAsStored is a Secret as the server stores it: without stringData, which is written
// only and goes into data, encoded. Another object is returned as it is.
func (s *Server) secretAsStored(object map[string]any) map[string]any {
	return SecretAsStored(object, s.EncodeText)
}

// SecretAsStored is Server.secretAsStored with a way to encode texts, nil for base64.
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

// checkFrozen returns how a server refuses an object, as it was sent or merged, for an empty map in what is
// immutable.
func (p *PreparedRequest) checkFrozen(object map[string]any) error {
	if !p.server.predicts(object) || p.asksNative() {
		return nil
	}
	if refusal := immutable.Emptied(p.Live, object); refusal != "" {
		return &fieldmanager.RequestError{Status: http.StatusUnprocessableEntity, Message: refusal}
	}
	return nil
}
