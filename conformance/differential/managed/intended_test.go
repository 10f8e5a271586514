// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managed

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/conformance/differential/scopes"
	"github.com/dovetail-ssa/dovetail/spec/cases"
)

// TestNullManagedFields is null-managed-fields of DIFFERENCES.md.
func TestNullManagedFields(t *testing.T) {
	g := group(t)
	var c cases.Case
	if err := cases.Read([]byte(`{"level": 3, "op": "apply", "manager": "a", "now": "2024-05-01T10:00:30Z",
		"live": {"apiVersion": "v1", "kind": "K", "size": 1, "metadata": {"name": "x", "managedFields": [
			{"manager": "b", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:size": {}}}]}},
		"object": {"apiVersion": "v1", "kind": "K", "size": 1, "metadata": {"name": "x", "managedFields": null}}}`), &c); err != nil {
		t.Fatal(err)
	}
	for name, timed := range map[string]bool{"Dovetail": false, "apimachinery": true} {
		got, err := implementations[name](scopes.Request{Case: c, Schema: g.Schema, Versions: g.Versions})
		if err != nil {
			t.Fatal(err)
		}
		list := got.Object.(map[string]any)["metadata"].(map[string]any)["managedFields"].([]any)
		if _, has := list[0].(map[string]any)["time"]; has != timed {
			t.Errorf("%s: %v", name, list)
		}
	}
}
