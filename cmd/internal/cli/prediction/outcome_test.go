// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

func TestBrokenEntry(t *testing.T) {
	const hint = "; dovetail doctor --fix repairs the managed fields"
	for _, tt := range []struct{ name, fields, want string }{
		{"key", `[{manager: a, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"k": {}}}}]`,
			`live.yaml:3:117: .metadata.managedFields[0].fieldsV1["f:data"]: "k" is not a path element: want the keys of a list item as a JSON object after k:, such as k:{"name":"web"}` + hint},
		{"key with a colon", `[{manager: a, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:a: b": {"k": {}}}}]`,
			`live.yaml:3:117: .metadata.managedFields[0].fieldsV1["f:a: b"]: "k" is not a path element: want the keys of a list item as a JSON object after k:, such as k:{"name":"web"}` + hint},
		{"field", `[{manager: a, operation: Patch, apiVersion: v1}]`,
			`live.yaml:3:50: .metadata.managedFields[0].operation: want Apply or Update, got "Patch"` + hint},
		{"missing field", `[{manager: a, operation: Apply, fieldsType: FieldsV1}]`,
			`live.yaml:3:37: .metadata.managedFields[0].apiVersion: missing` + hint},
		{"entry", `[a]`, `live.yaml:3:37: .metadata.managedFields[0]: want an object, got a string` + hint},
		{"list", `{}`, `live.yaml:3:21: .metadata.managedFields: want a list, got an object`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			objects, err := manifest.Read("live.yaml", []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, managedFields: "+tt.fields+"}\n"))
			if err != nil {
				t.Fatal(err)
			}
			o := &Outcome{Pair: Pair{Object: objects[0], Live: objects[0]}}
			_, err = managedfields.Decode(objects[0].Content)
			o.Explain(err)
			if got := o.Errors.Error(); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
