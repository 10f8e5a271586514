// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package publish_test

import (
	"fmt"
	"log"

	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/dovetail-ssa/dovetail/kube/publish"
)

func port() spec.Schema {
	protocol := spec.StringProperty().WithDefault("TCP")
	protocol.AddExtension("x-kubernetes-immutable", true)
	return *new(spec.Schema).Typed("object", "").SetProperty("protocol", *protocol)
}

func ExampleEndpoint_Definitions() {
	definitions := spec.Definitions{"com.example.Port": port()}
	for _, e := range []publish.Endpoint{publish.V2, publish.V3} {
		p := e.Definitions(definitions)["com.example.Port"].Properties["protocol"]
		fmt.Println(e, p.Default, p.Extensions)
	}
	fmt.Println(definitions["com.example.Port"].Properties["protocol"].Default)
	// Output:
	// /openapi/v2 <nil> map[x-kubernetes-immutable:true]
	// /openapi/v3 TCP map[x-kubernetes-immutable:true]
	// TCP
}

func ExampleEndpoint_Models() {
	s := port()
	models := map[string]*spec.Schema{"com.example.Port": &s}
	published := publish.V2.Models(models)["com.example.Port"]
	fmt.Println(published.Properties["protocol"].Default, s.Properties["protocol"].Default)
	// Output: <nil> TCP
}

func ExampleEndpoint_Schema() {
	s := port()
	fmt.Println(publish.V3.Schema(&s) == &s)
	bare := publish.V2.Schema(&s)
	fmt.Println(publish.V2.Schema(bare) == bare)
	// Output:
	// true
	// true
}

func ExampleSwagger() {
	doc := &spec.Swagger{SwaggerProps: spec.SwaggerProps{Definitions: spec.Definitions{"com.example.Port": port()}}}
	fmt.Println(publish.Swagger(doc).Definitions["com.example.Port"].Properties["protocol"].Default)
	// Output: <nil>
}

func ExampleMarkers() {
	var crd spec.Schema
	err := crd.UnmarshalJSON([]byte(`{"type": "object", "properties": {"mode": {"type": "string", "x-kubernetes-immutable": true}}}`))
	if err != nil {
		log.Fatal(err)
	}
	// This is the schema after apiextensions has decoded and encoded it.
	published := new(spec.Schema).Typed("object", "").SetProperty("mode", *spec.StringProperty())
	fmt.Println(publish.Markers(published, &crd).Properties["mode"].Extensions)
	// Output: map[x-kubernetes-immutable:true]
}
