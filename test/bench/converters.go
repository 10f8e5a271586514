// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	apiextensionsopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const refPrefix = "#/components/schemas/"

// static has the OpenAPI definitions that an API server adds to the schema of each custom
// resource: the types of metadata, and the types of CustomResourceDefinitions.
var static = sync.OnceValue(func() map[string]*spec.Schema {
	all := map[string]*spec.Schema{}
	ref := func(name string) spec.Ref { return spec.MustCreateRef(refPrefix + name) }
	for name, d := range apiextensionsopenapi.GetOpenAPIDefinitions(common.ReferenceCallback(ref)) {
		if strings.HasPrefix(name, "io.k8s.apimachinery.") || strings.HasPrefix(name, "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.") {
			s := d.Schema
			all[name] = &s
		}
	}
	return all
})

// numbered inserts the number i into some names in a text: the schema of the custom resource Fleet,
// or a Fleet object. So the i-th copy of Fleet has names that no other copy has.
func numbered(text string, i int) string {
	for _, name := range []string{"fleet.example.com", "vehicles", "firmware", "telemetry", "state"} {
		text = strings.ReplaceAll(text, `"`+name, fmt.Sprintf(`"n%d-%s`, i, name))
	}
	return text
}

// converterOf returns the type converter that an API server creates for the i-th custom
// resource. The schemas of all these resources are as large as the Fleet schema, but use
// different names.
func converterOf(i int) managedfields.TypeConverter {
	var s spec.Schema
	must(json.Unmarshal([]byte(numbered(string(fleetSchema), i)), &s))
	s.Properties["metadata"] = spec.Schema{SchemaProps: spec.SchemaProps{AllOf: []spec.Schema{
		*spec.RefSchema(refPrefix + "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
	}}}
	all := map[string]*spec.Schema{fmt.Sprintf("com.example.fleet%d.v1.Fleet", i): &s}
	for name, d := range static() {
		all[name] = d
	}
	c, err := managedfields.NewTypeConverter(all, false)
	must(err)
	return c
}

// useOnce uses a new type converter for the first time: it converts one object of the i-th
// custom resource, and computes the object's field set.
func useOnce(c managedfields.TypeConverter, i int) {
	text, err := json.Marshal(fleet(2).Config)
	must(err)
	obj := &unstructured.Unstructured{}
	must(json.Unmarshal([]byte(numbered(string(text), i)), &obj.Object))
	v, err := c.ObjectToTyped(obj)
	must(err)
	_, err = v.ToFieldSet()
	must(err)
}
