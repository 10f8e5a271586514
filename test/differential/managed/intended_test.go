// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managed

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/test/differential/scopes"
)

// TestNullManagedFields applies a config with managedFields: null (null-managed-fields in
// DIFFERENCES.md).
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

// TestUpdateOfFailedConversion tests a statement of spec/README.md about API servers. If a
// conversion fails, the server stores the update with the old managed fields.
func TestUpdateOfFailedConversion(t *testing.T) {
	g := group(t)
	v2 := g.Versions["v2"]
	v2.Lacks = []string{"status"}
	parser, err := typed.NewParser(typed.YAMLObject(g.Schema))
	if err != nil {
		t.Fatal(err)
	}
	s := &server{kind{map[string]cases.Version{"v2": v2}}, parser}
	fm, err := s.fieldManager(schema.GroupVersion{Version: first}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var live, sent map[string]any
	for to, text := range map[*map[string]any]string{
		&live: `{"apiVersion": "v1", "kind": "K", "size": 1, "metadata": {"name": "x", "uid": "1", "managedFields": [
			{"manager": "b", "operation": "Update", "apiVersion": "v2", "fieldsType": "FieldsV1", "fieldsV1": {"f:count": {}}}]}}`,
		&sent: `{"apiVersion": "v1", "kind": "K", "size": 1, "metadata": {"name": "x", "uid": "1"}, "status": {"phase": "x"}}`,
	} {
		if err := json.Unmarshal([]byte(text), to); err != nil {
			t.Fatal(err)
		}
	}
	was, object := &unstructured.Unstructured{Object: live}, &unstructured.Unstructured{Object: sent}
	if _, err := fm.Update(was.DeepCopy(), object.DeepCopy(), "a"); err == nil || !strings.Contains(err.Error(), "v2 has no field for status") {
		t.Errorf("the update returns the error %v", err)
	}
	stored := fm.UpdateNoErrors(was, object.DeepCopy(), "a").(*unstructured.Unstructured)
	if !reflect.DeepEqual(stored.GetManagedFields(), was.GetManagedFields()) || !reflect.DeepEqual(stored.Object["status"], object.Object["status"]) {
		t.Errorf("the stored object is %v", stored.Object)
	}
}
