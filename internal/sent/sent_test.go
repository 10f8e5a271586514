// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sent_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/internal/sent"
	"github.com/dovetail-ssa/dovetail/typed"
)

func TestSingle(t *testing.T) {
	service, err := objects.ServiceType("v1", "Service")
	if err != nil {
		t.Fatal(err)
	}
	const twice, once = `"ports":[{"port":80,"name":"a"},{"port":80,"protocol":"TCP","name":"b"}]`, `"ports":[{"port":80,"name":"a"}]`
	for _, tc := range []struct {
		spec     string
		keep     typed.Duplicates
		opts     []typed.ValidationOptions
		want     string // the spec, or empty if the object is rejected
		warnings int
	}{
		{spec: once, keep: typed.RefuseDuplicates, want: `{"ports":[{"name":"a","port":80}]}`},
		{spec: once, keep: typed.KeepLast, want: `{"ports":[{"name":"a","port":80}]}`},
		{spec: twice, keep: typed.RefuseDuplicates},
		{spec: twice, keep: typed.RefuseDuplicates, opts: []typed.ValidationOptions{typed.AllowDuplicates}, want: `{"ports":[{"name":"a","port":80},{"name":"b","port":80,"protocol":"TCP"}]}`},
		{spec: twice, keep: typed.KeepFirst, want: `{"ports":[{"name":"a","port":80}]}`, warnings: 1},
		{spec: twice, keep: typed.KeepLast, want: `{"ports":[{"name":"b","port":80,"protocol":"TCP"}]}`, warnings: 1},
		{spec: `"replicas":"x"`, keep: typed.KeepFirst},
	} {
		object := objects.Object(t, tc.spec)
		before := objects.AsJSON(object)
		got, tv, warnings, err := sent.Single(service, object, tc.keep, tc.opts...)
		if (err == nil) != (tc.want != "") || err == nil && (objects.AsJSON(got["spec"]) != tc.want || objects.AsJSON(tv.AsValue().Unstructured()) != objects.AsJSON(got)) {
			t.Errorf("%v of %s: got %s, %v", tc.keep, tc.spec, objects.AsJSON(got), err)
		}
		if len(warnings) != tc.warnings || tc.warnings > 0 && warnings[0].Path != `.spec.ports[port=80,protocol="TCP"]` {
			t.Errorf("%v of %s: warnings %v", tc.keep, tc.spec, warnings)
		}
		if same := fmt.Sprintf("%p", got) == fmt.Sprintf("%p", object); same != (tc.warnings == 0) {
			t.Errorf("%v of %s: the object itself is %v", tc.keep, tc.spec, same)
		}
		if objects.AsJSON(object) != before {
			t.Errorf("%v of %s: the object is %s now", tc.keep, tc.spec, objects.AsJSON(object))
		}
	}
}

func TestWithoutManagedFields(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	plain := objects.Object(t, `"replicas":1`)
	live := objects.Apply(t, m, nil, "one", `"replicas":1`).Object
	null := objects.Object(t, `"replicas":1`)
	null["metadata"].(map[string]any)["managedFields"] = nil
	for name, tc := range map[string]struct {
		object   map[string]any
		warnings int
	}{"none": {plain, 0}, "some": {live, 1}, "null": {null, 0}} {
		before := objects.AsJSON(tc.object)
		got, warnings := sent.WithoutManagedFields(tc.object)
		if objects.AsJSON(got) != objects.AsJSON(plain) || len(warnings) != tc.warnings || objects.AsJSON(tc.object) != before {
			t.Errorf("%s: got %s, %v; the object is %s", name, objects.AsJSON(got), warnings, objects.AsJSON(tc.object))
		}
	}
}
