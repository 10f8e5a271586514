// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi_test

import (
	"fmt"
	"log"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
)

const certificates = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: certificates.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Certificate, plural: certificates}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              usages:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [usage, scope]
                items:
                  type: object
                  required: [usage]
                  properties:
                    usage: {type: string}
                    scope: {type: string, default: server}
`

const legacy = `
swagger: "2.0"
definitions:
  com.example.Listener:
    type: object
    x-kubernetes-group-version-kind: [{group: example.com, version: v1, kind: Listener}]
    properties:
      ports:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [port, protocol]
        items: {$ref: '#/definitions/com.example.Port'}
  com.example.Port:
    type: object
    required: [port]
    properties:
      port: {type: integer}
      protocol: {type: string}
paths:
  /apis/example.com/v1/namespaces/{namespace}/listeners/{name}:
    patch:
      x-kubernetes-group-version-kind: {group: example.com, version: v1, kind: Listener}
`

// This example runs a server-side apply of a Deployment without a server.
func Example() {
	fm, err := fieldmanager.New(fieldmanager.Options{Types: fieldmanager.NewTypeSource(openapi.Builtin(openapi.Options{}).Type)})
	if err != nil {
		log.Fatal(err)
	}
	config := map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "shop"},
		"spec": map[string]any{"replicas": int64(3)},
	}
	created, err := fm.Apply(nil, config, "gitops", false)
	if err != nil {
		log.Fatal(err)
	}
	config["spec"] = map[string]any{"replicas": int64(5)}
	_, err = fm.Apply(created.Object, config, "autoscaler", false)
	fmt.Println(err)
	// Output: Apply failed with 1 conflict: conflict with "gitops": .spec.replicas
}

func ExampleBuiltin() {
	types := openapi.Builtin(openapi.Options{})
	service, ok := types.Type("v1", "Service")
	fmt.Println(ok, *service.TypeRef.NamedType)

	port, _ := service.Schema.FindNamedType("io.k8s.api.core.v1.ServicePort")
	protocol, _ := port.Map.FindField("protocol")
	fmt.Println("protocol is", protocol.Default)
	// Output:
	// true io.k8s.api.core.v1.Service
	// protocol is TCP
}

func ExampleNew() {
	// A new catalog has only the API machinery types that every CRD needs.
	types := openapi.New(openapi.Options{})
	if err := types.AddCRD("certificates.yaml", []byte(certificates)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(types.Types())
	certificate, ok := types.Type("example.com/v1", "Certificate")
	_, meta := certificate.Schema.FindNamedType("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
	fmt.Println(ok, meta)
	// Output:
	// [com.example.v1.Certificate com.example.v1.CertificateList]
	// true true
}

func ExampleCatalog_Type() {
	deployment, ok := openapi.Builtin(openapi.Options{}).Type("apps/v1", "Deployment")
	fmt.Println(ok, deployment.IsValid())
	v, err := deployment.FromYAML("{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 3}}")
	fmt.Println(v != nil, err)
	// Output:
	// true true
	// true <nil>
}

func ExampleCatalog_Kind() {
	k, ok := openapi.Builtin(openapi.Options{}).Kind("v1", "Node")
	fmt.Println(ok, k.Resource, k.Scope, k.Subresources)
	// Output: true nodes Cluster [proxy status]
}

func ExampleCatalog_Kinds() {
	kinds := openapi.Builtin(openapi.Options{}).Kinds()
	first := kinds[0]
	fmt.Println(len(kinds), first.APIVersion, first.Kind)
	// Output: 269 admissionregistration.k8s.io/v1 DeleteOptions
}

func ExampleRelease() {
	fmt.Println(slices.Contains(openapi.Releases(), openapi.Release()))
	fmt.Println(openapi.Builtin(openapi.Options{}).Release() == openapi.Release())
	fmt.Printf("%q\n", openapi.New(openapi.Options{}).Release())
	// Output:
	// true
	// true
	// ""
}

func ExampleCatalog_AddCRD() {
	types := openapi.Builtin(openapi.Options{})
	if err := types.AddCRD("certificates.yaml", []byte(certificates)); err != nil {
		log.Fatal(err)
	}
	k, ok := types.Kind("example.com/v1", "Certificate")
	fmt.Println(ok, k.Type, k.Resource, k.Scope, k.Subresources)

	err := types.AddCRD("pod.yaml", []byte("apiVersion: v1\nkind: Pod"))
	fmt.Println(err)
	// Output:
	// true com.example.v1.Certificate certificates Namespaced [status]
	// pod.yaml: want a CustomResourceDefinition, found an object of kind v1 Pod
}

func ExampleCatalog_AddOpenAPI() {
	types := openapi.New(openapi.Options{})
	if err := types.AddOpenAPI("swagger.yaml", []byte(legacy)); err != nil {
		log.Fatal(err)
	}
	for _, k := range types.Kinds() {
		fmt.Println(k.APIVersion, k.Kind, k.Resource, k.Scope)
	}
	// Output: example.com/v1 Listener listeners Namespaced
}

func ExampleCatalog_AddOpenAPIs() {
	types := openapi.New(openapi.Options{})
	err := types.AddOpenAPIs(
		openapi.Document{Name: "a.yaml", Data: []byte("openapi: 3.0.0\ncomponents: {schemas: {A: {type: object, properties: {b: {$ref: '#/components/schemas/B'}}}}}")},
		openapi.Document{Name: "b.yaml", Data: []byte("openapi: 3.0.0\ncomponents: {schemas: {B: {type: string}}}")},
	)
	fmt.Println(types.Types(), err)
	// Output: [A B] <nil>
}

func ExampleCatalog_AddDefaults() {
	types := openapi.New(openapi.Options{})
	if err := types.AddOpenAPI("swagger.yaml", []byte(legacy)); err != nil {
		log.Fatal(err)
	}
	for _, f := range types.Lint() {
		fmt.Println(f.Type+f.Path, f.Rule)
	}
	if err := types.AddDefaults("defaults.yaml", []byte("com.example.Port: {protocol: TCP}")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(types.Lint()))
	// Output:
	// com.example.Listener.ports key-without-default
	// 0
}

func ExampleCatalog_AddDefaultsOf() {
	// A converter made this schema from the OpenAPI v2 document of a cluster.
	protocol := schema.Atom{Scalar: ptr(schema.String)}
	converted := &schema.Schema{Types: []schema.TypeDef{{
		Name: "io.k8s.api.core.v1.ServicePort",
		Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
			{Name: "protocol", Type: schema.TypeRef{Inlined: protocol}},
		}}},
	}}}
	types := openapi.New(openapi.Options{})
	if err := types.AddSchema("converted", converted); err != nil {
		log.Fatal(err)
	}
	if err := types.AddDefaultsOf(openapi.Builtin(openapi.Options{})); err != nil {
		log.Fatal(err)
	}
	s, _, _ := types.LookupType("io.k8s.api.core.v1.ServicePort")
	port, _ := s.FindNamedType("io.k8s.api.core.v1.ServicePort")
	fmt.Println(port.Map.Fields[0].Default)
	// Output: TCP
}

func ptr[T any](v T) *T { return &v }

func ExampleCatalog_AddSchema() {
	types := openapi.New(openapi.Options{})
	err := types.AddSchema("schema", &schema.Schema{Types: []schema.TypeDef{{
		Name: "port",
		Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
			{Name: "protocol", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: ptr(schema.String)}}},
		}}},
	}}})
	fmt.Println(types.Types(), err)
	err = types.AddDefaults("defaults.yaml", []byte("port: {protocol: 6}"))
	fmt.Println(err)
	// Output:
	// [port] <nil>
	// defaults.yaml: port.protocol: the default of "protocol" must be a string, found the number 6
}

func ExampleCatalog_Lint() {
	types := openapi.New(openapi.Options{})
	err := types.AddOpenAPI("doc.yaml", []byte(`
openapi: 3.0.0
components:
  schemas:
    Listener:
      type: object
      properties:
        retries: {type: integer, default: many}
        points:
          type: array
          x-kubernetes-list-type: set
          items: {type: object, properties: {x: {type: integer}}}
`))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range types.Lint() {
		fmt.Println(f.Type+f.Path, f.Rule)
		fmt.Println("  " + f.Message)
	}
	// Output:
	// Listener.points set-of-objects
	//   this set has items that are a map, but a server-side apply fails unless the items of a set are scalars; use the list type map with x-kubernetes-list-map-keys, or atomic
	// Listener.retries default-value
	//   the default must be a number, found the string "many"
}

func ExampleIsDocument() {
	fmt.Println(openapi.IsDocument([]byte(legacy)), openapi.IsDocument([]byte(certificates)))
	// Output: true false
}

func ExampleIsV2() {
	fmt.Println(openapi.IsV2([]byte(legacy)), openapi.IsV2([]byte(`{"openapi": "3.0.0"}`)))
	// Output: true false
}

func ExampleCatalog_Lookup() {
	types := openapi.Builtin(openapi.Options{MissingKeys: schema.StrictKeys})
	s, ref, ok := types.Lookup("apps/v1", "Deployment")
	fmt.Println(ok, *ref.NamedType, s.DeclarativeDefaults, s.MissingKeys)

	_, _, ok = types.Lookup("extensions/v1beta1", "Deployment")
	fmt.Println(ok)
	// Output:
	// true io.k8s.api.apps.v1.Deployment false strict
	// false
}

func ExampleCatalog_LookupType() {
	s, _, _ := openapi.Builtin(openapi.Options{}).LookupType("io.k8s.api.core.v1.LocalObjectReference")
	for _, td := range s.Types {
		fmt.Println(td.Name, td.Map.ElementRelationship)
	}
	// Output: io.k8s.api.core.v1.LocalObjectReference atomic
}

func ExampleCatalog_Warnings() {
	types := openapi.New(openapi.Options{})
	err := types.AddOpenAPI("doc.yaml", []byte(`
openapi: 3.0.0
components:
  schemas:
    T: {type: object, properties: {replicas: {type: integer, default: many}}}
`))
	fmt.Println(err, types.Warnings())
	// Output: <nil> [doc.yaml: components.schemas.T.properties.replicas.default: want a default of type integer, found the string "many"]
}

// This example prunes a decoded custom resource and sets its defaults, like an API server.
func ExampleCatalog_AddCRD_decoding() {
	types := openapi.New(openapi.Options{})
	if err := types.AddCRD("certificates.yaml", []byte(certificates)); err != nil {
		log.Fatal(err)
	}
	certificate, ok := types.Type("example.com/v1", "Certificate")
	if !ok {
		log.Fatal("no Certificate")
	}
	var object any = map[string]any{
		"apiVersion": "example.com/v1", "kind": "Certificate", "metadata": map[string]any{"name": "shop"},
		"spec": map[string]any{
			"usages": []any{map[string]any{"usage": "signing", "scope": nil, "colour": "red"}},
			"issuer": "me",
		},
	}
	unknown, err := certificate.UnknownFields(object) // report them as warnings or errors
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range unknown {
		fmt.Println("unknown field", path)
	}
	if object, err = certificate.Prune(object); err != nil {
		log.Fatal(err)
	}
	if object, err = certificate.Default(object); err != nil {
		log.Fatal(err)
	}
	fmt.Println(object.(map[string]any)["spec"])
	// Output:
	// unknown field .spec.issuer
	// unknown field .spec.usages[0].colour
	// map[usages:[map[scope:server usage:signing]]]
}

// With hostPort as a key, two host ports for the same container port are separate items.
func ExampleCatalog_AddMarkers() {
	types := openapi.Builtin(openapi.Options{})
	if err := types.AddDefaults("defaults.yaml", []byte(`io.k8s.api.core.v1.ContainerPort: {hostPort: 0, hostIP: ""}`)); err != nil {
		log.Fatal(err)
	}
	if err := types.AddMarkers("keys.yaml", []byte(`
io.k8s.api.core.v1.Container:
  ports: {x-kubernetes-list-map-keys: [containerPort, protocol, hostPort, hostIP]}
`)); err != nil {
		log.Fatal(err)
	}
	pod, _ := types.Type("v1", "Pod")
	tv, err := pod.FromYAML(`spec: {containers: [{name: web, ports: [{containerPort: 93, hostPort: 9376}, {containerPort: 93, hostPort: 7693}]}]}`)
	if err != nil {
		log.Fatal(err)
	}
	set, _ := tv.ToFieldSet()
	fmt.Println(set.Leaves())
	// Output:
	// .spec.containers[name="web"].name
	// .spec.containers[name="web"].ports[containerPort=93,hostIP="",hostPort=7693,protocol="TCP"].containerPort
	// .spec.containers[name="web"].ports[containerPort=93,hostIP="",hostPort=7693,protocol="TCP"].hostPort
	// .spec.containers[name="web"].ports[containerPort=93,hostIP="",hostPort=9376,protocol="TCP"].containerPort
	// .spec.containers[name="web"].ports[containerPort=93,hostIP="",hostPort=9376,protocol="TCP"].hostPort
}
