// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

func owned() *fieldpath.Set {
	return fieldpath.NewSet(
		fieldpath.MakePathOrDie("spec", "replicas"),
		fieldpath.MakePathOrDie("spec", "containers", fieldpath.KeyByFields("name", "app")),
		fieldpath.MakePathOrDie("spec", "containers", fieldpath.KeyByFields("name", "app"), "image"),
	)
}

func ExampleSet() {
	s := owned()
	fmt.Println(s)
	fmt.Println(s.Has(fieldpath.MakePathOrDie("spec", "replicas")), s.Has(fieldpath.MakePathOrDie("spec")))
	// Output:
	// .spec.replicas
	// .spec.containers[name="app"]
	// .spec.containers[name="app"].image
	// true false
}

func ExampleMakePath() {
	path, err := fieldpath.MakePath("spec", "ports", fieldpath.KeyByFields("port", 80, "protocol", "TCP"), "name")
	fmt.Println(path, err)
	_, err = fieldpath.MakePath("spec", 1.5)
	fmt.Println(err)
	// Output:
	// .spec.ports[port=80,protocol="TCP"].name <nil>
	// unable to make 1.5 into a path element
}

func ExampleParsePath() {
	path, err := fieldpath.ParsePath(`.spec.ports[port=80,protocol="TCP"].name`)
	fmt.Println(len(path), path, err)
	_, err = fieldpath.ParsePath("spec.ports")
	fmt.Println(err)
	// Output:
	// 4 .spec.ports[port=80,protocol="TCP"].name <nil>
	// path spec.ports: at "spec.ports": want .name, [key=value,...], [=value] or [index]
}

func ExampleSet_Union() {
	s := owned().Union(fieldpath.NewSet(fieldpath.MakePathOrDie("spec", "paused")))
	fmt.Println(s)
	// Output:
	// .spec.paused
	// .spec.replicas
	// .spec.containers[name="app"]
	// .spec.containers[name="app"].image
}

func ExampleSet_Intersection() {
	replicas := fieldpath.NewSet(fieldpath.MakePathOrDie("spec", "replicas"), fieldpath.MakePathOrDie("spec", "paused"))
	fmt.Println(owned().Intersection(replicas))
	fmt.Println(owned().Disjoint(replicas))
	// Output:
	// .spec.replicas
	// false
}

func ExampleSet_ToJSON() {
	b, err := owned().ToJSON()
	fmt.Println(string(b), err)
	// Output:
	// {"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:image":{}}},"f:replicas":{}}} <nil>
}

func ExampleSet_ToJSONStream() {
	fmt.Println(owned().WithPrefix(fieldpath.FieldNameElement("spec")).Leaves().ToJSONStream(os.Stdout))
	// Output:
	// {"f:containers":{"k:{\"name\":\"app\"}":{"f:image":{}}},"f:replicas":{}}<nil>
}

func ExampleSet_FromJSON() {
	var s fieldpath.Set
	err := s.FromJSON(strings.NewReader(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`))
	fmt.Println(&s, err)
	err = s.FromJSON(strings.NewReader(`{"f:metadata":{}} {}`))
	fmt.Println(err)
	// Output:
	// .metadata.labels
	// .metadata.labels.app <nil>
	// managedFields parsing: unexpected trailing data after JSON object, error found in #10 byte of ...|data":{}} {}|..., bigger context ...|{"f:metadata":{}} {}|...
}

func ExampleSet_Difference() {
	image := fieldpath.MakePathOrDie("spec", "containers", fieldpath.KeyByFields("name", "app"), "image")
	item := image[:3]
	fmt.Println(owned().Difference(fieldpath.NewSet(item)))
	fmt.Println()
	fmt.Println(owned().RecursiveDifference(fieldpath.NewSet(item)))
	// Output:
	// .spec.replicas
	// .spec.containers[name="app"].image
	//
	// .spec.replicas
}

func ExampleSet_All() {
	for path := range owned().All() {
		if path[len(path)-1].Key != nil {
			fmt.Println("the first item is", path)
			break
		}
	}
	// Output:
	// the first item is .spec.containers[name="app"]
}

func ExampleSet_EnsureNamedFieldsAreMembers() {
	any := schema.TypeRef{}
	deployment := &schema.Schema{Types: []schema.TypeDef{{
		Name: "deployment",
		Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{{Name: "spec", Type: any}}}},
	}}}
	name := "deployment"
	s := fieldpath.NewSet(fieldpath.MakePathOrDie("spec", "replicas"), fieldpath.MakePathOrDie("other", "x"))
	fmt.Println(s.EnsureNamedFieldsAreMembers(deployment, schema.TypeRef{NamedType: &name}))
	// Output:
	// .spec
	// .other.x
	// .spec.replicas
}

func ExampleFromSorted() {
	spec := fieldpath.FromSorted([]fieldpath.PathElement{fieldpath.FieldNameElement("paused"), fieldpath.FieldNameElement("replicas")}, nil)
	s := fieldpath.FromSorted(nil, []fieldpath.SetNode{{PathElement: fieldpath.FieldNameElement("spec"), Set: spec}})
	fmt.Println(s)
	// Output:
	// .spec.paused
	// .spec.replicas
}

func ExampleMakePrefixMatcherOrDie() {
	matcher := fieldpath.MakePrefixMatcherOrDie("spec", "containers", fieldpath.MatchAnyPathElement(), "image")
	fmt.Println(fieldpath.NewIncludeMatcherFilter(matcher).Filter(owned()))
	// Output:
	// .spec.containers[name="app"]
	// .spec.containers[name="app"].image
}

func ExampleNewExcludeSetFilter() {
	status := fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	s := owned().Union(fieldpath.NewSet(fieldpath.MakePathOrDie("status", "phase")))
	fmt.Println(fieldpath.NewExcludeSetFilter(status).Filter(s).Equals(owned()))
	// Output:
	// true
}

func ExampleSerializePathElement() {
	s, err := fieldpath.SerializePathElement(fieldpath.KeyElementByFields("protocol", "TCP", "port", 80))
	fmt.Println(s, err)
	pe, err := fieldpath.DeserializePathElement(s)
	fmt.Println(pe, err)
	// Output:
	// k:{"port":80,"protocol":"TCP"} <nil>
	// [port=80,protocol="TCP"] <nil>
}

func ExampleManagedFields_Difference() {
	before := fieldpath.ManagedFields{"kubectl": fieldpath.NewVersionedSet(owned(), "apps/v1", true)}
	after := fieldpath.ManagedFields{"kubectl": fieldpath.NewVersionedSet(
		owned().Difference(fieldpath.NewSet(fieldpath.MakePathOrDie("spec", "replicas"))), "apps/v1", true)}
	fmt.Print(before.Difference(after))
	// Output:
	// kubectl:
	// - Applied: false
	// - APIVersion: apps/v1
	// - Set: .spec.replicas
}

func ExampleSetFromValue() {
	v := value.NewValueInterface(map[string]any{
		"replicas":   3,
		"containers": []any{map[string]any{"name": "app", "image": "nginx"}},
	})
	fmt.Println(fieldpath.SetFromValue(v))
	// Output:
	// .replicas
	// .containers[name="app"].image
	// .containers[name="app"].name
}

func ExamplePathElementValueMap() {
	ports := fieldpath.MakePathElementValueMap(2)
	ports.Insert(fieldpath.KeyElementByFields("port", 80), value.NewValueInterface("http"))
	v, ok := ports.Get(fieldpath.KeyElementByFields("port", 80.0))
	fmt.Println(v.AsString(), ok)
	// Output:
	// http true
}
