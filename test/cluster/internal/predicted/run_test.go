// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// TestUnprunedApplies checks after which applies the stored object has values that no client reads.
func TestUnprunedApplies(t *testing.T) {
	o := func(spec, metadata, status object) object {
		md := object{"name": "a"}
		for name, v := range metadata {
			md[name] = v
		}
		return object{"spec": spec, "metadata": md, "status": status}
	}
	read := o(object{"a": "1", "d": "default", "list": []any{object{"a": "1"}}}, object{"labels": object{"x": ""}, "uid": "u", "creationTimestamp": "t"}, object{"s": "1"})
	for _, c := range []struct {
		what, version, subresource string
		merged                     object
		want                       bool
	}{
		{"the same values", "v1", "", o(object{"a": "1"}, nil, nil), false},
		{"a null replaced by a default", "v1", "", o(object{"d": nil}, nil, nil), false},
		{"a null", "v1", "", o(object{"b": nil}, nil, nil), true},
		{"a null in a list", "v1", "", o(object{"list": []any{object{"b": nil}}}, nil, nil), true},
		{"an undeclared field", "v1", "", o(object{"b": "1"}, nil, nil), true},
		{"an undeclared field in a version that is not stored", "v2", "", o(object{"b": "1"}, nil, nil), false},
		{"null finalizers", "v1", "", o(nil, object{"finalizers": nil}, nil), true},
		{"a null label", "v1", "", o(nil, object{"labels": object{"x": nil}}, nil), true},
		{"empty annotations", "v1", "", o(nil, object{"annotations": object{}}, nil), true},
		{"metadata of the server", "v1", "", o(nil, object{"creationTimestamp": nil, "generation": int64(7)}, nil), false},
		{"an undeclared field of status", "v1", "", o(nil, nil, object{"t": "1"}), false},
		{"an undeclared field of status", "v1", "status", o(nil, nil, object{"t": "1"}), true},
		{"other fields", "v1", "status", o(object{"b": "1"}, object{"annotations": object{}}, object{"s": "1"}), false},
	} {
		w := &run{defined: map[string]*crd.Version{"ex.io/v1 K": {Storage: true}, "ex.io/v2 K": {}}, merged: c.merged}
		r := &request{subresource: c.subresource, kind: openapi.Kind{APIVersion: "ex.io/" + c.version, Kind: "K", Subresources: []string{"status"}}}
		if got := lacks(read, w.stored(r)); got != c.want {
			t.Errorf("%s, subresource %q: %t, want %t", c.what, c.subresource, got, c.want)
		}
	}
}
