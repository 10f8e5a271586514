// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"testing"
	"time"
)

// benchPod is the object in the benchmarks. It has the shape and size of a small pod.

type benchMeta struct {
	Name        string            `json:"name,omitempty"`
	Namespace   string            `json:"namespace,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Created     benchTime         `json:"created,omitempty"`
	Finalizers  []string          `json:"finalizers,omitempty"`
}

type benchTime struct{ time.Time }

func (t *benchTime) MarshalJSON() ([]byte, error) { return t.Time.MarshalJSON() }
func (t *benchTime) ToUnstructured() interface{}  { return t.Format(time.RFC3339) }

type benchContainer struct {
	Name    string            `json:"name"`
	Image   string            `json:"image,omitempty"`
	Command []string          `json:"command,omitempty"`
	Env     []benchEnv        `json:"env,omitempty"`
	Ports   []benchPort       `json:"ports,omitempty"`
	Limits  map[string]string `json:"limits,omitempty"`
	TTY     bool              `json:"tty,omitempty"`
}

type benchEnv struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

type benchPort struct {
	Name     string `json:"name,omitempty"`
	Port     int32  `json:"containerPort"`
	Protocol string `json:"protocol,omitempty"`
}

type benchPod struct {
	benchMeta `json:"metadata,omitempty"`
	Spec      struct {
		Containers []benchContainer  `json:"containers"`
		Node       string            `json:"nodeName,omitempty"`
		Selector   map[string]string `json:"nodeSelector,omitempty"`
		Grace      *int64            `json:"terminationGracePeriodSeconds,omitempty"`
	} `json:"spec"`
}

func newBenchPod() *benchPod {
	p := &benchPod{benchMeta: benchMeta{
		Name: "web-0", Namespace: "default",
		Labels:      map[string]string{"app": "web", "tier": "front", "release": "stable"},
		Annotations: map[string]string{"checksum/config": "0123456789abcdef", "team": "web"},
		Created:     benchTime{time.Unix(1_700_000_000, 0).UTC()},
		Finalizers:  []string{"example.com/protect"},
	}}
	p.Spec.Node = "node-7"
	p.Spec.Selector = map[string]string{"disk": "ssd"}
	p.Spec.Grace = ptr(int64(30))
	for i := range 3 {
		c := benchContainer{
			Name: fmt.Sprint("c", i), Image: "registry/web:1.2.3", Command: []string{"serve", "--port", "8080"},
			Limits: map[string]string{"cpu": "500m", "memory": "128Mi"}, TTY: true,
		}
		for j := range 5 {
			c.Env = append(c.Env, benchEnv{fmt.Sprint("VARIABLE_", j), "some value"})
		}
		for j := range 2 {
			c.Ports = append(c.Ports, benchPort{fmt.Sprint("p", j), int32(8080 + j), "TCP"})
		}
		p.Spec.Containers = append(p.Spec.Containers, c)
	}
	return p
}

func BenchmarkEquals(b *testing.B) {
	v, w := reflected(b, newBenchPod()), reflected(b, newBenchPod())
	x, y := v.Unstructured(), w.Unstructured()
	for _, bc := range []struct {
		name string
		l, r Value
	}{
		{"Unstructured", NewValueInterface(x), NewValueInterface(y)},
		{"Same", NewValueInterface(x), NewValueInterface(x)},
		{"Struct", v, w},
		{"StructAndUnstructured", v, NewValueInterface(x)},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !Equals(bc.l, bc.r) {
					b.Fatal("not equal")
				}
			}
		})
	}
}

func BenchmarkCompare(b *testing.B) {
	v := reflected(b, newBenchPod())
	x, y := v.Unstructured(), v.Unstructured()
	b.ReportAllocs()
	for b.Loop() {
		if CompareUnstructured(x, y) != 0 {
			b.Fatal("not equal")
		}
	}
}

func BenchmarkUnstructured(b *testing.B) {
	v := reflected(b, newBenchPod())
	b.ReportAllocs()
	for b.Loop() {
		v.Unstructured()
	}
}

func BenchmarkFromJSON(b *testing.B) {
	pod, err := ToJSON(reflected(b, newBenchPod()))
	if err != nil {
		b.Fatal(err)
	}
	for name, in := range map[string][]byte{"Pod": pod, "Key": []byte(`{"containerPort":80,"protocol":"TCP"}`)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := FromJSON(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkToJSON(b *testing.B) {
	pod := NewValueInterface(reflected(b, newBenchPod()).Unstructured())
	for name, v := range map[string]Value{"Pod": pod, "String": NewValueInterface("a string")} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ToJSON(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBatch(b *testing.B) {
	var x any = "x"
	b.ReportAllocs()
	for b.Loop() {
		var batch Batch
		for range 100 {
			batch.Value(x)
		}
	}
}
