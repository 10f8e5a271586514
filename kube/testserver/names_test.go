// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// definitionNamed returns a definition of the group example.com with the given names.
func definitionNamed(plural, names string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"` + plural + `.example.com"},
		"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"` + plural + `",` + names + `},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`
}

// namesStatus describes the conditions and the accepted names of a definition.
func namesStatus(definition map[string]any) string {
	status, _ := definition["status"].(map[string]any)
	var all []string
	for _, c := range status["conditions"].([]any) {
		c := c.(map[string]any)
		all = append(all, fmt.Sprintf("%v=%v %v %v", c["type"], c["status"], c["reason"], c["message"]))
	}
	names := status["acceptedNames"].(map[string]any)
	return fmt.Sprintf("%s; %v %v %v %v %v", strings.Join(all, ", "), names["plural"], names["singular"], names["shortNames"], names["kind"], names["listKind"])
}

// TestConflictingNames checks that two definitions of a group cannot have the same names. The first
// definition stays served. The second definition is served when the names are free.
func TestConflictingNames(t *testing.T) {
	const (
		good    = "NamesAccepted=True NoConflicts no conflicts found, Established=True InitialNamesAccepted the initial names have been accepted; "
		refused = ", Established=False NotAccepted not all names are accepted; "
	)
	for name, c := range map[string]struct {
		second, status string // the names of the second definition, and its status
		after          string // the names in its status when the first definition is gone
	}{
		"kind": {`"kind":"Gadget","singular":"gizmo"`, `NamesAccepted=False ListKindConflict "GadgetList" is already in use` + refused + "gizmos gizmo <nil>  <nil>", "gizmos gizmo <nil> Gadget GadgetList"},
		"kind and all names of it": {`"kind":"Gadget","shortNames":["gd","gz","gadgets"]`,
			`NamesAccepted=False ListKindConflict "GadgetList" is already in use` + refused + "gizmos <nil> <nil>  <nil>", "gizmos gadget [gd gz gadgets] Gadget GadgetList"},
		"kind of a list":  {`"kind":"Gizmo","listKind":"GadgetList"`, `NamesAccepted=False ListKindConflict "GadgetList" is already in use` + refused + "gizmos gizmo <nil> Gizmo <nil>", "gizmos gizmo <nil> Gizmo GadgetList"},
		"singular":        {`"kind":"Gizmo","singular":"gd"`, `NamesAccepted=False SingularConflict "gd" is already in use` + refused + "gizmos <nil> <nil> Gizmo GizmoList", "gizmos gd <nil> Gizmo GizmoList"},
		"short name":      {`"kind":"Gizmo","shortNames":["gz","gd"]`, `NamesAccepted=False ShortNamesConflict "gd" is already in use` + refused + "gizmos gizmo <nil> Gizmo GizmoList", "gizmos gizmo [gz gd] Gizmo GizmoList"},
		"two short names": {`"kind":"Gizmo","shortNames":["gadget","gd"]`, `NamesAccepted=False ShortNamesConflict ["gadget" is already in use, "gd" is already in use]` + refused + "gizmos gizmo <nil> Gizmo GizmoList", "gizmos gizmo [gadget gd] Gizmo GizmoList"},
	} {
		file := filepath.Join(t.TempDir(), "store")
		s := newServer(t, testserver.Options{File: file})
		const gadgets, gizmos = "/apis/example.com/v1/gadgets", "/apis/example.com/v1/gizmos"
		served := func(path string) bool {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			return w.Code == 200
		}
		must(t, s, "POST", crds, definitionNamed("gadgets", `"kind":"Gadget","shortNames":["gd"]`))
		must(t, s, "POST", gadgets, `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"}}`)
		must(t, s, "POST", crds, definitionNamed("gizmos", c.second))
		for range 2 { // the second time after a restart
			first, second := must(t, s, "GET", crds+"/gadgets.example.com", ""), must(t, s, "GET", crds+"/gizmos.example.com", "")
			if got, want := namesStatus(first), good+"gadgets gadget [gd] Gadget GadgetList"; got != want {
				t.Errorf("%s: the first definition: %s, want %s", name, got, want)
			}
			if got := namesStatus(second); got != c.status {
				t.Errorf("%s: the second definition:\n%s, want\n%s", name, got, c.status)
			}
			if !served(gadgets+"/g") || served(gizmos) {
				t.Errorf("%s: gadgets are served: %v, gizmos are served: %v", name, served(gadgets+"/g"), served(gizmos))
			}
			s.Close()
			s = newServer(t, testserver.Options{File: file})
		}
		must(t, s, "DELETE", crds+"/gadgets.example.com", "")
		if got, want := namesStatus(must(t, s, "GET", crds+"/gizmos.example.com", "")), good+c.after; got != want {
			t.Errorf("%s: the second definition, after the first was deleted:\n%s, want\n%s", name, got, want)
		}
		if served(gadgets) || !served(gizmos) {
			t.Errorf("%s: after the first was deleted, gadgets are served: %v, gizmos are served: %v", name, served(gadgets), served(gizmos))
		}
	}
}

// TestChangedNames changes the short names of a definition that is served. It stays served, with its
// old short names if the new ones conflict. The names that it gives up become free.
func TestChangedNames(t *testing.T) {
	s := newServer(t, testserver.Options{Definitions: [][]byte{[]byte(definitionNamed("gadgets", `"kind":"Gadget","shortNames":["gd"]`))}})
	must(t, s, "POST", crds, definitionNamed("gizmos", `"kind":"Gizmo","shortNames":["gz"]`))
	change := func(plural, short string) {
		t.Helper()
		must(t, s, "PATCH", crds+"/"+plural+".example.com", `{"spec":{"names":{"shortNames":["`+short+`"]}}}`)
	}
	short := func(want string) {
		t.Helper()
		got := map[string]any{}
		for _, r := range must(t, s, "GET", "/apis/example.com/v1", "")["resources"].([]any) {
			r := r.(map[string]any)
			got[r["name"].(string)] = r["shortNames"]
		}
		if got := fmt.Sprint(got); got != want {
			t.Errorf("the short names in discovery are %s, want %s", got, want)
		}
	}
	change("gizmos", "gd")
	short("map[gadgets:[gd] gizmos:[gz]]")
	gizmos := must(t, s, "GET", crds+"/gizmos.example.com", "")
	if got, want := namesStatus(gizmos), `NamesAccepted=False ShortNamesConflict "gd" is already in use, Established=True InitialNamesAccepted the initial names have been accepted; gizmos gizmo [gz] Gizmo GizmoList`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	change("gadgets", "gg")
	short("map[gadgets:[gg] gizmos:[gd]]")
}

// TestConflictingDefinitions checks that a server does not start if two of its definitions have the
// same kind.
func TestConflictingDefinitions(t *testing.T) {
	s, err := testserver.New(testserver.Options{Definitions: [][]byte{
		[]byte(definitionNamed("gadgets", `"kind":"Gadget"`)), []byte(definitionNamed("gizmos", `"kind":"Gadget"`)),
	}})
	if want := `gizmos.example.com: another definition of the group has the same names: "GadgetList" is already in use; remove one of the two definitions`; err == nil || err.Error() != want {
		t.Errorf("got %v, %v, want %s", s, err, want)
	}
}
