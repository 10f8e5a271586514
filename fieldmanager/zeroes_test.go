// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
)

// TestZeroIsAbsent checks a server that stores Go structs, and so omits zero and empty
// values that a manager applied. If another manager applies the same values, both must own
// them. Applying them again must change nothing.
func TestZeroIsAbsent(t *testing.T) {
	const zeroes = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","annotations":{}},"spec":{"replicas":0,"selector":{},"ports":[{"port":80,"name":"","targetPort":0}]}}`
	m := objects.NewManager(t, fieldmanager.Options{ZeroIsAbsent: true})
	server := objects.NewManager(t, fieldmanager.Options{})
	stored := func(o map[string]any) map[string]any {
		managed := o["metadata"].(map[string]any)["managedFields"]
		out := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":80,"protocol":"TCP"}]}}`)
		out["metadata"].(map[string]any)["managedFields"] = managed
		return out
	}
	live := stored(objects.Apply(t, m, nil, "one", zeroes).Object)

	if r := objects.Apply(t, m, live, "one", zeroes); r.Changed {
		t.Errorf("one applies again, and changes %v", r.Object)
	}
	two := objects.Apply(t, m, live, "two", zeroes)
	for _, e := range two.Managed.Entries() {
		if e.Set.Size() != 7 {
			t.Errorf("%s owns %v", e.Manager, e.Set)
		}
	}
	if r := objects.Apply(t, m, stored(two.Object), "two", zeroes); r.Changed {
		t.Errorf("two applies again, and changes %v", r.Object)
	}

	// Without ZeroIsAbsent, as in an API server, the apply conflicts. If the first manager
	// applies again, this counts as a change.
	var conflict *fieldmanager.ConflictError
	if _, err := server.Apply(live, objects.Object(t, zeroes), "two", false); !errors.As(err, &conflict) || len(conflict.Conflicts) != 5 {
		t.Errorf("without the option: %v", err)
	}
	if r := objects.Apply(t, server, live, "one", zeroes); !r.Changed {
		t.Error("without the option, applying again changes nothing")
	}

	// A zero value still conflicts with a nonzero value of another manager.
	withReplicas := objects.Apply(t, m, nil, "one", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"replicas":1,"ports":[{"port":80,"name":"http"}]}}`).Object
	if _, err := m.Apply(withReplicas, objects.Object(t, zeroes), "two", false); !errors.As(err, &conflict) || len(conflict.Conflicts) != 2 {
		t.Errorf("a zero in place of a value: %v", err)
	}
	const other = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"replicas":2,"ports":[{"port":80}]}}`
	if _, err := m.Apply(live, objects.Object(t, other), "two", false); !errors.As(err, &conflict) || len(conflict.Conflicts) != 1 {
		t.Errorf("a value in place of an applied zero: %v", err)
	}
	// If an update removed a field, nobody owns it. An apply of a zero value then counts as a
	// change.
	bare := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}`)
	updated, err := m.Update(withReplicas, bare, "editor")
	if err != nil {
		t.Fatal(err)
	}
	r := objects.Apply(t, m, updated.Object, "two", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"replicas":0,"ports":[{"port":80}]}}`)
	if spec := r.Object["spec"].(map[string]any); !r.Changed || spec["replicas"] != int64(0) {
		t.Errorf("spec is %v", spec)
	}
}

// TestZeroIsAbsentLaws applies random configs with ZeroIsAbsent. If a manager applies the
// same values as another manager, there must be no conflict, and applying again must change
// nothing. A config without zero values must have the same result as without the option.
func TestZeroIsAbsentLaws(t *testing.T) {
	on := objects.NewManager(t, fieldmanager.Options{ZeroIsAbsent: true})
	off := objects.NewManager(t, fieldmanager.Options{})
	r := rand.New(rand.NewPCG(1, 2))
	zeroes, plain := 0, 0
	for range 3000 {
		config := randomService(r)
		text := objects.AsJSON(config)
		first, err := on.Apply(nil, config, "one", false)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		live := asStored(first.Object).(map[string]any)
		if objects.AsJSON(live) != objects.AsJSON(first.Object) {
			zeroes++
		}
		again, err := on.Apply(live, config, "one", false)
		if err != nil || again.Changed {
			t.Fatalf("applied again: %v: %s\nof %s", err, objects.AsJSON(again), text)
		}
		second, err := on.Apply(live, config, "two", false)
		if err != nil {
			t.Fatalf("applied by two: %v\nof %s", err, text)
		}
		entries := second.Managed.Entries()
		if len(entries) > 0 && (len(entries) != 2 || !entries[0].Set.Equals(entries[1].Set)) {
			t.Fatalf("applied by two: %s\nof %s", objects.AsJSON(second.Object), text)
		}
		// Configs without zero values must have the same result and the same conflicts.
		other := asStored(randomService(r)).(map[string]any)
		a, errA := on.Apply(live, other, "two", false)
		b, errB := off.Apply(live, other, "two", false)
		if (errA == nil) != (errB == nil) || errA != nil && errA.Error() != errB.Error() {
			t.Fatalf("with the option %v, without %v\nof %s onto %s", errA, errB, objects.AsJSON(other), objects.AsJSON(live))
		}
		if errA == nil {
			plain++
			if objects.AsJSON(a.Object) != objects.AsJSON(b.Object) || a.Changed != b.Changed {
				t.Fatalf("with the option\n%s\nwithout\n%s", objects.AsJSON(a.Object), objects.AsJSON(b.Object))
			}
		}
	}
	if zeroes < 1000 || plain < 300 {
		t.Errorf("%d configs with zero values, %d that do not conflict", zeroes, plain)
	}
}

// randomService returns a random config in which about half of the values are zero.
func randomService(r *rand.Rand) map[string]any {
	some := func(values ...any) any { return values[r.IntN(len(values))] }
	spec := map[string]any{}
	put := func(m map[string]any, name string, values ...any) {
		if r.IntN(2) == 0 {
			m[name] = some(values...)
		}
	}
	put(spec, "type", "NodePort", "ClusterIP")
	put(spec, "replicas", int64(0), int64(1), int64(2))
	put(spec, "selector", map[string]any{}, map[string]any{"a": ""})
	if r.IntN(2) == 0 {
		ports := []any{}
		for i := range r.IntN(3) {
			port := map[string]any{"port": int64(80 + i)}
			put(port, "protocol", "TCP", "UDP")
			put(port, "name", "", "x")
			put(port, "targetPort", int64(0), int64(8080))
			ports = append(ports, port)
		}
		spec["ports"] = ports
	}
	metadata := map[string]any{"name": "s"}
	put(metadata, "labels", map[string]any{}, map[string]any{"a": "", "b": "c"})
	return map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
}

// asStored returns the part of a value that a Go struct stores. It omits zero fields, but
// keeps empty structs and the zero values in maps such as labels and selectors.
func asStored(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, c := range v {
			switch name {
			case "managedFields":
				out[name] = c
				continue
			case "labels", "selector":
				if m, _ := c.(map[string]any); len(m) > 0 {
					out[name] = c
				}
				continue
			}
			switch c := c.(type) {
			case map[string]any:
				out[name] = asStored(c)
			case []any:
				if len(c) > 0 {
					out[name] = asStored(c)
				}
			default:
				if c != "" && c != int64(0) && c != false && c != nil {
					out[name] = c
				}
			}
		}
		return out
	case []any:
		out := []any{}
		for _, c := range v {
			out = append(out, asStored(c))
		}
		return out
	}
	return v
}
