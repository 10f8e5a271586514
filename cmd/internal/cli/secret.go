// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/base64"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// The fields of a Secret that the API server makes one of: stringData, which is
// written only, goes into data, encoded.
const (
	secretData       = "data"
	secretStringData = "stringData"
)

func isSecret(object map[string]any) bool {
	return text(object, "apiVersion") == "v1" && text(object, "kind") == "Secret"
}

// secretAsWritten is a stored Secret with its data as stringData, too, so that what
// owners have there is in the object; another object is returned as it is.
func secretAsWritten(object map[string]any) map[string]any {
	data, ok := object[secretData].(map[string]any)
	if !ok || !isSecret(object) || object[secretStringData] != nil {
		return object
	}
	texts := make(map[string]any, len(data))
	for key := range data {
		texts[key] = "" // what it says is in data
	}
	object = shallow(object)
	object[secretStringData] = texts
	return object
}

// secretAsStored is a Secret as an API server stores it, without stringData; another
// object is returned as it is.
func secretAsStored(object map[string]any) map[string]any {
	texts, ok := object[secretStringData].(map[string]any)
	if !ok || !isSecret(object) {
		return object
	}
	data, _ := object[secretData].(map[string]any)
	data = shallow(data)
	for key, v := range texts {
		s, _ := v.(string) // null is an empty text, as in the API server
		if !isMask(s) {
			s = base64.StdEncoding.EncodeToString([]byte(s))
		}
		data[key] = s
	}
	object = shallow(object)
	delete(object, secretStringData)
	if len(data) > 0 {
		object[secretData] = data
	}
	return object
}

// fromStringData returns where the config of o writes what is stored at path, if it
// is a text of a Secret's stringData.
func (o *outcome) fromStringData(path fieldpath.Path) (fieldpath.Path, bool) {
	id := o.object.Identity()
	if id.APIVersion != "v1" || id.Kind != "Secret" || len(path) != 2 || path[0].FieldName == nil || *path[0].FieldName != secretData {
		return nil, false
	}
	written := fieldpath.Path{fieldpath.FieldNameElement(secretStringData), path[1]}
	_, ok := valueAt(o.sent(), written)
	return written, ok
}

// stringDataNote says of a change of data what the manifest has instead.
const stringDataNote = "from stringData, which is stored as base64 in data"
