// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields_test

import (
	"encoding/json"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"testing"
)

func TestOwner(t *testing.T) {
	for _, tc := range []struct {
		owner    managedfields.Owner
		id, text string
	}{
		{managedfields.Owner{Manager: "kubectl", Operation: "Apply", APIVersion: "v1"},
			`{"manager":"kubectl","operation":"Apply"}`, `"kubectl"`},
		{managedfields.Owner{Manager: "kubectl-edit", Operation: "Update", APIVersion: "apps/v1"},
			`{"manager":"kubectl-edit","operation":"Update","apiVersion":"apps/v1"}`, `"kubectl-edit" using apps/v1`},
		{managedfields.Owner{Manager: "kubelet", Operation: "Update", APIVersion: "v1", Subresource: "status"},
			`{"manager":"kubelet","operation":"Update","apiVersion":"v1","subresource":"status"}`, `"kubelet" with subresource "status" using v1`},
		{managedfields.Owner{Operation: "Apply"}, `{"operation":"Apply"}`, `""`},
		{managedfields.Owner{}, `{}`, `""`},
		{managedfields.Owner{Manager: "<a> & \"b\"\t\u00e9\u2028", Operation: "Apply"},
			"{\"manager\":\"\\u003ca\\u003e \\u0026 \\\"b\\\"\\t\u00e9\\u2028\",\"operation\":\"Apply\"}", "\"<a> & \\\"b\\\"\\t\u00e9\\u2028\""},
	} {
		if got := tc.owner.ID(); got != tc.id {
			t.Errorf("got  %s\nwant %s", got, tc.id)
		}
		if got := tc.owner.String(); got != tc.text {
			t.Errorf("got %s, want %s", got, tc.text)
		}
		back, err := managedfields.ParseOwner(tc.owner.ID())
		want := tc.owner
		if want.Operation == "Apply" {
			want.APIVersion = ""
		}
		if err != nil || back != want {
			t.Errorf("parsed %+v, %v", back, err)
		}
		// The expected value is the output of encoding/json.
		text, err := json.Marshal(struct {
			Manager     string `json:"manager,omitempty"`
			Operation   string `json:"operation,omitempty"`
			APIVersion  string `json:"apiVersion,omitempty"`
			Subresource string `json:"subresource,omitempty"`
		}{want.Manager, string(want.Operation), want.APIVersion, want.Subresource})
		if err != nil || string(text) != tc.owner.ID() {
			t.Errorf("%s, %v", text, err)
		}
	}
	if _, err := managedfields.ParseOwner("me"); err == nil || err.Error() != `manager identifier "me": expected a result of Owner.ID, such as {"manager":"web","operation":"Apply"}: invalid character 'm' looking for beginning of value` {
		t.Error(err)
	}
}
