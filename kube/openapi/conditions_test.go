// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// healthCRD is a CRD with conditions, in the JSON form that programs write.
const healthCRD = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "healths.ex.io"},
"spec": {"group": "ex.io", "scope": "Namespaced", "names": {"kind": "Health", "plural": "healths"}, "versions": [{"name": "v1", "served": true, "storage": true,
"schema": {"openAPIV3Schema": {"type": "object", "properties": {"status": {"type": "object", "properties": {"conditions": {"type": "array", MARKERS
"items": {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}, "status": {"type": "string"}}}}}}}}}}]}}`

// applier returns a field manager for the built-in types and some CRDs, and the catalog of
// these types.
func applier(t *testing.T, crds ...string) (*fieldmanager.FieldManager, *openapi.Catalog) {
	t.Helper()
	types := openapi.Builtin(openapi.Options{})
	for i, crd := range crds {
		if err := types.AddCRD(fmt.Sprintf("crd %d", i), []byte(crd)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := fieldmanager.New(fieldmanager.Options{Types: fieldmanager.NewTypeSource(types.Type)})
	if err != nil {
		t.Fatal(err)
	}
	return m, types
}

func condition(apiVersion, kind, name string) map[string]any {
	return map[string]any{
		"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "a"},
		"status": map[string]any{"conditions": []any{map[string]any{"type": name, "status": "True"}}},
	}
}

// Two controllers each apply one condition, as on an API server. If the list of conditions has
// the key type, the object gets both conditions. If the list has no markers, the second apply
// conflicts, and Lint reports the missing list type.
func TestConditionsOfTwoManagers(t *testing.T) {
	keyed := strings.Replace(healthCRD, "MARKERS", `"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],`, 1)
	bare := strings.Replace(healthCRD, "MARKERS", "", 1)
	both := func(m *fieldmanager.FieldManager, apiVersion, kind string) (*fieldmanager.Result, error) {
		first, err := m.Apply(nil, condition(apiVersion, kind, "Ready"), "one", false)
		if err != nil {
			t.Fatal(err)
		}
		return m.Apply(first.Object, condition(apiVersion, kind, "Synced"), "two", false)
	}
	m, types := applier(t, keyed)
	for _, kind := range [][2]string{{"ex.io/v1", "Health"}, {"v1", "Pod"}, {"apps/v1", "Deployment"}} {
		r, err := both(m, kind[0], kind[1])
		if err != nil {
			t.Errorf("%s: %v", kind[1], err)
			continue
		}
		conditions := r.Object["status"].(map[string]any)["conditions"].([]any)
		if len(conditions) != 2 || r.Managed.Len() != 2 {
			t.Errorf("%s: %v, by %d managers", kind[1], conditions, r.Managed.Len())
		}
	}
	if found := custom(types.Lint()); len(found) > 0 {
		t.Errorf("findings about a valid list: %v", found)
	}

	m, types = applier(t, bare)
	_, err := both(m, "ex.io/v1", "Health")
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) || len(conflict.Conflicts) != 1 || conflict.Conflicts[0].Path.String() != ".status.conditions" {
		t.Errorf("got %v, want one conflict over the list", err)
	}
	found := custom(types.Lint())
	if len(found) != 1 || found[0].Rule != openapi.NoListType || found[0].Path != ".status.conditions" || !strings.Contains(found[0].Message, "atomic") {
		t.Errorf("got the findings %v", found)
	}
}

// custom returns only the findings about types from added documents.
func custom(all []openapi.Finding) (found []openapi.Finding) {
	for _, f := range all {
		if f.Document != "" {
			found = append(found, f)
		}
	}
	return found
}
