// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"encoding/base64"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/immutable"
)

// secretAsStored returns a Secret as the server stores it: without stringData, whose
// values are encoded in data. Other objects are returned unchanged.
func (s *Server) secretAsStored(object map[string]any) map[string]any {
	return SecretAsStored(object, s.EncodeText)
}

// SecretAsStored returns a Secret as a server stores it: without stringData, whose values are
// encoded in data. SecretAsStored calls encode to encode each value. If encode is nil, it
// encodes values as base64. Other objects are returned unchanged.
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
		text, _ := v.(string) // null counts as an empty text, as in an API server
		data[key] = encode(text)
	}
	object = document.Shallow(object)
	delete(object, "stringData")
	if len(data) > 0 {
		object["data"] = data
	}
	return object
}

// checkFrozen returns the server's error if a request adds an empty map, such as data: {}, to an
// immutable ConfigMap or Secret. The argument must be the sent or merged object, because the server
// does not store empty maps.
func (p *PreparedRequest) checkFrozen(object map[string]any) error {
	if !p.server.predicts(object) || p.usesNative() {
		return nil
	}
	if refusal := immutable.Emptied(p.Live, object); refusal != "" {
		return &fieldmanager.RequestError{Status: httpstatus.Unprocessable, Message: refusal}
	}
	return nil
}
