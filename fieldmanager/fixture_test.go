// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// serviceSchema is enough of a Service, and of a Widget with two versions.
const serviceSchema = `
types:
- name: Service
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {namedType: Meta}}
    - {name: spec, type: {namedType: ServiceSpec}}
    - {name: status, type: {namedType: Status}}
- name: Meta
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: namespace, type: {scalar: string}}
    - {name: uid, type: {scalar: string}}
    - {name: resourceVersion, type: {scalar: string}}
    - {name: labels, type: {map: {elementType: {scalar: string}}}}
    - {name: annotations, type: {map: {elementType: {scalar: string}}}}
    - {name: managedFields, type: {list: {elementType: {namedType: Any}, elementRelationship: atomic}}}
- name: ServiceSpec
  map:
    fields:
    - {name: type, type: {scalar: string}, default: ClusterIP}
    - {name: replicas, type: {scalar: numeric}}
    - {name: selector, type: {map: {elementType: {scalar: string}, elementRelationship: atomic}}}
    - {name: ports, type: {list: {elementType: {namedType: Port}, elementRelationship: associative, keys: [port, protocol]}}}
- name: Port
  map:
    fields:
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
    - {name: name, type: {scalar: string}}
    - {name: targetPort, type: {scalar: numeric}}
- name: Status
  map:
    fields:
    - {name: phase, type: {scalar: string}}
` + anyType

// anyType is what a schema has for data of which nothing is declared.
const anyType = `
- name: Any
  scalar: untyped
  list: {elementType: {namedType: Any}, elementRelationship: atomic}
  map: {elementType: {namedType: Any}, elementRelationship: separable}
`

// gatedParser has the types of a schema, with declarative defaults.
func gatedParser(schema typed.YAMLObject) *typed.Parser {
	p, err := typed.NewParser(schema)
	if err != nil {
		panic(err)
	}
	setGate(&p.Schema, true)
	return p
}

// serviceTypeWith is serviceType with another default of protocol.
func serviceTypeWith(protocol string) fieldmanager.TypeSource {
	p := gatedParser(typed.YAMLObject(strings.Replace(serviceSchema, "default: TCP", "default: "+protocol, 1)))
	return func(string, string) (typed.ParseableType, error) { return p.Type("Service"), nil }
}

// serviceType is the type of Service in the versions v1 and v1beta1, with
// declarative defaults.
func serviceType(apiVersion, kind string) (typed.ParseableType, error) {
	if kind != "Service" || apiVersion != "v1" && apiVersion != "v1beta1" {
		return typed.ParseableType{}, fmt.Errorf("%s %s: %w", apiVersion, kind, fieldmanager.ErrUnknownType)
	}
	return serviceParser.Type("Service"), nil
}

var serviceParser = func() *typed.Parser {
	p, err := typed.NewParser(serviceSchema)
	if err != nil {
		panic(err)
	}
	setGate(&p.Schema, true)
	return p
}()

// at is a clock that stands still.
func at(text string) func() time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return func() time.Time { return t }
}

// newManager completes options for Services.
func newManager(t testing.TB, o fieldmanager.Options) *fieldmanager.FieldManager {
	t.Helper()
	if o.Types == nil && !o.Untyped {
		o.Types = serviceType
	}
	if o.Clock == nil {
		o.Clock = at("2026-01-02T03:04:05Z")
	}
	m, err := fieldmanager.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func apply(t testing.TB, m *fieldmanager.FieldManager, live map[string]any, manager, config string) *fieldmanager.Result {
	t.Helper()
	r, err := m.Apply(live, object(t, config), manager, false)
	if err != nil {
		t.Fatalf("apply by %s: %v", manager, err)
	}
	return r
}

func update(t testing.TB, m *fieldmanager.FieldManager, live map[string]any, manager, object_ string) *fieldmanager.Result {
	t.Helper()
	r, err := m.Update(live, object(t, object_), manager)
	if err != nil {
		t.Fatalf("update by %s: %v", manager, err)
	}
	return r
}

// object reads JSON, or the inside of a Service's spec.
func object(t testing.TB, text string) map[string]any {
	t.Helper()
	if len(text) == 0 || text[0] != '{' {
		text = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{` + text + `}}`
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return whole(v).(map[string]any)
}

// whole makes int64 of whole numbers.
func whole(v any) any {
	switch v := v.(type) {
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	case map[string]any:
		for k := range v {
			v[k] = whole(v[k])
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	}
	return v
}

// owners prints who owns what: one line for each entry.
func owners(m *fieldmanager.Managed) []string {
	var lines []string
	for _, e := range m.Entries() {
		text, err := e.Set.ToJSON()
		if err != nil {
			panic(err)
		}
		when := "-"
		if e.Time != nil {
			when = e.Time.UTC().Format(time.TimeOnly)
		}
		line := fmt.Sprintf("%s %s %s %s %s", e.Manager, e.Operation, e.APIVersion, when, text)
		if e.Subresource != "" {
			line = e.Subresource + " of " + line
		}
		lines = append(lines, line)
	}
	return lines
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func paths(list ...fieldpath.Path) *fieldpath.Set { return fieldpath.NewSet(list...) }
