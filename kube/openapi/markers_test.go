// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
)

const marked = `
openapi: 3.0.0
components:
  schemas:
    T:
      type: object
      properties:
        type: {type: string}
        a: {type: object}
        b: {type: object}
        list: {type: array, items: {$ref: '#/components/schemas/Item'}}
        tags: {type: array, items: {type: string}}
        inner: {type: object, properties: {left: {type: string}, right: {type: string}}}
        fixed: {type: object, x-kubernetes-map-type: atomic, properties: {x: {type: string}}}
    Item:
      type: object
      required: [port]
      properties:
        port: {type: integer}
        host: {type: string}
        named: {type: string, default: some}
        none: {type: string, nullable: true}
        below: {type: object}
`

func TestAddMarkers(t *testing.T) {
	c := openapi.New(openapi.Options{})
	if err := c.AddOpenAPI("doc", []byte(marked)); err != nil {
		t.Fatal(err)
	}
	err := c.AddMarkers("m", []byte(`
T:
  "": {x-kubernetes-unions: [{discriminator: type, fields-to-discriminateBy: {a: A, b: B}}]}
  list: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, named]}
  tags: {x-kubernetes-list-type: set}
  inner: {x-kubernetes-unions: [{fields-to-discriminateBy: {left: L, right: R}}]}
`))
	if err != nil || len(c.Warnings()) > 0 {
		t.Fatalf("got %v, %v", err, c.Warnings())
	}
	s, _, _ := c.LookupType("T")
	td, _ := s.FindNamedType("T")
	name := "type"
	want := []schema.Union{{Discriminator: &name, Fields: []schema.UnionField{{FieldName: "a", DiscriminatorValue: "A"}, {FieldName: "b", DiscriminatorValue: "B"}}}}
	if !reflect.DeepEqual(td.Map.Unions, want) {
		t.Errorf("unions %+v", td.Map.Unions)
	}
	list, _ := td.Map.FindField("list")
	tags, _ := td.Map.FindField("tags")
	inner, _ := td.Map.FindField("inner")
	for i, got := range []string{
		fmt.Sprint(list.Type.Inlined.List.ElementRelationship, list.Type.Inlined.List.Keys),
		fmt.Sprint(tags.Type.Inlined.List.ElementRelationship, tags.Type.Inlined.List.Keys),
		fmt.Sprint(len(inner.Type.Inlined.Map.Unions), inner.Type.Inlined.Map.Unions[0].Discriminator == nil),
	} {
		if want := []string{"associative[port named]", "associative[]", "1 true"}[i]; got != want {
			t.Errorf("%d: got %s, want %s", i, got, want)
		}
	}
	// Unions can be replaced and removed. Schemas that were returned before must not change.
	if err := c.AddMarkers("m", []byte(`T: {"": {x-kubernetes-unions: []}, list: {x-kubernetes-list-map-keys: [host]}, tags: {x-kubernetes-list-type: atomic}}`)); err != nil {
		t.Fatal(err)
	}
	s2, _, _ := c.LookupType("T")
	now, _ := s2.FindNamedType("T")
	list, _ = now.Map.FindField("list")
	tags, _ = now.Map.FindField("tags")
	if len(now.Map.Unions) != 0 || fmt.Sprint(list.Type.Inlined.List.Keys) != "[host]" || tags.Type.Inlined.List.ElementRelationship != schema.Atomic || len(td.Map.Unions) != 1 {
		t.Errorf("got %+v", now.Map)
	}
	want2 := `m: T.list: the key "host" is neither required nor has a default, so items without it have no complete identity; require it, or add a default`
	if w := c.Warnings(); len(w) != 1 || w[0].Error() != want2 {
		t.Errorf("warnings %v", w)
	}
}

func TestAddMarkersRefuses(t *testing.T) {
	c := openapi.New(openapi.Options{})
	if err := c.AddOpenAPI("doc", []byte(marked)); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]string{
		`U: {"": {}}`:                                     `m: U: no earlier document has a definition "U"; correct the name, or add the document first`,
		`T: {listen: {}}`:                                 `m: T.listen: the path "listen" does not exist: there is no field "listen"`,
		`T: {"list[].port": {}}`:                          `m: T["list[].port"]: the path "list[].port" leads into another definition; use a path within Item instead`,
		`T: {"list[]": {}}`:                               `m: T["list[]"]: the path leads to another definition; add the markers to Item instead`,
		`T: {list: map}`:                                  `m: T.list: want a map of markers, found the string "map"`,
		`T: {list: {x-list-type: map}}`:                   `m: T.list.x-list-type: want x-kubernetes-list-type, x-kubernetes-list-map-keys or x-kubernetes-unions, found "x-list-type"`,
		`T: {list: {x-kubernetes-list-type: map}}`:        `m: T.list: x-kubernetes-list-type is map, so the list also needs x-kubernetes-list-map-keys`,
		`T: {list: {x-kubernetes-list-map-keys: [port]}}`: `m: T.list: x-kubernetes-list-map-keys is only allowed if x-kubernetes-list-type is map`,
		`T: {list: {x-kubernetes-list-type: bag}}`:        `m: T.list.x-kubernetes-list-type: want one of atomic, set, map, found "bag"`,
		`T: {list: {x-kubernetes-list-type: set}}`:        `m: T.list: the list type set is only allowed for a list of scalars; use map or atomic`,
		`T: {tags: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port]}}`:              `m: T.tags: x-kubernetes-list-map-keys are only allowed on a list of maps`,
		`T: {a: {x-kubernetes-list-type: set}}`:                                                     `m: T.a: x-kubernetes-list-type is only allowed on a list`,
		`T: {list: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [prt]}}`:               `m: T.list: the items have no field "prt"`,
		`T: {list: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [below]}}`:             `m: T.list: the key "below" must be a scalar, found a map`,
		`T: {list: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [none]}}`:              `m: T.list: the key "none" must not be nullable`,
		`T: {"": {x-kubernetes-unions: [{discriminator: kind, fields-to-discriminateBy: {a: A}}]}}`: `m: T.x-kubernetes-unions[0]: the map has no field "kind"`,
		`T: {"": {x-kubernetes-unions: [{fields-to-discriminateBy: {z: A}}]}}`:                      `m: T.x-kubernetes-unions[0]: the map has no field "z"`,
		`T: {"": {x-kubernetes-unions: [{discriminator: type}]}}`:                                   `m: T.x-kubernetes-unions[0]: want members in fields-to-discriminateBy, found none`,
		`T: {"": {x-kubernetes-unions: {}}}`:                                                        `m: T.x-kubernetes-unions: want a list, found a map`,
		`T: {fixed: {x-kubernetes-unions: []}}`:                                                     `m: T.fixed: x-kubernetes-unions are only allowed on a map that is not atomic`,
		`T: {type: {x-kubernetes-unions: []}}`:                                                      `m: T.type: x-kubernetes-unions are only allowed on a map that is not atomic`,
	} {
		err := c.AddMarkers("m", []byte(table))
		if err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", table, err, want)
		}
	}
	s, _, _ := c.LookupType("T")
	td, _ := s.FindNamedType("T")
	if len(td.Map.Unions) > 0 {
		t.Error("the catalog was changed")
	}
}

// KnownUnions adds unions that API servers enforce but no OpenAPI document declares.
func TestKnownUnions(t *testing.T) {
	deployment, ok := openapi.Builtin(openapi.Options{KnownUnions: true}).Type("apps/v1", "Deployment")
	if !ok || !deployment.HasUnions() {
		t.Error("the strategy of a Deployment has no union")
	}
	td, _ := deployment.Schema.FindNamedType("io.k8s.api.core.v1.SeccompProfile")
	if len(td.Map.Unions) != 1 || td.Map.Unions[0].Fields[0].DiscriminatorValue != "Localhost" {
		t.Errorf("got %+v", td.Map.Unions)
	}
	c := openapi.Builtin(openapi.Options{KnownUnions: true})
	if err := c.AddMarkers("m", []byte(`io.k8s.api.apps.v1.DeploymentStrategy: {"": {x-kubernetes-unions: []}}`)); err != nil {
		t.Fatal(err)
	}
	s, _, _ := c.LookupType("io.k8s.api.apps.v1.DeploymentStrategy")
	if td, _ := s.FindNamedType("io.k8s.api.apps.v1.DeploymentStrategy"); len(td.Map.Unions) != 0 {
		t.Errorf("the removed unions are still there: %+v", td.Map.Unions)
	}
	// Add a server's own document with the same types.
	if err := c.AddOpenAPI("doc", []byte(`{openapi: 3.0.0, components: {schemas: {io.k8s.api.apps.v1.DaemonSetUpdateStrategy: {type: object, properties: {type: {type: string}, rollingUpdate: {type: object}}}}}}`)); err != nil {
		t.Fatal(err)
	}
	s, _, _ = c.LookupType("io.k8s.api.apps.v1.DaemonSetUpdateStrategy")
	if td, _ := s.FindNamedType("io.k8s.api.apps.v1.DaemonSetUpdateStrategy"); len(td.Map.Unions) != 1 {
		t.Errorf("got %+v", td.Map.Unions)
	}
}
