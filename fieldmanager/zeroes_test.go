package fieldmanager_test

import (
	"errors"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// C09, C10: what one applies as zero or empty, and a server that stores Go structs
// leaves out, another may apply too: they own it together, and doing so again writes
// nothing.
func TestC09C10ZeroIsAbsent(t *testing.T) {
	const zeroes = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","annotations":{}},"spec":{"replicas":0,"selector":{},"ports":[{"port":80,"name":"","targetPort":0}]}}`
	m := newManager(t, fieldmanager.Options{ZeroIsAbsent: true})
	server := newManager(t, fieldmanager.Options{})
	stored := func(o map[string]any) map[string]any {
		managed := o["metadata"].(map[string]any)["managedFields"]
		out := object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":80,"protocol":"TCP"}]}}`)
		out["metadata"].(map[string]any)["managedFields"] = managed
		return out
	}
	live := stored(apply(t, m, nil, "one", zeroes).Object)

	if r := apply(t, m, live, "one", zeroes); r.Changed {
		t.Errorf("one applies again, and changes %v", r.Object)
	}
	two := apply(t, m, live, "two", zeroes)
	for _, e := range two.Managed.Entries() {
		if e.Set.Size() != 7 {
			t.Errorf("%s owns %v", e.Manager, e.Set)
		}
	}
	if r := apply(t, m, stored(two.Object), "two", zeroes); r.Changed {
		t.Errorf("two applies again, and changes %v", r.Object)
	}

	// A server finds conflicts, and changes.
	var conflict *fieldmanager.ConflictError
	if _, err := server.Apply(live, object(t, zeroes), "two", false); !errors.As(err, &conflict) || len(conflict.Conflicts) != 5 {
		t.Errorf("without the option: %v", err)
	}
	if r := apply(t, server, live, "one", zeroes); !r.Changed {
		t.Error("without the option, applying again changes nothing")
	}

	// What is there is another thing than what is not, and so is what is no zero.
	held := apply(t, m, nil, "one", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"replicas":1,"ports":[{"port":80,"name":"http"}]}}`).Object
	if _, err := m.Apply(held, object(t, zeroes), "two", false); !errors.As(err, &conflict) || len(conflict.Conflicts) != 2 {
		t.Errorf("a zero for what is there: %v", err)
	}
	const other = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"replicas":2,"ports":[{"port":80}]}}`
	if _, err := m.Apply(live, object(t, other), "two", false); !errors.As(err, &conflict) || len(conflict.Conflicts) != 1 {
		t.Errorf("a value where a zero was applied: %v", err)
	}
	// What an update took out nobody owns: a zero is written again.
	bare := object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}`)
	updated, err := m.Update(held, bare, "editor")
	if err != nil {
		t.Fatal(err)
	}
	r := apply(t, m, updated.Object, "two", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"replicas":0,"ports":[{"port":80}]}}`)
	if spec := r.Object["spec"].(map[string]any); !r.Changed || spec["replicas"] != int64(0) {
		t.Errorf("spec is %v", spec)
	}
}
