// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"math/rand/v2"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
)

// TestFunctionsMayWrite checks that a Defaulter and a Converter may modify their arguments.
// Simple functions modify their arguments: ParseableType.Default sets defaults, and a
// converter sets apiVersion. Such functions must get copies, so that the arguments of a
// request and earlier results do not change.
func TestFunctionsMayWrite(t *testing.T) {
	typ, err := objects.ServiceType("v1", "Service")
	if err != nil {
		t.Fatal(err)
	}
	defaulted := 0
	options := fieldmanager.Options{
		Defaulter: func(object map[string]any) (map[string]any, error) {
			out, err := typ.Default(object)
			if err != nil {
				return nil, err
			}
			return out.(map[string]any), nil
		},
		Converter: func(object map[string]any, apiVersion string) (map[string]any, error) {
			object["apiVersion"] = apiVersion
			if spec, ok := object["spec"].(map[string]any); ok {
				spec["replicas"] = int64(7)
			}
			return object, nil
		},
	}
	m := objects.NewManager(t, options)
	for seed := range uint64(60) {
		g := rand.New(rand.NewPCG(seed, 20))
		spec := func() map[string]any {
			ports := []any{}
			for i := range g.IntN(4) {
				port := map[string]any{"port": int64(i), "name": string(rune('a' + g.IntN(3)))}
				if g.IntN(2) == 0 {
					port["protocol"] = "UDP"
				}
				ports = append(ports, port)
			}
			out := map[string]any{"ports": ports, "replicas": int64(7)}
			if g.IntN(2) == 0 {
				out["type"] = "NodePort"
			}
			return out
		}
		service := func(version string) map[string]any {
			return map[string]any{"apiVersion": version, "kind": "Service", "metadata": map[string]any{"name": "web"}, "spec": spec()}
		}
		live, err := m.Update(nil, service("v1"), "a")
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			version := []string{"v1", "v1beta1"}[g.IntN(2)]
			config := service(version)
			before, sent := objects.AsJSON(live.Object), objects.AsJSON(config)
			next, err := m.Apply(live.Object, config, []string{"b", "c"}[g.IntN(2)], true)
			if err != nil {
				t.Fatalf("%d: %v", seed, err)
			}
			if got := objects.AsJSON(live.Object); got != before {
				t.Fatalf("%d: the live object was\n%s\nand is\n%s", seed, before, got)
			}
			if got := objects.AsJSON(config); got != sent {
				t.Fatalf("%d: the config was\n%s\nand is\n%s", seed, sent, got)
			}
			if objects.AsJSON(next.Object["spec"]) != objects.AsJSON(config["spec"]) {
				defaulted++
			}
			live = next
		}
	}
	if defaulted < 50 {
		t.Errorf("%d results have more than was sent: the test covers too few cases", defaulted)
	}

	// With ReadOnlyCallbacks, the functions get no copies.
	var got map[string]any
	m = objects.NewManager(t, fieldmanager.Options{ReadOnlyCallbacks: true, Defaulter: func(object map[string]any) (map[string]any, error) {
		got = object
		return object, nil
	}})
	live := objects.Update(t, m, nil, "a", `"selector":{"app":"x"}`)
	objects.Apply(t, m, live.Object, "b", `"replicas":1`)
	selector := func(o map[string]any) map[string]any { return o["spec"].(map[string]any)["selector"].(map[string]any) }
	selector(live.Object)["app"] = "y"
	if selector(got)["app"] != "y" {
		t.Error("with ReadOnlyCallbacks a defaulter gets a copy")
	}
}

// TestDefaulterWithoutResult checks that an apply fails if the Defaulter returns nil.
func TestDefaulterWithoutResult(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{Defaulter: func(map[string]any) (map[string]any, error) { return nil, nil }})
	_, err := m.Apply(nil, objects.Object(t, `"replicas":1`), "a", false)
	if want := "default: the Defaulter returned neither an object nor an error"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
