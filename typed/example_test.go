// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// service is a schema of the fields of a Kubernetes Service that the examples need.
const service = `types:
- name: service
  map:
    fields:
    - {name: selector, type: {map: {elementType: {scalar: string}}}}
    - name: ports
      type: {list: {elementRelationship: associative, keys: [port, protocol], elementType: {namedType: port}}}
- name: port
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
    - {name: targetPort, type: {scalar: untyped}}
`

// parser is shared, because only values of the same schema can be merged.
var parser, _ = typed.NewParser(service)

func parse(object typed.YAMLObject) *typed.TypedValue {
	tv, err := parser.Type("service").FromYAML(object)
	if err != nil {
		panic(err)
	}
	return tv
}

func show(tv *typed.TypedValue) {
	out, err := value.ToYAML(tv.AsValue())
	if err != nil {
		panic(err)
	}
	fmt.Print(string(out))
}

// The config omits the protocol of the port. The protocol has the default TCP, so the port is
// the same item as the live one.
func ExampleTypedValue_Merge() {
	live := parse(`ports: [{name: web, port: 80, protocol: TCP}, {name: dns, port: 53, protocol: UDP}]`)
	config := parse(`ports: [{port: 80, targetPort: 8080}]`)
	merged, err := live.Merge(config)
	if err != nil {
		panic(err)
	}
	show(merged)
	// Output:
	// ports:
	// - name: web
	//   port: 80
	//   protocol: TCP
	//   targetPort: 8080
	// - name: dns
	//   port: 53
	//   protocol: UDP
}

// A field set identifies items by their keys, including defaults. It has only fields that
// are present in the value.
func ExampleTypedValue_ToFieldSet() {
	set, err := parse(`ports: [{port: 80, name: web}]`).ToFieldSet()
	if err != nil {
		panic(err)
	}
	fmt.Print(set)
	// Output:
	// .ports[port=80,protocol="TCP"]
	// .ports[port=80,protocol="TCP"].name
	// .ports[port=80,protocol="TCP"].port
}

func ExampleTypedValue_Compare() {
	before := parse(`{selector: {app: shop}, ports: [{port: 80, name: web}]}`)
	after := parse(`{selector: {app: shop, tier: front}, ports: [{port: 80, name: http}]}`)
	c, err := before.Compare(after)
	if err != nil {
		panic(err)
	}
	fmt.Print(c)
	// Output:
	// - Modified Fields:
	// .ports[port=80,protocol="TCP"].name
	// - Added Fields:
	// .selector.tier
}

// An update must neither remove a volume nor change the size of a volume that stays. Volumes
// are identified by name, not by index.
func ExampleTypedValue_CheckTransition() {
	parser, err := typed.NewParser(`types:
- name: database
  map:
    fields:
    - {name: replicas, type: {scalar: numeric}}
    - name: volumes
      type:
        transition: additionOnly
        list:
          elementRelationship: associative
          keys: [name]
          elementType:
            map:
              fields:
              - {name: name, type: {scalar: string}}
              - {name: size, type: {scalar: string, transition: immutable}}
`)
	if err != nil {
		panic(err)
	}
	object := func(text typed.YAMLObject) *typed.TypedValue {
		tv, err := parser.Type("database").FromYAML(text)
		if err != nil {
			panic(err)
		}
		return tv
	}
	live := object(`{replicas: 1, volumes: [{name: logs, size: 1Gi}, {name: data, size: 9Gi}]}`)
	next := object(`{replicas: 3, volumes: [{name: data, size: 5Gi}, {name: cache, size: 1Gi}]}`)
	fmt.Println(live.CheckTransition(next, typed.TransitionOptions{}))
	// Output:
	// volumes[0].size: field is immutable: changes "9Gi" to "5Gi"
	// volumes: item may not be removed: {"name":"logs","size":"1Gi"}
}

func ExampleTypedValue_ExtractItems() {
	live := parse(`{selector: {app: shop}, ports: [{port: 80, name: web, targetPort: 8080}]}`)
	port := fieldpath.KeyByFields("port", 80, "protocol", "TCP")
	owned := fieldpath.NewSet(
		fieldpath.MakePathOrDie("ports", port, "name"),
	)
	show(live.ExtractItems(owned, typed.WithAppendKeyFields()))
	// Output:
	// ports:
	// - name: web
	//   port: 80
}

func ExampleTypedValue_RemoveItems() {
	live := parse(`{selector: {app: shop, tier: front}}`)
	show(live.RemoveItems(fieldpath.NewSet(fieldpath.MakePathOrDie("selector", "tier"))))
	// Output:
	// selector:
	//   app: shop
}

func ExampleParseableType_FromYAML() {
	_, err := parser.Type("service").FromYAML(`{selector: [shop], ports: [{port: eighty}, {port: eighty}]}`)
	fmt.Println(err)
	// Output:
	// errors:
	//   .ports[port="eighty",protocol="TCP"].port: expected numeric (int or float), got string
	//   .ports: duplicate entries for key [port="eighty",protocol="TCP"]
	//   .ports[port="eighty",protocol="TCP"].port: expected numeric (int or float), got string
	//   .selector: expected map, got &{[shop]}
}

// The default of protocol changes. The live object shows which item each path belongs to.
func ExampleRekeyer_Rekey() {
	service := func(protocol string) typed.ParseableType {
		parser, err := typed.NewParser(typed.YAMLObject(`declarativeDefaults: true
types:
- name: service
  map:
    fields:
    - name: ports
      type:
        list:
          elementRelationship: associative
          keys: [port, protocol]
          elementType:
            map:
              fields:
              - {name: port, type: {scalar: numeric}}
              - {name: protocol, type: {scalar: string}, default: ` + protocol + `}
`))
		if err != nil {
			panic(err)
		}
		return parser.Type("service")
	}
	owned := fieldpath.NewSet(
		fieldpath.MakePathOrDie("ports", fieldpath.KeyByFields("port", 80, "protocol", "TCP")),
		fieldpath.MakePathOrDie("ports", fieldpath.KeyByFields("port", 90, "protocol", "TCP")),
	)
	live := map[string]any{"ports": []any{
		map[string]any{"port": 80, "protocol": "TCP"},
		map[string]any{"port": 90},
	}}
	rekeyed, moves, err := service("TCP").Rekeyer(service("UDP"), live).Rekey(owned)
	if err != nil {
		panic(err)
	}
	fmt.Println(rekeyed)
	for _, m := range moves {
		fmt.Println(m.Reason, m.Old, m.Why)
	}
	// Output:
	// .ports[port=80,protocol="TCP"]
	// .ports[port=90,protocol="UDP"]
	// rekeyed .ports[port=90,protocol="TCP"] the default of protocol changed from "TCP" to "UDP"
}

func ExampleParseableType_Prune() {
	object := map[string]any{
		"selector": map[string]any{"app": "shop"},
		"replicas": int64(3),
		"ports":    []any{map[string]any{"port": int64(80), "portName": "web"}},
	}
	unknown, err := parser.Type("service").UnknownFields(object)
	if err != nil {
		panic(err)
	}
	for _, path := range unknown {
		fmt.Println("unknown field", path)
	}
	pruned, err := parser.Type("service").Prune(object)
	fmt.Println(pruned, err)
	// Output:
	// unknown field .ports[0].portName
	// unknown field .replicas
	// map[ports:[map[port:80]] selector:map[app:shop]] <nil>
}

func ExampleParseableType_Default() {
	// In this Go struct, an empty protocol counts as absent.
	type port struct {
		Name     string `json:"name,omitempty"`
		Port     int32  `json:"port"`
		Protocol string `json:"protocol,omitempty"`
	}
	object := &struct {
		Ports []port `json:"ports"`
	}{[]port{{Name: "web", Port: 80}, {Name: "dns", Port: 53, Protocol: "UDP"}}}
	if _, err := parser.Type("service").Default(object); err != nil {
		panic(err)
	}
	fmt.Println(object.Ports)
	// Output:
	// [{web 80 TCP} {dns 53 UDP}]
}

func ExampleTypedValue_Default() {
	tv := parse(`{ports: [{port: 80}, {port: 53, protocol: UDP}], selector: null}`)
	defaulted, err := tv.Default()
	if err != nil {
		panic(err)
	}
	show(defaulted)
	// Output:
	// ports:
	// - port: 80
	//   protocol: TCP
	// - port: 53
	//   protocol: UDP
}

func ExampleTypedValue_Deduplicate() {
	service, err := parser.Type("service").FromYAML(`{ports: [{port: 80, name: old}, {port: 53}, {port: 80, protocol: TCP, name: new}]}`, typed.AllowDuplicates)
	if err != nil {
		panic(err)
	}
	single, dropped, err := service.Deduplicate(typed.KeepLast)
	if err != nil {
		panic(err)
	}
	show(single)
	for _, d := range dropped {
		fmt.Println(d)
	}
	// Output:
	// ports:
	// - port: 53
	// - name: new
	//   port: 80
	//   protocol: TCP
	// .ports[port=80,protocol="TCP"]: item 0 {"name":"old","port":80} is dropped, item 2 {"name":"new","port":80,"protocol":"TCP"} stays
}
