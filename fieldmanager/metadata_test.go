// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestTypesWithoutMetadata checks that the first request fails if the type does not allow
// metadata. If the request added metadata to the object, all later requests would fail.
func TestTypesWithoutMetadata(t *testing.T) {
	const config = `{"apiVersion": "config/v1", "kind": "Gateway", "region": "eu"}`
	for _, c := range []struct {
		metadata string // the declaration of the field
		lenient  bool
		fails    bool
	}{
		{metadata: "", fails: true},
		{metadata: "- {name: metadata, type: {scalar: string}}", fails: true},
		{metadata: "", lenient: true},
		{metadata: "- {name: metadata, type: {map: {elementType: {scalar: string}}}}"},
		{metadata: "- {name: metadata, type: {map: {fields: [{name: name, type: {scalar: string}}]}}}"},
	} {
		p, err := typed.NewParser(typed.YAMLObject(`types:
- name: gateway
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: region, type: {scalar: string}}
    ` + c.metadata + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		types := fieldmanager.NewTypeSource(func(_, _ string) (typed.ParseableType, bool) { return p.Type("gateway"), true })
		fm, err := fieldmanager.New(fieldmanager.Options{Types: types, CarryUnknown: c.lenient})
		if err != nil {
			t.Fatal(err)
		}
		const want = "declare metadata as a map in the schema of config/v1 Gateway, because managed fields are stored in it: .metadata: "
		for verb, request := range map[string]func(live map[string]any) (*fieldmanager.Result, error){
			"apply": func(live map[string]any) (*fieldmanager.Result, error) {
				return fm.Apply(live, objects.Object(t, config), "a", false)
			},
			"update": func(live map[string]any) (*fieldmanager.Result, error) {
				return fm.Update(live, objects.Object(t, config), "a")
			},
		} {
			first, err := request(nil)
			if c.fails {
				if err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%q, %s: %v", c.metadata, verb, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%q, first %s: %v", c.metadata, verb, err)
				continue
			}
			if _, err := request(first.Object); err != nil {
				t.Errorf("%q, second %s: %v", c.metadata, verb, err)
			}
		}
	}
}

// TestTextsWithoutName checks that errors about an object without a name and namespace do not show
// an empty name. Objects outside of Kubernetes may lack both.
func TestTextsWithoutName(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: gateway
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {elementType: {scalar: string}}}}
    - {name: region, type: {scalar: string, transition: immutable}}
`)
	if err != nil {
		t.Fatal(err)
	}
	fm, err := fieldmanager.New(fieldmanager.Options{
		Types:            func(_, _ string) (typed.ParseableType, error) { return p.Type("gateway"), nil },
		CheckTransitions: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for metadata, want := range map[string][2]string{
		"": {
			`Gateway.config is invalid: region: Invalid value: "us": field is immutable`,
			`failed to create typed patch object (config/v1, Kind=Gateway): .region: `,
		},
		`, "metadata": {"name": "edge"}`: {
			`Gateway.config "edge" is invalid: region: Invalid value: "us": field is immutable`,
			`failed to create typed patch object (/edge; config/v1, Kind=Gateway): .region: `,
		},
		`, "metadata": {"namespace": "team"}`: {
			`Gateway.config is invalid: region: Invalid value: "us": field is immutable`,
			`failed to create typed patch object (config/v1, Kind=Gateway in namespace team): .region: `,
		},
	} {
		object := func(region string) map[string]any {
			return objects.Object(t, `{"apiVersion": "config/v1", "kind": "Gateway", "region": `+region+metadata+`}`)
		}
		first, err := fm.Apply(nil, object(`"eu"`), "a", false)
		if err != nil {
			t.Fatal(err)
		}
		for i, region := range []string{`"us"`, `1`} {
			if _, err := fm.Apply(first.Object, object(region), "a", false); err == nil || !strings.HasPrefix(err.Error(), want[i]) {
				t.Errorf("%q: got %v, want %s", metadata, err, want[i])
			}
		}
	}
}
