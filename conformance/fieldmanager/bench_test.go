// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v2"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/conformance/bench"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// measured are the objects of conformance/bench that requests are measured on.
var measured = map[string]bool{"Pod": true, "Deployment": true, "Service": true, "Fleet200": true}

// BenchmarkFieldManager measures whole requests on plain data through both field
// managers, on the objects of conformance/bench.
func BenchmarkFieldManager(b *testing.B) {
	eachRequest(b, func(name string, theirs, ours func() map[string]any) {
		b.Run(name+"/theirs", func(b *testing.B) { measure(b, theirs) })
		b.Run(name+"/ours", func(b *testing.B) { measure(b, ours) })
	})
}

// BenchmarkRememberLive measures the same requests through a field manager that remembers
// live objects, and a copy of the object without its managed fields, to hold them against: the
// live object is the same for all of them, as that of an informer is until it changes.
func BenchmarkRememberLive(b *testing.B) {
	eachRequestTo(b, fieldmanager.Options{RememberLive: 8}, func(name string, live map[string]any, _, ours func() map[string]any) {
		object := withoutManagedFields(live)
		b.Run(name+"/copy", func(b *testing.B) { measure(b, func() map[string]any { return runtime.DeepCopyJSON(object) }) })
		b.Run(name+"/remembers", func(b *testing.B) { measure(b, ours) })
	})
}

// BenchmarkConflicts measures an apply of 500 fields that somebody else owns, by force
// and refused.
func BenchmarkConflicts(b *testing.B) {
	m, live, config := conflicting(b)
	for _, force := range []bool{true, false} {
		b.Run(map[bool]string{true: "forced", false: "refused"}[force], func(b *testing.B) {
			measure(b, func() map[string]any {
				r, err := m.Apply(live, config, "other", force)
				if force && err == nil {
					return r.Object
				}
				if refused, ok := err.(*fieldmanager.ConflictError); force || !ok || len(refused.Conflicts) != 500 {
					b.Fatalf("force %v: %v", force, err)
				}
				return nil
			})
		})
	}
}

// conflicting returns an object of 500 fields with their owner, and what somebody else
// wants of each.
func conflicting(t testing.TB) (m *fieldmanager.FieldManager, live, config map[string]any) {
	t.Helper()
	for _, w := range bench.Workloads() {
		if w.Name != "ConfigMap500" {
			continue
		}
		m = managerOf(t, w, fieldmanager.Options{})
		config = map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "many", "namespace": "default"}}
		mine, theirs := map[string]any{}, map[string]any{}
		for i := range 500 {
			mine[fmt.Sprint("key-", i)], theirs[fmt.Sprint("key-", i)] = "mine", "theirs"
		}
		config["data"] = mine
		r, err := m.Apply(nil, config, "owner", false)
		if err != nil {
			t.Fatal(err)
		}
		config = maps.Clone(config)
		config["data"] = theirs
		return m, r.Object, config
	}
	t.Fatal("no ConfigMap500")
	return nil, nil, nil
}

// What is measured is the same on both sides.
func TestMeasuredRequestsAgree(t *testing.T) {
	n := 0
	eachRequest(t, func(name string, theirs, ours func() map[string]any) {
		n++
		want, got := theirs(), ours()
		if diff := cmp.Diff(withoutManagedFields(want), withoutManagedFields(got)); diff != "" {
			t.Errorf("%s (-theirs +ours):\n%s", name, diff)
		}
		a, err := managedfields.Decode(want)
		if err != nil {
			t.Fatal(err)
		}
		b, err := managedfields.Decode(got)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Entries()) != len(b.Entries()) {
			t.Fatalf("%s: %d managers, ours %d", name, len(a.Entries()), len(b.Entries()))
		}
		for _, e := range a.Entries() {
			if o, ok := b.Find(e.Owner.ID()); !ok || !o.Set.Equals(e.Set) {
				t.Errorf("%s: %v owns\n%v\nours\n%v", name, e.Owner, e.Set, o.Set)
			}
		}
	})
	if want := 6 * len(measured); n != want {
		t.Errorf("%d requests, want %d", n, want)
	}
	eachRequestTo(t, fieldmanager.Options{RememberLive: 8}, func(name string, _ map[string]any, theirs, ours func() map[string]any) {
		want := withoutManagedFields(theirs())
		for range 2 { // the second remembers
			if diff := cmp.Diff(want, withoutManagedFields(ours())); diff != "" {
				t.Errorf("%s, remembered (-theirs +ours):\n%s", name, diff)
			}
		}
	})
}

// eachRequest calls f with each request, as both sides serve it.
func eachRequest(t testing.TB, f func(name string, theirs, ours func() map[string]any)) {
	t.Helper()
	eachRequestTo(t, fieldmanager.Options{}, func(name string, _ map[string]any, theirs, ours func() map[string]any) { f(name, theirs, ours) })
}

func eachRequestTo(t testing.TB, o fieldmanager.Options, f func(name string, live map[string]any, theirs, ours func() map[string]any)) {
	t.Helper()
	for _, w := range bench.Workloads() {
		if !measured[w.Name] {
			continue
		}
		m := managerOf(t, w, o)
		for _, r := range w.Requests() {
			live, next := r.Live(), r.Next()
			f(strings.TrimPrefix(r.Name, "k/FM")+"/"+w.Name, live, r.Theirs(), func() map[string]any {
				var result *fieldmanager.Result
				var err error
				if r.Config != nil {
					result, err = m.Apply(live, r.Config, r.Manager(), true)
				} else {
					result, err = m.Update(live, next, r.Manager())
				}
				if err != nil {
					t.Fatal(err)
				}
				return result.Object
			})
		}
	}
}

// managerOf returns our field manager for the type of a workload.
func managerOf(t testing.TB, w *bench.Workload, o fieldmanager.Options) *fieldmanager.FieldManager {
	t.Helper()
	theirs := w.Type()
	text, err := yaml.Marshal(theirs.Schema)
	if err != nil {
		t.Fatal(err)
	}
	parser, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		t.Fatal(err)
	}
	of := parser.Type(*theirs.TypeRef.NamedType)
	o.Types = func(string, string) (typed.ParseableType, error) { return of, nil }
	m, err := fieldmanager.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func withoutManagedFields(object map[string]any) map[string]any {
	out := maps.Clone(object)
	metadata := maps.Clone(object["metadata"].(map[string]any))
	delete(metadata, "managedFields")
	out["metadata"] = metadata
	return out
}

// measure reports the CPU time of the process too, the collector's included: on a
// busy machine that is the number to read.
func measure(b *testing.B, run func() map[string]any) {
	run()
	b.ReportAllocs()
	start := cpuTime(b)
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N), "cpu-ns/op")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
