// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/value"
)

type port struct {
	Name     string `json:"name,omitempty"`
	Port     int32  `json:"port"`
	Protocol string `json:"protocol,omitempty"`
}

type service struct {
	Type  string `json:"type"`
	Ports []port `json:"ports"`
}

func ExampleNewValueInterface() {
	v := value.NewValueInterface(map[string]interface{}{
		"type":  "ClusterIP",
		"ports": []interface{}{map[string]interface{}{"name": "http", "port": int64(80)}},
	})
	ports, _ := v.AsMap().Get("ports")
	for r := ports.AsList().Range(); r.Next(); {
		i, p := r.Item()
		number, _ := p.AsMap().Get("port")
		fmt.Println(i, number.AsInt())
	}
	// Output: 0 80
}

func ExampleNewValueReflect() {
	s := &service{Type: "ClusterIP", Ports: []port{{Name: "http", Port: 80}}}
	v, err := value.NewValueReflect(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	v.AsMap().Set("type", value.NewValueInterface("NodePort"))
	fmt.Println(s.Type)
	fmt.Println(v.Unstructured())
	// Output:
	// NodePort
	// map[ports:[map[name:http port:80]] type:NodePort]
}

func ExampleFromJSON() {
	v, err := value.FromJSON([]byte(`{"port":80,"protocol":"TCP"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	port, _ := v.AsMap().Get("port")
	fmt.Println(port.IsFloat(), port.AsFloat())

	_, err = value.FromJSON([]byte(`{"port":80} {}`))
	fmt.Println(err)
	// Output:
	// true 80
	// managedFields parsing: unexpected trailing data after JSON object, error found in #10 byte of ...|port":80} {}|..., bigger context ...|{"port":80} {}|...
}

func ExampleToJSON() {
	b, err := value.ToJSON(value.NewValueInterface(map[string]interface{}{
		"image": "nginx", "args": []interface{}{"--min<2", 1e-7, nil},
	}))
	fmt.Println(string(b), err)
	// Output: {"args":["--min\u003c2",1e-07,null],"image":"nginx"} <nil>
}

func ExampleToYAML() {
	b, err := value.ToYAML(value.NewValueInterface(map[string]interface{}{
		"image": "nginx", "args": []interface{}{"on", "80"},
	}))
	fmt.Print(string(b), err)
	// Output:
	// args:
	// - "on"
	// - "80"
	// image: nginx
	// <nil>
}

func ExampleToString() {
	v := value.NewValueInterface([]interface{}{"http", int64(80), nil, map[string]interface{}{"on": true}})
	fmt.Println(value.ToString(v))
	// Output: ["http",80,null,on=true]
}

func ExampleEquals() {
	s, _ := value.NewValueReflect(&port{Port: 80, Protocol: "TCP"})
	m := value.NewValueInterface(map[string]interface{}{"port": 80.0, "protocol": "TCP"})
	fmt.Println(value.Equals(s, m))
	// Output: true
}

func ExampleCompare() {
	http, https := value.NewValueInterface("http"), value.NewValueInterface("https")
	number := value.NewValueInterface(443)
	fmt.Println(value.Compare(http, https), value.Compare(https, number))
	// Output: -1 1
}

func ExampleEqualUnstructured() {
	a := map[string]interface{}{"port": int64(80)}
	b := map[interface{}]interface{}{"port": 80}
	fmt.Println(value.EqualUnstructured(a, b))
	// Output: true
}

func ExampleBatch() {
	var b value.Batch
	keys := value.FieldList{
		{Name: "protocol", Value: b.Value("TCP")},
		{Name: "containerPort", Value: b.Value(80)},
	}
	keys.Sort()
	fmt.Println(keys[0].Name, value.ToString(keys[0].Value))
	// Output: containerPort 80
}

func ExampleMapZip() {
	live := value.NewValueInterface(map[string]interface{}{"image": "nginx", "tty": true})
	applied := value.NewValueInterface(map[string]interface{}{"image": "nginx:2"})
	value.MapZip(live.AsMap(), applied.AsMap(), value.LexicalKeyOrder, func(key string, l, r value.Value) bool {
		fmt.Println(key, l != nil, r != nil)
		return true
	})
	// Output:
	// image true true
	// tty true false
}
