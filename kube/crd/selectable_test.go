// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"strings"
	"testing"
)

// Either all versions share both the schema and the selectable fields, or they share
// neither. The API server rejects other CRDs, because it stores a shared property only
// once.
func TestSelectableOfVersions(t *testing.T) {
	const doc = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - {name: v1, served: true, storage: true, selectableFields: [%s], schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}, b: {type: string}}}}}
  - {name: v2, served: true, storage: false, selectableFields: [%s], schema: {openAPIV3Schema: {type: object, %s properties: {a: {type: string}, b: {type: string}}}}}
`
	const a, b, other = "{jsonPath: .a}", "{jsonPath: .b}", "description: another,"
	for _, c := range []struct {
		first, second, schema string
		want                  int
	}{
		{a, a, "", 0}, {a, b, other, 0}, {"", "", other, 0}, {a, "", other, 0}, {a + "," + b, b + "," + a, other, 0},
		{a, "", "", 1}, {a, b, "", 2}, {a, a, other, 2}, {"", b, "required: [],", 1},
	} {
		defs, err := Read("crd.yaml", []byte(fmt.Sprintf(doc, c.first, c.second, c.schema)))
		if err != nil {
			t.Fatal(err)
		}
		found := defs[0].Validate()
		for _, f := range found {
			if f.Rule != Selectable || !strings.HasSuffix(f.Path, ".selectableFields") {
				t.Errorf("%v: %v", c, f)
			}
		}
		if len(found) != c.want {
			t.Errorf("%v: got %v, want %d findings", c, found, c.want)
		}
	}
}
