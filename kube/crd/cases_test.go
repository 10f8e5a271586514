// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/flow"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
	"github.com/dovetail-ssa/dovetail/schema"
)

// casesFile is the file with the immutability test cases. The header of the file describes
// their format.
const casesFile = "../../spec/testdata/immutability.yaml"

// errorTypes maps each rule about markers to the error type that the test cases expect.
var errorTypes = map[crd.Rule]string{
	crd.MarkerValue: "Invalid", crd.MarkersExclusive: "Invalid", crd.MarkerPlace: "Forbidden", crd.MarkerKey: "Required",
	crd.MarkerVersion: "Forbidden",
}

// definitionOf returns a CRD of the given apiVersion with one schema.
func definitionOf(t *testing.T, apiVersion string, schema any) *crd.Definition {
	t.Helper()
	return crdtest.Read(t, strings.Replace(crdtest.Head, "apiextensions.k8s.io/v1", apiVersion, 1)+"        "+flow.Of(schema, 1<<20))
}

func TestSchemaCases(t *testing.T) {
	for _, c := range crdtest.Cases(t, casesFile, "schemaCases") {
		t.Run(c["id"].(string), func(t *testing.T) {
			var got, want, others []string
			for _, f := range definitionOf(t, "apiextensions.k8s.io/v1", c["schema"]).Validate() {
				kind, ok := errorTypes[f.Rule]
				if !ok {
					others = append(others, f.Error())
					continue
				}
				got = append(got, kind+" "+strings.TrimPrefix(f.Path, ".spec.versions[0].schema."))
				if f.Line == 0 || !strings.Contains(f.Message, ", found ") && !strings.Contains(f.Message, "; ") {
					t.Errorf("the finding has no line, or does not say what to do: %v", f)
				}
			}
			errs, _ := c["errors"].([]any)
			for _, e := range errs {
				e := e.(map[string]any)
				want = append(want, e["type"].(string)+" "+findingPath(e["path"].(string)))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || (len(got) == 0) != (c["valid"] == true) {
				t.Errorf("got %q, want %q, valid: %v", got, want, c["valid"])
			}
			if (c["kube"] != false) != (len(others) == 0) {
				t.Errorf("kube: %v, other findings %q", c["kube"], others)
			}
		})
	}
}

// findingPath converts a schema path to the form that findings use, for example
// properties[a] to properties.a.
func findingPath(path string) string {
	parts := strings.Split(path, "properties[")
	for i := 1; i < len(parts); i++ {
		field, rest, _ := strings.Cut(parts[i], "]")
		parts[i] = field + rest
	}
	return strings.Join(parts, "properties.")
}

func TestVersionCases(t *testing.T) {
	schema := func(marked any) any {
		field := map[string]any{"type": "string"}
		if marked == true {
			field["x-kubernetes-immutable"] = true
		}
		return map[string]any{"type": "object", "properties": map[string]any{"a": field}}
	}
	for _, c := range crdtest.Cases(t, casesFile, "crdVersionCases") {
		t.Run(c["id"].(string), func(t *testing.T) {
			d := definitionOf(t, c["apiVersion"].(string), schema(c["marked"]))
			// The old CRD may be of v1 or v1beta1.
			for _, old := range []string{"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"} {
				found := d.Validate()
				switch c["operation"] {
				case "create":
				case "update":
					found, _ = d.ValidateUpdate(definitionOf(t, old, schema(c["oldMarked"])))
				default:
					t.Fatalf("no operation %v", c["operation"])
				}
				if (len(found) == 0) != (c["valid"] == true) {
					t.Errorf("valid: %v, got %v", c["valid"], found)
				}
			}
		})
	}
}

// The table shows where each transition rule is allowed, and whether it needs immutable
// keys. Each new rule needs a row.
func TestMarkerPlaces(t *testing.T) {
	type row struct{ scalar, object, values, list, set, keys bool }
	places := map[string]row{
		"immutable":     {scalar: true, object: true, values: true, list: true, set: true},
		"setOnce":       {scalar: true, object: true, values: true, list: true, set: true},
		"immutableKeys": {values: true, list: true, keys: true},
		"additionOnly":  {values: true, list: true, set: true, keys: true},
		"deletionOnly":  {values: true, list: true, set: true, keys: true},
	}
	for _, transition := range schema.Transitions() {
		want, ok := places[transition.String()]
		if !ok {
			t.Errorf("%v: no row in the table", transition)
			continue
		}
		list := "type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string%s}}}"
		for _, c := range []struct {
			schema  string
			broken  crd.Rule // the rule that an invalid schema breaks
			invalid bool
		}{
			{"type: string", crd.MarkerPlace, !want.scalar},
			{"type: object, properties: {a: {type: string}}", crd.MarkerPlace, !want.object},
			{"type: object, additionalProperties: {type: string}", crd.MarkerPlace, !want.values},
			{fmt.Sprintf(list, ", "+schema.Immutable.Extension()+": true"), crd.MarkerPlace, !want.list},
			{fmt.Sprintf(list, ""), crd.MarkerKey, want.keys},
			{"type: array, x-kubernetes-list-type: set, items: {type: string}", crd.MarkerPlace, !want.set},
		} {
			doc := crdtest.Document("{type: object, properties: {f: {" + transition.Extension() + ": true, " + c.schema + "}}}")
			found := crdtest.Read(t, doc).Validate()
			if c.invalid != (len(found) == 1 && found[0].Rule == c.broken) || !c.invalid && len(found) > 0 {
				t.Errorf("%v at {%s}: got %v", transition, c.schema, found)
			}
		}
	}
}

// An update must tolerate each invalid marker that the CRD already had.
func TestMarkersRatchet(t *testing.T) {
	bad := map[crd.Rule]string{
		crd.MarkerValue:      "{type: string, x-kubernetes-immutable: false}",
		crd.MarkerPlace:      "{type: string, x-kubernetes-immutable-keys: true}",
		crd.MarkersExclusive: "{type: string, x-kubernetes-immutable: true, x-kubernetes-set-once: true}",
		crd.MarkerKey:        "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], x-kubernetes-immutable-keys: true, items: {type: object, required: [k], properties: {k: {type: string}}}}",
	}
	for _, rule := range slices.Sorted(maps.Keys(bad)) {
		t.Run(string(rule), func(t *testing.T) {
			good := crdtest.Read(t, crdtest.Document("{type: object, properties: {a: {type: string}}}"))
			offending := crdtest.Document("{type: object, properties: {a: " + bad[rule] + "}}")
			other := crdtest.Document("{type: object, properties: {b: " + bad[rule] + "}}")
			if violations, kept := crdtest.Read(t, offending).ValidateUpdate(good); len(violations) != 1 || violations[0].Rule != rule || len(kept) > 0 {
				t.Errorf("new: got %v and %v", violations, kept)
			}
			if violations, kept := crdtest.Read(t, offending).ValidateUpdate(crdtest.Read(t, offending)); len(violations) > 0 || len(kept) != 1 || kept[0].Rule != rule {
				t.Errorf("again: got %v and %v", violations, kept)
			}
			if violations, kept := crdtest.Read(t, other).ValidateUpdate(crdtest.Read(t, offending)); len(violations) != 1 || len(kept) > 0 {
				t.Errorf("elsewhere: got %v and %v", violations, kept)
			}
		})
	}
}
